"""The commands that are killed: what there is before, and what counts as the old, the new, and a part of it."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from children import Ended
from children import run as run_whole
from classify import broken
from moments import Moment, watched
from samples import GRAPH, QUESTIONS

State = tuple[object, ...]
_MORE = "".join(f"Ann Ray\tknows\tExtra {at}\n" for at in range(40))
_N_ASKED = 70  # two batches of a run
_TALK = ("who directed Harbour Lights?", "where was she born?", "/undo", "how many films did Ann Ray direct?", "/reset")


@dataclass(frozen=True, slots=True)
class Scene:
    """``before``: commands that make what there is, in the folder of the work; ``words``: the one that is killed.

    ``state`` raises AssertionError for what is not whole. With ``grows`` it may be a part of the new one, from its
    beginning; with ``steps`` the pack in use stays, and its earlier versions and the settings follow one by one.
    ``again`` tells that a command which was done may be refused when it comes again.
    """

    words: tuple[str, ...]
    state: Callable[[Path], State]
    before: tuple[tuple[str, ...], ...] = ()
    stdin: bytes = b""
    grows: bool = False
    steps: bool = False
    again: bool = False


@dataclass(slots=True)
class Kills:
    """A scene that is played in ``work``, always the same folder, for stages are found again by their paths."""

    scene: Scene
    place: Path
    work: Path
    left: Path = field(init=False)  # a copy of what the last kill left
    old: State = field(init=False)
    new: State = field(init=False)
    names: frozenset[str] = field(init=False)  # that may be there when a command has ended well
    seconds: float = field(init=False)
    n_changes: int = field(init=False)
    n_writes: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = self.place / "left"
        shutil.rmtree(self.place / "before", ignore_errors=True)
        self._begin(anew=True)
        for words in self.scene.before:
            self._whole(words)
        shutil.copytree(self.work, self.place / "before", symlinks=True)
        self.old = self.scene.state(self.work)
        self._whole(self.scene.words)  # once to fill the cache
        self._begin()
        seen = watched(self.scene.words, self.work, self.scene.stdin, Moment())
        self.seconds, self.n_changes, self.n_writes = seen.ended.seconds, seen.n_changes, seen.n_writes
        self.new = self.scene.state(self.work)
        found = _names(self.work)
        if not self.scene.again:
            self._whole(self.scene.words)
            found |= _names(self.work)
        self.names = found

    def kill(self, rng: random.Random, number: int) -> tuple[str, str]:
        """Kill it once; the outcome, and what is wrong ("": nothing)."""
        by_time = Moment(seconds=rng.uniform(0, self.seconds))
        by_change = Moment(change=rng.randint(1, self.n_changes))
        return self._once(by_change if number % 2 else by_time)

    def fail(self, number: int, error: int) -> tuple[str, str]:
        """Let the write of this number (from 0) fail, with an errno; else as :meth:`kill`."""
        return self._once(Moment(write=number + 1, error=error))

    def _once(self, moment: Moment) -> tuple[str, str]:
        self._begin()
        seen = watched(self.scene.words, self.work, self.scene.stdin, moment)
        shutil.rmtree(self.left, ignore_errors=True)
        shutil.copytree(self.work, self.left, symlinks=True)
        outcome = "?"
        try:
            outcome = self._outcome(seen.ended, moment)
            if seen.has_orphans:
                return outcome, f"{moment}: what it started lived on"
            self._again(outcome)
        except AssertionError as error:
            return outcome, f"{moment} of {self.seconds:.2f} s, {self.n_changes} and {self.n_writes}: {error}"
        return outcome, ""

    def _begin(self, anew: bool = False) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        if not anew:
            shutil.copytree(self.place / "before", self.work, symlinks=True)
            return
        (self.work / "home" / "kg_packs").mkdir(parents=True)
        (self.work / "graph.tsv").write_text(
            "\n".join(row for row in GRAPH.splitlines() if row.count("\t") == 2) + "\n"
        )
        (self.work / "more.tsv").write_text(_MORE)
        asked = (QUESTIONS[at % len(QUESTIONS)] for at in range(_N_ASKED))
        rows = ({"id": f"q{at}", "question": text, "answers": ["Ann Ray"]} for at, text in enumerate(asked))
        (self.work / "asked.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        from kgask.config import shipped_root

        os.link(shipped_root("model") / "reader" / "reader.gguf", self.work / "mine.gguf")

    def _whole(self, words: tuple[str, ...]) -> Ended:
        ended = run_whole(words, self.work, self.scene.stdin)
        if ended.code or ended.stopped:
            raise SystemExit(f"{' '.join(words)}: exit {ended.code}\n{ended.stderr}")
        return ended

    def _outcome(self, ended: Ended, moment: Moment) -> str:
        state = self.scene.state(self.work)
        if ended.code == 0:
            assert not broken(ended), ended.stderr[-300:]
            assert state == self.new, f"it ended well with {state}"
            return "too late"
        if moment.write is not None:
            assert not broken(ended) and ended.code == 1, f"exit {ended.code}: {ended.stderr[-300:]}"
            left = _names(self.work) - self.names - _names(self.place / "before")
            assert not left, f"left behind: {sorted(left)}"
        else:
            assert ended.code == -9, f"exit {ended.code}: {ended.stderr[-300:]}"
        if state in (self.old, self.new):
            return "new" if state == self.new else "old"
        is_part = self.scene.grows and state == self.new[: len(state)]
        is_step = self.scene.steps and _in_use(state) == _in_use(self.old)
        assert is_part or is_step, f"neither old nor new: {state}"
        return "part"

    def _again(self, outcome: str) -> None:
        """The same command again finishes what was killed, and nothing is left."""
        ended = run_whole(self.scene.words, self.work, self.scene.stdin)
        told = f"again: exit {ended.code}: {ended.stderr[-300:]}"
        assert not broken(ended), told
        is_done = outcome in ("new", "too late") and self.scene.again
        assert ended.code == 0 or (is_done and len(ended.stderr.splitlines()) == 1), told
        state = self.scene.state(self.work)
        if not self.scene.grows or ended.code:
            assert state == self.new, f"again: {state}"
        left = _names(self.work) - self.names
        assert not left, f"left behind: {sorted(left)}"


def _names(work: Path) -> frozenset[str]:
    """What is there, by its path; versions of a pack without their numbers."""
    found = set()
    for path in work.rglob("*"):
        parts = path.relative_to(work).parts
        is_version = any(part.endswith(".kgask-versions") for part in parts)
        found.add("/".join("N" if is_version and part.isdecimal() else part for part in parts))
    return frozenset(found)


def _versions(pack: Path) -> State:
    """Content hashes of all versions of a pack, each compared as ``pack check`` does; without those twice in a row."""
    from kgask.build.versions import history
    from kgask.pack.check import check_pack

    hashes: list[object] = []
    for version in history(pack):
        problems = check_pack(version.path)
        assert not problems, f"{version.path}: {problems[0]}"
        if not hashes or hashes[-1] != version.manifest["content_sha256"]:
            hashes.append(version.manifest["content_sha256"])
    return tuple(hashes)


def _packs(work: Path) -> State:
    """All packs that a user sees, in the folder and at home."""
    paths = [path for folder in (work, work / "home" / "kg_packs") for path in folder.iterdir()]
    found = [path for path in sorted(paths) if not path.name.startswith(".") and (path / "pack.json").exists()]
    half = [path for path in paths if path.is_dir() and path.name not in ("home", "run") and path not in found]
    assert not [path for path in half if not path.name.startswith(".")], f"half a pack: {half}"
    setting = work / "home" / "config.toml"
    return (*((path.name, _versions(path)) for path in found), setting.read_text() if setting.exists() else "")


def _in_use(state: State) -> list[object]:
    """The content of each pack that a user sees, without its name and earlier versions."""
    return [versions[-1] for _, versions in state[:-1]]  # type: ignore[misc]


def _archive(work: Path) -> State:
    """What is in the packed file: it unpacks whole."""
    from kgask.build.archive import unpack

    target = work / "unpacked"
    with open(work / "out.kgpack", "rb") as file:
        manifest = unpack("out.kgpack", file, target)
    shutil.rmtree(target)
    return (manifest["content_sha256"],)


def _models(work: Path) -> State:
    """Names and verdicts of the user's models."""
    from kgask.cli.models_about import role_of

    root = work / "home" / "models"
    found = sorted(path for path in root.iterdir() if not path.name.startswith(".")) if root.is_dir() else []
    sizes = [(path.name, role_of(path), (path / "mine.gguf").stat().st_size) for path in found]
    setting = work / "home" / "config.toml"
    return (*sizes, setting.read_text() if setting.exists() else "")


