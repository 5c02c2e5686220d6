"""What is fuzzed: for each kind something small and whole, and what is done with it once something is changed."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import classify
import mutate
from children import Ended, run
from classify import Verdict
from databases import database
from samples import GRAPH, QUESTIONS, TEXTS, write_sources
from seal import seal_model, seal_pack

DEMO_QUESTIONS = (
    "who wrote Lady Susan?", "What is the capital of Kenya?", "Which countries border Austria?",
    "How many countries border Germany?", "when was Jane Austen born?", "Which is the largest country in Africa?",
)  # fmt: skip
_CLAIMS = (
    "Ann Ray directed Harbour Lights.",
    "Carl Moss directed Harbour Lights.",
    "Ann Ray is the spouse of Bob Stone.",
)


@dataclass(slots=True)
class Case:
    """One changed file (or input), and how each command took it."""

    change: str
    verdicts: list[Verdict] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)  # what was changed


class World:
    """A kind of thing to fuzz. ``folder`` is its own; a case is made in a new folder and removed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    def case(self, rng: random.Random, place: Path) -> Case:
        raise NotImplementedError

    def lines(self, name: str, lines: tuple[str, ...]) -> str:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    def said(self, *words: str, stdin: bytes = b"") -> Ended:
        """A command where nothing is changed, which has to go well."""
        ended = run(words, self.folder, stdin)
        if ended.code or ended.stopped:
            raise SystemExit(f"{' '.join(words)}: exit {ended.code}\n{ended.stderr}")
        return ended


def build_sample(folder: Path) -> Path:
    """The small pack: about 200 triples of all kinds, with texts and passages."""
    from kgask.build.recipe import Recipe, build

    (folder / "graph.tsv").write_text(GRAPH, encoding="utf-8")
    texts = []
    for kind, content in TEXTS.items():
        (folder / f"{kind}.tsv").write_text(content, encoding="utf-8")
        texts.append((kind, str(folder / f"{kind}.tsv")))
    columns = ("subject", "relation", "object", "qualifier", "value", "...")
    recipe = Recipe((str(folder / "graph.tsv"),), folder / "sample", columns=columns, texts=tuple(texts))  # type: ignore[arg-type]
    build(recipe, print)
    return folder / "sample"


def change(rng: random.Random, path: Path) -> str:
    """Change a file in place, as its kind allows; at times it becomes no file at all."""
    odd = rng.random()
    if odd < 0.03:
        return _replaced(rng, path)
    if path.suffix == ".sqlite" and odd < 0.6:
        return database(rng, path)
    kinds: tuple[mutate.Change, ...] = mutate.BYTES
    if path.suffix == ".npy" and odd < 0.4:
        kinds = (mutate.npy,)
    elif path.suffix == ".json" and odd < 0.7:
        kinds = (mutate.json_value,)
    data = path.read_bytes()
    new, how = rng.choice(kinds)(rng, data or b"\0")
    _write(path, new)
    return how


def _write(path: Path, data: bytes) -> None:
    path.unlink()  # it may be a link to the one that ships
    path.write_bytes(data)


def _replaced(rng: random.Random, path: Path) -> str:
    path.unlink()
    kind = rng.choice(["nothing", "folder", "pipe", "device", "loop", "empty"])
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind in ("device", "loop"):
        path.symlink_to("/dev/zero" if kind == "device" else path)
    elif kind == "empty":
        path.touch()
    return f"{kind} in its place"


def linked(source: Path, target: Path, names: list[str]) -> None:
    """A folder of the same files; those named are copies."""
    target.mkdir()
    for path in source.iterdir():
        if path.is_file():
            if path.name in names:
                shutil.copyfile(path, target / path.name)
            else:
                os.link(path, target / path.name)


