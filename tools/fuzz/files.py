"""Every other file that a command is given: settings, mappings, patches, packed packs, signatures, sessions, lists."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import classify
from changes import change
from children import run
from classify import Verdict
from samples import GRAPH, QUESTIONS, write_sources
from world import Case, World, build_sample

_NAME = "who directed Harbour Lights?"
_PATCH = "+\ttriple\tAnn Ray\tknows\tEve Lund\n-\ttriple\tAnn Ray\tspouse\tBob Stone\n"
_GOLD = f'{{q: "{_NAME}", kind: one_hop, gold: "follow(<Harbour Lights>, <director>)"}}'
_HOLDS = "holds(<Harbour Lights>, <director>, <Ann Ray>)"
_CLAIM = f'{{claim: "Ann Ray directed it.", kind: one_hop, verdict: supported, gold: "{_HOLDS}"}}'
_ROW = {"id": "q1", "question": _NAME, "answers": ["Ann Ray"], "topics": ["Harbour Lights"]}
_TALK = f"{_NAME}\nwhere was she born?\nhow many films did Ann Ray direct?\n"
_ASKED = ("-p", "PACK", "--no-reader", "--no-judge")
TEXTS = {
    "questions.txt": "\n".join(QUESTIONS[:3]) + "\n",
    "claims.txt": "Ann Ray directed Harbour Lights.\nCarl Moss directed Harbour Lights.\n",
    "set.jsonl": json.dumps(_ROW) + "\n",
    "set.tsv": f"question\tanswers\n{_NAME}\tAnn Ray\n",
    "gold.yaml": f"- {_GOLD}\n", "claims.yaml": f"- {_CLAIM}\n", "turns.yaml": f"- turns:\n  - {_GOLD}\n",
    "patch.tsv": _PATCH, "config.toml": 'pack = "demo"\nreader = "none"\ngpu_layers = 0\n',
    "labels.tsv": "Ann Ray\tAnnabel Ray\nCork\tCork City\n", "aliases.tsv": "Ann Ray\tA. Ray|Annie\n",
    "descriptions.tsv": "Ann Ray\ta director\n", "passages.tsv": "Ann Ray|Cork\tAnn Ray was born in Cork.\n",
    "relations.tsv": "director\tdirected by\tdirector|made by\twho directed it\tdirector of\n",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Given:
    """A file of this name, and a command that takes it: FILE stands for its path, PACK for a pack, COPY for one that
    may be changed, and HERE for the folder of all files. ``result`` is a pack that it may write."""

    name: str
    words: tuple[str, ...]
    stdin: bytes = b""
    result: str = ""
    is_signed: bool = False  # so that only what was signed may come of it


_BUILT = ("pack", "build", "HERE/graph.tsv", "-o", "built", "--force")
_SIGNED = ("pack", "import", "graph.kgpack", "-o", "built", "--verify", "key.pub")
GIVEN = (
    Given("questions.txt", ("ask", "--questions", "FILE", *_ASKED)),
    Given("questions.txt", ("ask", "--json", *_ASKED, "--questions", "FILE")),
    Given("claims.txt", ("verify", "--claims", "FILE", "-p", "PACK")),
    *(Given(f"set.{kind}", ("eval", "run", kind, "FILE", *_ASKED, "-o", "run")) for kind in ("jsonl", "tsv")),
    Given("gold.yaml", ("eval", "run", "everyday", "FILE", *_ASKED)),
    Given("claims.yaml", ("eval", "run", "claims", "FILE", *_ASKED)),
    Given("turns.yaml", ("eval", "run", "conversations", "FILE", *_ASKED)),
    Given("predictions.jsonl", ("eval", "score", "run")),
    Given("predictions.jsonl", ("eval", "run", "jsonl", "HERE/set.jsonl", *_ASKED, "-o", "run")),
    Given("run.json", ("eval", "score", "run")),
    Given("run.json", ("eval", "run", "jsonl", "HERE/set.jsonl", *_ASKED, "-o", "run")),
    Given("talk.jsonl", ("chat", "--session", "FILE", "-p", "PACK", "--no-reader"), b"and when?\n/undo\n"),
    Given("config.toml", ("ask", "--no-reader", _NAME)), Given("config.toml", ("pack", "default", "demo")),
    Given("mapping.toml", ("pack", "build", "HERE/a.sqlite", "--mapping", "FILE", "-o", "built"), result="built"),
    Given("patch.tsv", ("pack", "update", "FILE", "COPY"), result="copy"),
    Given("patch.tsv", ("pack", "update", "FILE", "COPY", "--skip-errors"), result="copy"),
    *(Given(f"{kind}.tsv", (*_BUILT, f"--{kind}", "FILE"), result="built")
      for kind in ("labels", "aliases", "descriptions", "relations", "passages")),
    *(Given("graph.kgpack", ("pack", "import", "FILE", "-o", "built"), result="built", is_signed=True),) * 4,
    *(Given(name, _SIGNED, result="built", is_signed=True)
      for name in ("graph.kgpack", "graph.kgpack.minisig", "key.pub")),
    Given("key", ("pack", "export", "PACK", "out.kgpack", "--sign", "FILE")),
)  # fmt: skip
_OF_RUN = ("predictions.jsonl", "run.json")


class Files(World):
    """A file that a command is given, changed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pack, self.here = build_sample(folder), folder / "here"
        self.here.mkdir()
        write_sources(self.here)
        plain = "".join(line + "\n" for line in GRAPH.splitlines() if line.count("\t") == 2)
        for name, text in {**TEXTS, "graph.tsv": plain}.items():
            (self.here / name).write_text(text, encoding="utf-8")
        self.made("pack", "map", str(self.here / "a.sqlite"), "-o", "mapping.toml")
        self.made("pack", "keygen", "key", "--no-passphrase")
        self.made("pack", "export", str(self.pack), "graph.kgpack", "--sign", "key")
        self.made("chat", "--session", "talk.jsonl", "-p", str(self.pack), "--no-reader", stdin=_TALK.encode())
        asked = [word.replace("PACK", str(self.pack)) for word in _ASKED]
        self.made("eval", "run", "jsonl", "set.jsonl", *asked, "-o", "run")

    def made(self, *words: str, stdin: bytes = b"") -> None:
        ended = run(words, self.here, stdin)
        if ended.code:
            raise SystemExit(f"{' '.join(words)}: exit {ended.code}\n{ended.stderr}")

    def case(self, rng: random.Random, place: Path) -> Case:
        given = rng.choice(GIVEN)
        shutil.copytree(self.here / "run", place / "run")
        for name in ("graph.kgpack", "graph.kgpack.minisig", "key.pub", "key"):
            shutil.copy(self.here / name, place / name)
        path = place / "run" / given.name if given.name in _OF_RUN else place / given.name
        if not path.exists():
            shutil.copyfile(self.here / given.name, path)
        found = Case(f"{given.name}: {change(rng, path)}", files=[path])
        if "COPY" in given.words:
            shutil.copytree(self.pack, place / "copy")
        ended = run(self._words(given, path, place), place, given.stdin, **self._settings(given, place))
        outcome = classify.broken(ended, "--json" in given.words) or (classify.ERROR if ended.code else classify.OTHER)
        found.verdicts.append(Verdict(outcome, ended))
        if given.result and (place / given.result).exists():
            checked = run(["pack", "check", str(place / given.result)], place)
            found.verdicts.append(Verdict(self._of_result(given, ended.code, place, checked.code), checked))
        return found

    def _words(self, given: Given, path: Path, place: Path) -> list[str]:
        paths = {"FILE": str(path), "PACK": str(self.pack), "COPY": str(place / "copy")}
        return [paths.get(word, word.replace("HERE/", f"{self.here}/")) for word in given.words]

    def _settings(self, given: Given, place: Path) -> dict[str, str]:
        return {"KGASK_HOME": str(place)} if given.name == "config.toml" else {}

    def _of_result(self, given: Given, code: int, place: Path, checked: int) -> str:
        """Of a pack that is there when the command has ended: it is whole, and the one that was signed."""
        if checked:
            return classify.WRONG
        if given.is_signed and (code or _content(place / given.result) != _content(self.pack)):
            return classify.WRONG
        return classify.RIGHT


def _content(pack: Path) -> str:
    return str(json.loads((pack / "pack.json").read_bytes())["content_sha256"])
