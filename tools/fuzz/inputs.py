"""Words that nobody means well."""

from __future__ import annotations

import random
from pathlib import Path

import classify
import mutate
from children import run
from classify import Verdict
from samples import QUESTIONS
from world import Case, World, build_sample


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