class Packs(World):
    """A pack with a changed file; in every fourth case its hashes are made to fit, as an enemy does."""

    asked, shown = QUESTIONS, "Harbour Lights"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pack = self._pack()
        self.questions = self.lines("questions.txt", self.asked)
        self.claims = self.lines("claims.txt", _CLAIMS)
        self.base = {words: self.said(*self._words(words, self.pack)) for words in self._commands()}

    def _pack(self) -> Path:
        return build_sample(self.folder)

    def _commands(self) -> list[tuple[str, ...]]:
        return [
            ("ask", "--questions", self.questions, "--json", "--no-reader"), ("pack", "check"),
            ("pack", "show", self.shown), ("pack", "info", "--relations"), ("pack", "search", "an"), ("pack", "export"),
            ("verify", "--claims", self.claims), ("query", "count(follow(<Ann Ray>, ^<director>))"),
            ("ask", "who directed Harbour Lights?", "--explain"), ("doctor",), ("prompt",
            "who directed Harbour Lights?"),
            ("ask", "--method", "similarity", "--no-reader", "--questions", self.questions, "--json"),
        ]  # fmt: skip

    @staticmethod
    def _words(words: tuple[str, ...], pack: Path) -> list[str]:
        if words[0] == "pack":
            return [*words[:2], *words[2:], "-p", str(pack)] if words[1] in ("show", "search") else [
                *words[:2], str(pack), *words[2:]]  # fmt: skip
        return [*words, "-p", str(pack)]

    def case(self, rng: random.Random, place: Path) -> Case:
        names = sorted(path.name for path in self.pack.iterdir())
        name = rng.choice([*names, "names.sqlite", "names.sqlite", "pack.json"])
        pack = place / "pack"
        linked(self.pack, pack, names if self.pack.is_relative_to(self.folder) else [name])
        before = (pack / name).read_bytes()
        found = Case(f"{name}: {change(rng, pack / name)}", files=[pack / name])
        is_file = (pack / name).is_file() and not (pack / name).is_symlink()
        if is_file and (pack / name).read_bytes() == before:
            return found
        sealed = rng.random() < 0.25 and is_file and seal_pack(pack, keep_manifest=name == "pack.json")
        found.change += " (hashes made to fit)" * sealed
        ask, check, *others = self.base
        for words in (ask, check, rng.choice(others)):
            ended, base = run(self._words(words, pack), place), self.base[words]
            if words == check:
                outcome = classify.of_check(ended, sealed)
            elif "--json" in words:
                outcome = classify.of_answers(base, ended, sealed)
            else:
                has_path = words[0] in ("doctor", "pack") and words[1:2] != ("show",)
                outcome = classify.of_text(base, ended, sealed or has_path)
            found.verdicts.append(Verdict(outcome, ended))
        return found


class Demo(Packs):
    """The demo pack, linked; only the changed file is a copy."""

    asked, shown = DEMO_QUESTIONS, "Lady Susan"

    def _pack(self) -> Path:
        from kgask.config import shipped_root

        return shipped_root("pack") / "demo"

    def _commands(self) -> list[tuple[str, ...]]:
        words = super()._commands()
        return [words[0], ("pack", "check"), ("pack", "show", self.shown), ("pack", "search", "jane austen")]


class Models(World):
    """A model with a changed file; in every second case its card is made to fit."""

    def __init__(self, folder: Path, shipped: str, option: str, check: bool = True) -> None:
        from kgask.config import shipped_root

        super().__init__(folder)
        self.model, self.option, self.check = shipped_root("model") / shipped, option, check
        self.pack = build_sample(folder)
        questions = self.lines("questions.txt", QUESTIONS)
        reader = () if option == "--reader" else ("--no-reader",)
        self.words = ("ask", "--questions", questions, "--json", "-p", str(self.pack), *reader)
        self.base = self.said(*self.words)

    def case(self, rng: random.Random, place: Path) -> Case:
        names = sorted(path.name for path in self.model.iterdir() if path.is_file())
        name, model = rng.choice([*names, "model.json"]), place / "model"
        linked(self.model, model, [name])
        before = (model / name).read_bytes()
        found = Case(f"{name}: {change(rng, model / name)}", files=[model / name])
        is_file = (model / name).is_file() and not (model / name).is_symlink()
        if is_file and (model / name).read_bytes() == before:
            return found
        sealed = rng.random() < 0.5 and is_file and name != "model.json" and seal_model(model)
        found.change += " (card made to fit)" * sealed
        ended = run([*self.words, self.option, str(model)], place)
        # What a card says beside hashes is no answer: thresholds, notes.
        is_another = sealed or name == "model.json"
        found.verdicts.append(Verdict(classify.of_answers(self.base, ended, is_another), ended))
        if rng.random() < 0.3:
            ended = run(["models", "show", str(model)], place)
            found.verdicts.append(Verdict(classify.broken(ended) or classify.OTHER, ended))
        return found


