"""A pipe, a device, a link to itself or a folder where a file is expected: one line, whatever takes the file."""

from __future__ import annotations

import gzip
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from films import build_films
from forked_cli import kgask

from kgask.errors import EXIT_ERROR, EXIT_USAGE, UsageError
from kgask.sets.everyday import load
from kgask.sets.rows import lines_of

ODD = ("pipe", "device", "loop", "folder")
LONGEST_S = 60  # hardly any time is needed, but what waits for a pipe waits for ever
BUILD = ("pack", "build", "films.tsv", "-o", "built")
ASKED = ("--no-reader", "-p", "films")
# FILE is the odd one. Each command would go well with a file of the right kind.
TAKES = {
    "questions": ("ask", "--questions", "FILE", *ASKED),
    "claims": ("verify", "--claims", "FILE", "-p", "films"),
    "source": ("pack", "build", "FILE", "--format", "tsv", "-o", "built"),
    "source of more": ("pack", "add", "FILE", "--format", "tsv", "--to", "films"),
    "database": ("pack", "map", "FILE"),
    "mapping": ("pack", "build", "films.sqlite", "--mapping", "FILE", "-o", "built"),
    **{kind: (*BUILD, f"--{kind}", "FILE") for kind in ("labels", "aliases", "relations", "passages")},
    "patch": ("pack", "update", "FILE", "films"),
    "archive": ("pack", "import", "FILE", "-o", "built"),
    "key": ("pack", "import", "films.kgpack", "-o", "built", "--verify", "FILE"),
    "signature": ("pack", "import", "films.kgpack", "-o", "built", "--verify", "k.pub", "--signature", "FILE"),
    "secret key": ("pack", "export", "films", "out.kgpack", "--sign", "FILE"),
    "pack": ("pack", "check", "FILE"),
    "manifest": ("pack", "check", "broken pack"),
    "manifest of what is replaced": ("pack", "build", "films.tsv", "-o", "broken pack", "--force"),
    "session": ("chat", "--session", "FILE", *ASKED),
    "planner": ("ask", "--model", "FILE", *ASKED, "who?"),
    "judge": ("ask", "--judge", "FILE", *ASKED, "who?"),
    "encoder": ("ask", "--method", "similarity", "--encoder", "FILE", *ASKED, "who?"),
    "card of a planner": ("ask", "--model", "broken model", *ASKED, "who?"),
    "reader": ("ask", "--reader", "FILE", "-p", "films", "who?"),
    "added": ("models", "add", "FILE"),
    "graphs of sentences": ("ask", "--method", "amr", "--amr", "FILE", *ASKED, "who?"),
    **{f"set in {kind}": ("eval", "run", kind, "FILE", *ASKED, "-o", "out") for kind in ("jsonl", "tsv", "qald")},
    **{f"set of {kind}": ("eval", "run", kind, "FILE", *ASKED) for kind in ("everyday", "claims", "conversations")},
    "settings of a run": ("eval", "score", "broken run"),
}  # fmt: skip
BROKEN = {"manifest": "pack.json", "manifest of what is replaced": "pack.json", "card of a planner": "model.json"}
BROKEN |= {"settings of a run": "run.json"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to work in, with the pack of films, packed and signed too, and a database."""
    folder = tmp_path_factory.mktemp("odd")
    build_films(folder / "films")
    with closing(sqlite3.connect(folder / "films.sqlite")) as database, database:
        database.execute("CREATE TABLE Film (Id INTEGER PRIMARY KEY, Title TEXT)")
        database.execute("INSERT INTO Film (Title) VALUES ('Harbour Lights')")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("KGASK_HOME", str(folder / "home"))
        for words in (("keygen", "k", "--no-passphrase"), ("export", "films", "films.kgpack", "--sign", "k")):
            assert kgask("pack", *words).returncode == 0
        yield folder


def put(kind: str, path: Path) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)


@pytest.mark.parametrize("what", TAKES)
def test_it_is_refused_with_a_line(what: str, place: Path) -> None:
    for kind in ODD:
        path = place / f"a {kind}"
        for words in (name for name in (f"broken {one}" for one in ("pack", "model", "run")) if name in TAKES[what]):
            path = place / words / BROKEN[what]
            path.parent.mkdir(exist_ok=True)
        put(kind, path)
        began = time.monotonic()
        done = kgask(*(str(path) if word == "FILE" else word for word in TAKES[what]))
        told = f"{kind}: exit {done.returncode}: {done.stderr}"
        assert done.returncode in (EXIT_ERROR, EXIT_USAGE, 6, 8), told
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("kgask: "), told
        assert time.monotonic() - began < LONGEST_S, told
        path.unlink() if kind != "folder" else path.rmdir()


@pytest.mark.parametrize("content", ["- " * 3000, "[" * 3000, "- 2001-99-99\n", f"- {'9' * 5000}\n", "- &a [*a, *a]\n"])
def test_odd_yaml_is_a_line(content: str, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "set.yaml").write_text(content)
    with pytest.raises(UsageError, match=r"set\.yaml"):
        load(tmp_path / "set.yaml")


def test_a_line_has_an_end(tmp_path: Path) -> None:
    """Kilobytes packed, 70 MB of one letter unpacked."""
    with gzip.open(tmp_path / "set.txt.gz", "wb") as file:
        for _ in range(70):
            file.write(b"a" * (1 << 20))
    with pytest.raises(UsageError, match=r"set\.txt\.gz:1: longer than"):
        list(lines_of(tmp_path / "set.txt.gz"))
