"""The Java process that Spark runs in: started quietly on the master that the user named, and ended when it is done.

Nothing listens beyond loopback while the master is this machine. Java ends when its stdin does, however this process
ends.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask.errors import BuildError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_BYTES = 1_500_000_000
NO_PACKAGE = "the engine spark needs more packages: pip install 'kgask[spark]'"
NO_JAVA = "the engine spark needs Java 17 or later: apt install openjdk-17-jre-headless (or set JAVA_HOME)"
_JVM_BYTES = 500 << 20  # what Java takes beside its heap
_PARTITIONS = 32  # of a shuffle on this machine; small ones are put together
_END_S = 30
_LOG = "spark.log"
_QUIET = """rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %m%n
"""


_MASTER = re.compile(r"local(-cluster)?(\[[^\]]+\])?|yarn|(spark|k8s)://\S+")


def check_installed(master: str) -> None:
    """UsageError with what to type where pyspark or Java is missing, and for what is no master."""
    try:
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ImportError:
        raise UsageError(NO_PACKAGE) from None
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        raise UsageError(NO_JAVA)
    if not _MASTER.fullmatch(master):
        raise UsageError(f"--master {master!r}: a URL such as spark://host:7077, or local[4], yarn, k8s://host:443")


@dataclass(frozen=True, slots=True)
class Driver:
    """A session and the gateway to its Java process."""

    session: SparkSession
    gateway: Any
    before: tuple[Any, Any]  # the gateway of this process's earlier sessions, which has their memory, and its view

    @classmethod
    def start(cls, master: str, memory: int, scratch: Path) -> Driver:
        """On ``master``, in ``memory`` bytes of its own, with its temporary files and its log in ``scratch``.

        Raises UsageError where this process has a session already and for a Java that is too old, BuildError where
        Spark does not start on that master.
        """
        from py4j.protocol import Py4JError
        from pyspark import SparkConf, SparkContext
        from pyspark.errors import PySparkException
        from pyspark.java_gateway import launch_gateway
        from pyspark.sql import SparkSession

        if SparkContext._active_spark_context is not None:
            raise UsageError("a Spark session runs in this process already: stop it first")
        heap, log = max(memory - _JVM_BYTES, 480 << 20), scratch / _LOG
        conf = SparkConf().setAll([*_settings(master, heap, scratch).items()])
        on_interrupt, gateway = signal.getsignal(signal.SIGINT), None
        before = SparkContext._gateway, SparkContext._jvm
        _put_back((None, None))
        logging.getLogger().addFilter(_is_news)
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", "-XX:-UsePerfData")  # else Java leaves a folder in /tmp
        try:
            with log.open("wb") as said:
                gateway = launch_gateway(conf, {"stdout": said, "stderr": said})
            return cls(SparkSession(SparkContext(conf=conf, gateway=gateway)), gateway, before)
        except BaseException as error:
            why = _text(error)  # which Java is asked for
            _put_back(before)
            if gateway is not None:
                _end(gateway.proc)
            if not isinstance(error, (PySparkException, Py4JError, OSError, RuntimeError, TypeError)):
                raise
            raise _not_started(master, log.read_text(errors="replace"), why) from None
        finally:
            with suppress(ValueError):  # not the main thread, where Spark takes no signal either
                signal.signal(signal.SIGINT, on_interrupt)  # Ctrl-C stays with who started this

    def close(self, is_well: bool) -> None:
        """With ``is_well`` in good order; else at once, whatever it is at."""
        if is_well:
            with suppress(Exception):
                self.session.stop()
                self.gateway.shutdown()
        _put_back(self.before)
        _end(self.gateway.proc)


def _settings(master: str, heap: int, scratch: Path) -> dict[str, str]:
    quiet = scratch / "log4j2.properties"
    quiet.write_text(_QUIET)
    words = [f"-Djava.io.tmpdir={scratch}", f"-Dlog4j2.configurationFile={quiet.as_uri()}", "-XX:-UsePerfData"]
    settings = {
        "spark.master": master,
        "spark.app.name": "kgask",
        "spark.driver.memory": f"{heap >> 20}m",
        "spark.driver.extraJavaOptions": " ".join(f'"{word}"' for word in words),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": scratch.as_uri(),
        "spark.sql.parser.escapedStringLiterals": "true",  # a backslash in a pattern is one, as in DuckDB
    }
    if master.startswith("local"):
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(scratch),
            "spark.sql.shuffle.partitions": str(_PARTITIONS),
        }
    return settings


def _is_news(record: logging.LogRecord) -> bool:
    """Not what py4j logs, with a traceback, of a call that is interrupted or whose Java has ended: it raises, too."""
    return not str(record.msg).endswith("while sending command.")


def _put_back(before: tuple[Any, Any]) -> None:
    """What pyspark keeps of a Java process for this process's next session."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    SparkContext._gateway, SparkContext._jvm = before
    SparkContext._active_spark_context = SparkSession._instantiatedSession = None
    logging.getLogger().removeFilter(_is_news)


def _end(java: subprocess.Popen[bytes]) -> None:
    if java.stdin is not None:
        java.stdin.close()
    try:
        java.wait(_END_S)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()


def _not_started(master: str, log: str, why: str) -> UsageError | BuildError:
    if "UnsupportedClassVersionError" in log:
        return UsageError(NO_JAVA)
    lines = [line for line in log.splitlines() if re.search(r"\b(Error|Exception|Reason)\b", line)]
    return BuildError(f"Spark does not start on {master}: {lines[0].strip() if lines else _cause(why)}")


@contextmanager
def told() -> Iterator[None]:
    """What Spark cannot do is a BuildError of one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, OSError) as error:
        text = _text(error)
        if not text or "OutOfMemoryError" in text or isinstance(error, ConnectionError) or "Java side" in text:
            raise BuildError("Spark ended, perhaps for want of memory; --memory gives more") from None
        if "No space left on device" in text:
            raise BuildError("not enough temporary disk; -o on another disk") from None
        raise BuildError(f"Spark: {_cause(text)}") from None


def _text(error: BaseException) -> str:
    """What Java says of an error, nothing where it has ended."""
    try:
        return str(error)
    except Exception:
        return ""


def _cause(text: str) -> str:
    """The innermost reason that Java gives, else the first line."""
    found = re.findall(r"^(?:Caused by|): (?:[\w.$]+: )?(.+)$", text, re.MULTILINE)
    return str(found[-1]) if found else (text.splitlines() or ["it ended"])[0]