class Sources(World):
    """A source with a changed file, built into a pack."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.sources = write_sources(folder)
        self.whole = {path: self._built(path, folder / "whole", folder)[1] for path in self.sources}
        if None in self.whole.values():
            raise SystemExit(f"no pack from {[str(path) for path, found in self.whole.items() if found is None]}")

    @staticmethod
    def _built(path: Path, target: Path, place: Path, *more: str) -> tuple[Ended, str | None]:
        ended = run(["pack", "build", str(path), "-o", str(target), "--force", *more], place)
        manifest = target / "pack.json"
        return ended, json.loads(manifest.read_bytes())["content_sha256"] if manifest.exists() else None

    def case(self, rng: random.Random, place: Path) -> Case:
        source = rng.choice(self.sources)
        path = place / source.name
        shutil.copyfile(source, path)
        data, odd = path.read_bytes(), rng.random()
        if odd < 0.03:
            how, new = _replaced(rng, path), b""
        elif path.suffix == ".sqlite" and odd < 0.5:
            how, new = database(rng, path), b""
        else:
            kinds: tuple[mutate.Change, ...] = mutate.BYTES
            if path.suffix not in (".sqlite", ".gz", ".bz2", ".xz") and odd < 0.6:
                kinds = (mutate.text, mutate.text, mutate.lines)
            if path.suffix in (".json", ".jsonld") and odd < 0.3:
                kinds = (mutate.json_value,)
            new, how = rng.choice(kinds)(rng, data)
            path.write_bytes(new)
        more = ["--skip-errors"] if rng.random() < 0.3 else []
        ended, built = self._built(path, place / "pack", place, *more)
        is_cut = "cut to" in how and bool(new) and data.startswith(new) and not new.endswith((b"\n", b" .", b"}", b">"))
        found = Case(f"{source.name}: {how} {' '.join(more)}", files=[path])
        found.verdicts.append(Verdict(classify.of_build(self.whole[source], built, ended, is_cut), ended))
        if built is not None:
            ended = run(["pack", "check", str(place / "pack")], place)
            found.verdicts.append(Verdict(classify.broken(ended) or (classify.WRONG if ended.code else "right"), ended))
        return found


class Inputs(World):
    """Questions, claims, turns, queries and words of the command line that nobody means well."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pack = str(build_sample(folder))

    def case(self, rng: random.Random, place: Path) -> Case:
        made = rng.choice([_as_text, _as_text, _as_bytes])(rng)
        word = made.replace(b"\0", b"").decode("utf-8", "surrogateescape")[:60_000]
        ways: list[tuple[list[str], bytes]] = [
            (["ask", "--no-reader"], made), (["ask", "--json", "--no-reader"], made), (["verify"], made),
            (["chat"], made),
            (["chat", "--json"], made), (["ask", "--no-reader", "--", word], b""), (["verify", "--", word], b""),
            (["query", "--", word], b""), (["ask", "--no-reader", "--entity", word, "who directed it?"], b""),
            (["pack", "search", word], b""), (["pack", "show", word], b""), (["prompt", "--", word], b""),
            (["ask", "--no-reader", "--explain", "--", word], b""), (["ask", "--no-reader", "--format", "csv"], made),
        ]  # fmt: skip
        words, stdin = rng.choice(ways)
        at = words.index("--") if "--" in words else len(words)
        ended = run([*words[:at], "-p", self.pack, *words[at:]], place, stdin)
        (place / "input").write_bytes(made)
        outcome = classify.broken(ended, "--json" in words) or ("right" if not ended.code else "refused")
        return Case(f"{' '.join(words[:2])} <- {made[:60]!r}", [Verdict(outcome, ended)], [place / "input"])


_PIECES = (
    "who", "directed", "Harbour Lights", "Ann Ray", "Bob Stone", "?", "and", "not", "more than", "9" * 5000,
    "1e400", "\x00",
    "\x1b[31m", "\u202e", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "<script>", "{{7*7}}",
    "' OR 1=1 --",
    '"' * 50, "(" * 3000, "a" * 3000, "\n", "\r", "\t", "/quit", "/save /dev/full", "/load /dev/zero", "#12",
    "#-1", "#" + "9" * 40,
    "~nosuch/x", "follow(", "count(", "<", ">", "^", "^^date", "in 99999", "-44 BCE", "February 30 1900",
    "the 10th largest",
    "half of", "10^400", "1/0", "é" * 500, "İ" * 200, "\u0301" * 300, "%s%n", "{0}", "which of them", "he",
    "no, I meant", "%",
    "before 1999", "Ann Ray's spouse's spouse's spouse's", "films that", "the first", "square root of -1", "∞",
    "½", "²", "０９",
)  # fmt: skip


def _as_text(rng: random.Random) -> bytes:
    words = rng.choices(_PIECES, k=rng.randrange(1, 9))
    return (rng.choice([" ", " ", ""]).join(words) + rng.choice(["?", "", "\n"])).encode("utf-8", "surrogatepass")


def _as_bytes(rng: random.Random) -> bytes:
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 400))
    if kind == 1:
        return bytes(rng.choice([1, 100, 5_000_000]))
    if kind == 2:
        return rng.choice([b"a ", b"who ", b"\n", b"(", b"\xff"]) * rng.choice([10, 900, 20_000])
    return mutate.flip(rng, rng.choice(QUESTIONS).encode())[0]


WORLDS: dict[str, Callable[[Path], World]] = {
    "packs": Packs,
    "demo": Demo,
    "planners": lambda folder: Models(folder, "rigel", "--model"),
    "judges": lambda folder: Models(folder, "judge", "--judge"),
    "readers": lambda folder: Models(folder, "reader", "--reader"),
    "sources": Sources,
    "inputs": Inputs,
}
