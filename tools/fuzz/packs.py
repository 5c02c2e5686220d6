"""Packs with a changed file."""

from __future__ import annotations

import random
from pathlib import Path

import classify
from changes import change, linked
from children import run_all
from classify import Verdict
from samples import QUESTIONS
from seal import seal_pack
from world import Case, World, build_sample

DEMO_QUESTIONS = (
    "who wrote Lady Susan?", "What is the capital of Kenya?", "Which countries border Austria?",
    "How many countries border Germany?", "when was Jane Austen born?", "Which is the largest country in Africa?",
)  # fmt: skip
STAFF_QUESTIONS = (
    "who is the boss of Zoé Müller 2?", "how old is Bob Stone 1?", "what is the height of Ann Reed 0?",
    "how many people work in Sales?", "when did Zoé Müller 2 start?", "what is the motto of Zoé Müller 2?",
)  # fmt: skip
CHECK = ("pack", "check")
DOCTOR = ("doctor",)  # tries models in processes of their own, which takes seconds: seldom
_CLAIMS = (
    "Ann Ray directed Harbour Lights.",
    "Carl Moss directed Harbour Lights.",
    "Ann Ray is the spouse of Bob Stone.",
)


class Packs(World):
    """A pack with a changed file; in every fourth case its hashes are made to fit, as an enemy does."""

    asked, shown = QUESTIONS, "Harbour Lights"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pack = self._pack()
        pairs = [self.asked[at : at + 2] for at in range(0, len(self.asked), 2)]
        self.questions = [self.lines(f"questions{at}.txt", pair) for at, pair in enumerate(pairs)]
        self.claims = self.lines("claims.txt", _CLAIMS)
        self.asks = [("ask", "--questions", pair, "--json", "--no-reader") for pair in self.questions]
        self.others = self._others()
        self.base = {words: self.said(*self._words(words, self.pack)) for words in (*self.asks, CHECK, *self.others)}

    def _pack(self) -> Path:
        return build_sample(self.folder)

    def _others(self) -> list[tuple[str, ...]]:
        return [
            ("pack", "show", self.shown), ("pack", "info", "--relations"), ("pack", "search", "an"), ("pack", "export"),
            ("verify", "--claims", self.claims), ("query", "count(follow(<Ann Ray>, ^<director>))"),
            ("ask", "who directed Harbour Lights?", "--explain"),
            ("prompt", "who directed Harbour Lights?"),
            ("ask", "--method", "similarity", "--no-reader", "--questions", self.questions[0], "--json"),
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
        linked(self.pack, pack, [name])
        before = (pack / name).read_bytes()
        found = Case(f"{name}: {change(rng, pack / name)}", files=[pack / name])
        is_file = (pack / name).is_file() and not (pack / name).is_symlink()
        if is_file and (pack / name).read_bytes() == before:
            return found
        sealed = rng.random() < 0.25 and is_file and seal_pack(pack, keep_manifest=name == "pack.json")
        found.change += " (hashes made to fit)" * sealed
        other = rng.choice(self.others) if rng.random() < 0.997 else DOCTOR
        commands = (rng.choice(self.asks), CHECK, other)
        for words, ended in zip(
            commands, run_all([self._words(words, pack) for words in commands], place), strict=True
        ):
            if words == CHECK:
                outcome = classify.of_check(ended, sealed)
            elif words == DOCTOR:  # what it says depends on how busy the machine is
                outcome = classify.broken(ended) or (classify.ERROR if ended.code else classify.OTHER)
            elif "--json" in words:
                outcome = classify.of_answers(self.base[words], ended, sealed)
            else:
                has_path = words[0] == "pack" and words[1] != "show"
                outcome = classify.of_text(self.base[words], ended, sealed or has_path)
            found.verdicts.append(Verdict(outcome, ended))
        return found


class Demo(Packs):
    """The demo pack, linked; only the changed file is a copy."""

    asked, shown = DEMO_QUESTIONS, "Lady Susan"

    def _pack(self) -> Path:
        from kgask.config import shipped_root

        return shipped_root("pack") / "demo"

    def _others(self) -> list[tuple[str, ...]]:
        return [("pack", "show", self.shown), ("pack", "search", "jane austen")]


class Older(Packs):
    """A pack of format 1, which kgask before 0.3 wrote (:mod:`tests.staff_pack`)."""

    asked, shown = STAFF_QUESTIONS, "Zoé Müller 2"

    def _pack(self) -> Path:
        from kgask.build.archive import unpack

        archive = Path(__file__).parents[2] / "tests" / "data" / "format_1.kgpack"
        with archive.open("rb") as file:
            unpack(archive.name, file, self.folder / "older")
        return self.folder / "older"

    def _others(self) -> list[tuple[str, ...]]:
        return [
            ("pack", "show", self.shown), ("pack", "info", "--relations"), ("pack", "search", "ann"),
            ("pack", "export"), ("query", "count(having(<boss>))"), ("prompt", STAFF_QUESTIONS[0]),
        ]  # fmt: skip
