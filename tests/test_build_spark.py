"""The engine spark makes the same packs as the one in memory, on a local Spark; questions in a DataFrame."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from network import without_network
from same_packs import assert_same, random_tables

import kgask
from kgask.build.recipe import Recipe, build
from kgask.errors import UsageError

pytest.importorskip("pyspark", reason="no pyspark here: pip install 'kgask[spark]'")

from kgask.build.outofcore.engine import build as build_out_of_core

needs_java = pytest.mark.skipif(
    shutil.which("java") is None, reason="no Java here: apt install openjdk-17-jre-headless"
)
MASTER, MEMORY = "local[2]", 1_500_000_000


def _command(source: Path, target: Path) -> list[str]:
    return [sys.executable, "-m", "kgask", "pack", "build", str(source), "-o", str(target),
            "--engine", "spark", "--master", MASTER]  # fmt: skip


@needs_java
@pytest.mark.slow
def test_a_graph_is_numbered_alike_in_several_parts(tmp_path: Path) -> None:
    """All that a pack holds, and as many keys that do not compress as Spark sorts in parts."""
    recipe = random_tables(tmp_path, 5)
    rng = random.Random(5)
    keys = [f"{rng.choice(['http://e.org/', 'Q', 'x:', ''])}{rng.getrandbits(256):x}" for _ in range(60_000)]
    with (tmp_path / "t.tsv").open("a") as file:
        file.writelines(f"{a}\tknows\t{b}\n" for a, b in zip(keys, keys[1:], strict=False))
    told: list[str] = []
    one = build(Recipe(target=tmp_path / "memory", **recipe), told.append)  # type: ignore[arg-type]
    two = build_out_of_core(Recipe(target=tmp_path / "other", **recipe), MEMORY, told.append, master=MASTER)  # type: ignore[arg-type]
    assert_same(tmp_path, one, two)
    assert f"starting Spark on {MASTER}" in told


@needs_java
@pytest.mark.slow
def test_reifiers_and_recognised_numbers_without_a_network(tmp_path: Path) -> None:
    """Only loopback is there; nothing but the one summary goes without a step, and nothing is left beside the pack."""
    (tmp_path / "t.ttl").write_text(
        """@prefix e: <http://e.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
        e:curie e:award e:physics {| e:year 1903 ; e:place e:Paris |} . e:curie e:award e:physics .
        << e:curie e:award e:physics ~ e:s1 >> e:year 1911 . e:s1 rdf:reifies <<( e:ann e:knows e:bob )>> .
        e:s2 rdf:reifies <<( e:s1 e:said e:by )>> . e:s2 e:year 5 ."""
    )
    (tmp_path / "t.csv").write_text("".join(f"P{i},it's \\d age,{i % 50}\n" for i in range(90)))
    sources = (str(tmp_path / "t.ttl"), str(tmp_path / "t.csv"))
    one = build(Recipe(sources, tmp_path / "memory", recognise=True), print)
    (tmp_path / "work").mkdir()
    command = [*_command(tmp_path / "t.ttl", tmp_path / "other"), sources[1]]
    loopback = [*without_network(), "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    done = subprocess.run([*loopback, *command], cwd=tmp_path / "work", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("kgask: ") for line in done.stderr.splitlines())
    assert [*(tmp_path / "work").iterdir()] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory", "other", "t.csv", "t.ttl", "work"]
    other = json.loads((tmp_path / "other" / "pack.json").read_bytes())
    assert other["content_sha256"] == one.report.manifest["content_sha256"]
    assert other["counts"] == one.report.manifest["counts"]


@needs_java
@pytest.mark.slow
def test_a_stopped_build_ends_its_java_and_goes_on(tmp_path: Path) -> None:
    """Ctrl-C, then a kill; the third run goes on behind what both finished."""
    (tmp_path / "t.tsv").write_text("".join(f"Q{i}\tknows\tQ{i // 3}\n" for i in range(200)))
    command = _command(tmp_path / "t.tsv", tmp_path / "p")
    for step, number in ((3, signal.SIGINT), (4, signal.SIGKILL)):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
        assert process.stderr is not None
        java, said = [], []
        for line in process.stderr:
            said.append(line)
            if f"step {step} of 7" in line:
                java = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                process.send_signal(number)
        process.stderr.close()
        assert process.wait() == (130 if number == signal.SIGINT else -number)
        assert said[-1] == "kgask: interrupted\n" or number == signal.SIGKILL
        assert len(java) == 1
        _wait_for_end(int(java[0]))
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "goes on behind" in done.stderr
    assert "step 3 of 7" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p", "t.tsv"]


def _wait_for_end(pid: int) -> None:
    handle = os.pidfd_open(pid) if Path(f"/proc/{pid}").exists() else None
    if handle is not None:
        import select

        assert select.select([handle], [], [], 30)[0], "Java goes on"
        os.close(handle)


@pytest.mark.parametrize(
    ("master", "java", "reason"),
    [("cluster", "", "--master 'cluster': a URL such as"), (MASTER, "/nowhere", "apt install openjdk-17-jre-headless")],
)
def test_what_is_missing_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, master: str, java: str, reason: str
) -> None:
    if java:
        monkeypatch.setenv("JAVA_HOME", java)
    elif shutil.which("java") is None:
        pytest.skip("no Java here: apt install openjdk-17-jre-headless")
    with pytest.raises(UsageError) as caught:
        build_out_of_core(Recipe(("t.tsv",), tmp_path / "p"), MEMORY, print, master=master)
    assert reason in str(caught.value)
    assert [*tmp_path.iterdir()] == []


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false")
    session = builder.config("spark.local.dir", str(tmp_path)).getOrCreate()
    yield session
    session.stop()


@needs_java
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # pyspark's sockets
def test_a_column_of_questions_is_answered(session: Any) -> None:
    from kgask.spark import answer

    asked = [
        "who wrote Lady Susan?",
        "What is the capital of Kenya?",
        None,
        "who wrote The Moons of Zarbulon Seven?",
        "",
    ]
    questions = session.createDataFrame([*enumerate(asked)], "n INT, question STRING")
    answered = answer(questions, "demo", reader=None, settings={})
    assert answered.columns == ["n", "question", "answered"]
    rows = {row.n: row.answered for row in answered.collect()}
    with kgask.open("demo", reader=None, settings={}) as kg:
        for n, text in enumerate(asked):
            said, row = json.loads(rows[n].json), rows[n].asDict(recursive=True)
            assert {name: said[name] for name in row if name != "json"} == {k: v for k, v in row.items() if k != "json"}
            if text:
                mine = kg.ask(text).to_dict()
                assert {k: v for k, v in said.items() if k != "timings_ms"} == {
                    k: v for k, v in mine.items() if k != "timings_ms"
                }
            else:
                assert said["abstained"] and said["reason"]
    with pytest.raises(UsageError, match="no column 'text' of texts; columns: n, question"):
        answer(questions, "demo", column="text")
    with pytest.raises(UsageError, match="there is a column 'n' already"):
        answer(questions, "demo", into="n")
