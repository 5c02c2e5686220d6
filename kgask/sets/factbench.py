"""FactBench (Gerber et al. 2015): facts with the years in which they hold, true ones and corrupted ones.

The pack is all that is true; a claim is a fact in words. Which of a relation's wordings a fact gets is drawn by its
own words, so it is the same every time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets.claims import VERDICTS, GoldClaim
from kgask.sets.pack_lines import PackLines, literal
from kgask.sets.rows import in_data, lines_of

FACTS = "factbench/train.tsv.gz"
CORRUPTIONS = ("date", "range", "mix")  # the others are easy: a city as somebody's husband
_FIELDS = "label corruption relation subject property object from to subject_uri object_uri".split()
_RELATIONS = {  # property -> label
    "award": "award received", "birthPlace": "place of birth", "deathPlace": "place of death",
    "foundationPlace": "place of foundation", "office": "leader of", "team": "played for", "author": "author of",
    "spouse": "spouse", "starring": "starring", "subsidiary": "subsidiary",
}  # fmt: skip
_SAID = {  # property -> its wordings; {s} subject, {o} object, {when}
    "award": ("{s} was awarded the {o} {when}.", "{s} received the {o} {when}.", "The {o} went to {s} {when}.",
              "{s} won the {o} {when}."),
    "birthPlace": ("{s} was born in {o} {when}.", "{o} is where {s} was born {when}.",
                   "{s} came into the world in {o} {when}."),
    "deathPlace": ("{s} died in {o} {when}.", "{o} is where {s} died {when}.", "{s} passed away in {o} {when}."),
    "foundationPlace": ("{s} was founded in {o} {when}.", "{s} was established in {o} {when}.",
                        "It was in {o} that {s} was set up {when}."),
    "office": ("{s} led {o} {when}.", "{s} was the leader of {o} {when}.", "{o} was governed by {s} {when}."),
    "team": ("{s} played for the {o} {when}.", "{s} was on the team of the {o} {when}.",
             "The {o} had {s} as a player {when}."),
    "author": ("{s} wrote {o}, published {when}.", "{s} is the author of {o}, which came out {when}.",
               "{o} by {s} was published {when}."),
    "spouse": ("{s} was married to {o} {when}.", "{o} was the spouse of {s} {when}.",
               "{s} and {o} were married {when}."),
    "starring": ("{o} starred in {s} {when}.", "{s}, released {when}, stars {o}.", "{o} acted in {s} {when}."),
    "subsidiary": ("{o} became a subsidiary of {s} {when}.", "{s} acquired {o} {when}.",
                   "{o} has belonged to {s} since {year}."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the set."""

    is_true: bool
    corruption: str
    subject: str
    relation: str
    object: str
    begun: str  # a year, of true facts sometimes the day
    ended: str

    @property
    def when(self) -> str:
        begun, ended = self.begun[:4], self.ended[:4]
        return f"in {begun}" if begun == ended else f"from {begun} to {ended}"


def factbench(data: Path) -> PackLines:
    """All true facts; the years are qualifiers."""
    lines = PackLines()
    for one in facts(in_data(data, FACTS)):
        if one.is_true:
            begun, ended = literal("date", one.begun), literal("date", one.ended)
            years = [("point in time", begun)] if begun == ended else [("start time", begun), ("end time", ended)]
            lines.add(one.subject, one.relation, one.object, years)
            lines.relations[one.relation] = _RELATIONS[one.relation]
    return lines


def claims(path: Path) -> list[GoldClaim]:
    """As many true facts as corrupted ones of the informative kinds, in words.

    Corruptions of each kind take turns; those that are true after all are left out.
    """
    every = list(facts(path))
    true = [one for one in every if one.is_true]
    known = {(one.subject, one.relation, one.object, one.begun, one.ended) for one in true}
    kinds = [[one for one in every if one.corruption == kind] for kind in CORRUPTIONS]
    wrong = [one for turn in zip_longest(*map(_shuffled, kinds)) for one in turn if one is not None]
    wrong = [one for one in wrong if (one.subject, one.relation, one.object, one.begun, one.ended) not in known]
    return [_claim(one) for one in (*true, *wrong[: len(true)])]


def facts(path: Path) -> Iterator[Fact]:
    """Raises UsageError for what is no such file."""
    rows = ((number, line.split("\t")) for number, line in lines_of(path))
    for number, row in rows:
        if len(row) != len(_FIELDS) or (number == 1 and row != _FIELDS):
            raise UsageError(f"{path}:{number}: expected {', '.join(_FIELDS)}")
        if number > 1:
            label, corruption, _, subject, name, target, begun, ended, *_ = (" ".join(one.split()) for one in row)
            if label not in VERDICTS or name not in _RELATIONS:
                raise UsageError(f"{path}:{number}: no fact of FactBench")
            if subject != target:  # of a publication the set has the book twice: that says nothing
                yield Fact(label == "supported", corruption, subject, name, target, begun, ended)


def _claim(one: Fact) -> GoldClaim:
    forms = _SAID[one.relation]
    form = forms[_drawn(one) % len(forms)]
    text = form.format(s=one.subject, o=one.object, when=one.when, year=one.begun[:4])
    verdict = VERDICTS["supported" if one.is_true else "refuted"]
    return GoldClaim(text[0].upper() + text[1:], one.corruption or "true", verdict, None)


def _shuffled(several: list[Fact]) -> list[Fact]:
    return sorted(several, key=_drawn)


def _drawn(one: Fact) -> int:
    return zlib.crc32(f"{one.corruption} {one.subject} {one.relation} {one.object} {one.begun} {one.ended}".encode())