def _run(work: Path) -> State:
    """Predictions, line by line; whole lines only count."""
    path = work / "run" / "predictions.jsonl"
    return tuple(path.read_bytes().split(b"\n")[:-1]) if path.exists() else ()


def _talk(work: Path) -> State:
    """Lines of a conversation's file; a cut one is left out by who reads it."""
    path = work / "talk.jsonl"
    return tuple(path.read_bytes().split(b"\n")[:-1]) if path.exists() else ()


_BUILD, _MADE = ("pack", "build", "graph.tsv", "-o", "mine"), ("pack", "build", "more.tsv", "-n", "mine")
_SECOND, _CHOSEN = ("pack", "add", "graph.tsv", "--to", "mine"), ("pack", "default", "mine")
_PACKED, _ADDED = ("pack", "export", "mine", "out.kgpack"), ("models", "add", "mine.gguf")
_OLD = ("pack", "build", "more.tsv", "-o", "mine")
_BOTH = (_MADE, ("pack", "build", "graph.tsv", "-n", "graph"), ("pack", "build", "more.tsv", "-o", "both"))
_YES = ("mine", "--yes")
_ASKED = ("-p", "./mine", "--no-reader", "--no-judge")
_QUICK = (*_ASKED, "--method", "random")  # how a question is answered has nothing to do with how that is written
SCENES: dict[str, Scene] = {
    "build": Scene((*_BUILD, "--force"), _packs, (_OLD,)),
    "build new": Scene(_BUILD, _packs, again=True),
    "duckdb": Scene((*_BUILD, "--force", "--engine", "duckdb"), _packs, (_OLD,)),
    "add": Scene(_SECOND, _packs, (_MADE,)),
    "remove": Scene(("pack", "remove", "more.tsv", "--from", "mine"), _packs, (_MADE, _SECOND), again=True),
    "merge": Scene(("pack", "merge", "mine", "graph", "-o", "both", "--force"), _packs, _BOTH),
    "import": Scene(("pack", "import", "out.kgpack", "-n", "mine", "--force"), _packs, (_BUILD, _PACKED, _MADE)),
    "export": Scene((*_PACKED, "--force"), _archive, (_MADE, _PACKED, _SECOND)),
    "rename": Scene(("pack", "rename", "mine", "yours"), _packs, (_MADE, _SECOND, _CHOSEN), steps=True, again=True),
    "rollback": Scene(("pack", "rollback", "mine", "1"), _packs, (_MADE, _SECOND)),
    "delete": Scene(("pack", "delete", *_YES), _packs, (_MADE, _SECOND, _CHOSEN), steps=True, again=True),
    "default": Scene(_CHOSEN, _packs, (_MADE, ("pack", "default", "demo"))),
    "models add": Scene(_ADDED, _models, again=True),
    "models remove": Scene(("models", "remove", *_YES), _models, (_ADDED,), again=True),
    "eval run": Scene(("eval", "run", "jsonl", "asked.jsonl", *_QUICK, "-o", "run"), _run, (_BUILD,), grows=True),
    "chat": Scene(
        ("chat", *_ASKED, "--session", "talk.jsonl"),
        _talk,
        (_BUILD,),
        "".join(f"{line}\n" for line in _TALK).encode(),
        grows=True,
    ),
}
