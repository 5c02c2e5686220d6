"""Filling the slots of one template: what each stands for, how it is said, and the steps it gives.

While a question is written, an operand is one character of a private range: no word of the text can be mistaken for
it, and what is done to the words around it (articles, typing errors) leaves it whole.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgask.corpus import operator_values as values
from kgask.corpus.compose import Composer
from kgask.corpus.examples import MASK, Step
from kgask.corpus.measures import several
from kgask.corpus.operator_files import SLOT, Entry, Line, Template, path_of
from kgask.corpus.operator_words import ClassWords, Lexicons
from kgask.link.values import value_spans
from kgask.query.postfix import OPERATORS

PRIVATE = 0xE000  # first character of the private range of Unicode
APPOSED, NESTED = 0.05, 0.12  # shares of the named things said as "the river [MASK]" and "the director of [MASK]"
EXPLAINED, PLAIN = 0.6, 0.85  # shares of adjectives of several measures whose meaning is told, or is the usual one
COUNTED_UNITLESS = 0.9
UNITLESS = 0.15  # share of the measured numbers without their unit
DATED, YEARS = "FBM", 0.06  # types of what may be named with its year, which then only says which is meant
SINGLE_ENDS = "PCLO"  # types of what one thing has one of: its director, its capital
TYPED = (
    "measure",
    "links",
    "branch",
    "set",
    "both",
    "either",
    "except",
    "neither",
    "class",
)  # slots that are about things of the template's type
ENDING = ("branch", "set")  # what may be long at the end of a question
CHOSEN_FIRST = (*TYPED, "fact", "rel")  # what values and qualifiers must fit
ENTITY, CLASS, NUMBER, DATE, RANK = "entity", "class", "number", "date", "rank"
Token = str | Step | int
_LEADS = re.compile(r"(^|\b(list|name|find|me|count|are|among|display|r) )\{(set|members)\d?\}")
SUBSTITUTE = re.compile("[\ue000-\ue0ff]")


class UnfitError(Exception):
    """Nothing fits a slot, or a wording and its steps do not go together: another draw is made."""


@dataclass(slots=True)
class Bound:
    """What a slot stands for in one question."""

    steps: tuple[Token, ...]
    say: Callable[[str], str]  # form -> text
    entry: Entry | None = None


class Filling:
    """One template being filled."""

    def __init__(
        self, lexicons: Lexicons, words: ClassWords, paths: Composer, rng: random.Random, letter: str, typed: bool
    ) -> None:
        self.lexicons, self.words, self.paths, self.rng = lexicons, words, paths, rng
        self.letter, self.typed = letter, typed
        self.operands: list[tuple[str, str]] = []  # (text, kind), in the order of their characters
        self.bound: dict[str, Bound] = {}
        self.wanted: dict[str, set[str]] = {}
        self.used: set[tuple[Step, ...]] = set()
        self.last, self.is_last = "", False  # the last noun phrase or branch; whether that is being filled
        self.leads = False  # whether no article stands before the noun phrases of the wording
        self.fixed: set[str] = set()  # keys of relations that the template itself names

    # --- text -----------------------------------------------------------------------------

    def fill(self, template: Template, line: Line) -> tuple[str, tuple[Token, ...]]:
        """The wording with characters for operands, and the steps; raises :class:`UnfitError`."""
        self.wanted = dict(line.wanted)
        said = [kind + number for kind, number, _ in SLOT.findall(line.text) if kind in ENDING]
        self.last = said[-1] if said else ""
        self.leads = bool(_LEADS.search(line.text))
        self.fixed = {step.removeprefix("^") for step in template.steps}
        for kind in CHOSEN_FIRST:
            for slot in line.wanted:
                if kind_of(slot) == kind:
                    self.bind(slot)
        text = self.expand(line.text)
        steps = self.steps(template.steps)
        written = {ord(char) - PRIVATE for char in SUBSTITUTE.findall(text)}
        if any(isinstance(step, int) and step not in written for step in steps):
            raise UnfitError("an operand of the steps is not in the text")
        return text, steps

    def expand(self, text: str) -> str:
        """All slots replaced, those inside of forms too."""
        return SLOT.sub(self._expanded, text)

    def _expanded(self, found: re.Match[str]) -> str:
        slot, form = found[1] + found[2], found[3] or ""
        self.wanted.setdefault(slot, {form})  # of a slot inside of a form
        return self.expand(self.bind(slot).say(form))

    def steps(self, tokens: Sequence[str]) -> tuple[Token, ...]:
        """Steps of the template, slots resolved; without a class where the pack has no types."""
        made: list[Token] = []
        for token in self._without_class(tokens) if not self.typed else tokens:
            if found := SLOT.fullmatch(token.removeprefix("^")):
                if found[1] + found[2] not in self.bound:
                    raise UnfitError(token)
                steps = self.bound[found[1] + found[2]].steps
                made += reversed_path(steps) if token.startswith("^") else steps
            elif token in OPERATORS:
                made.append(token)
            else:
                made += path_of(token)
        return tuple(made)

    def _without_class(self, tokens: Sequence[str]) -> list[str]:
        """No class to point at: the first branch stands alone, else whatever has the relation that it is judged by."""
        tokens = list(tokens)
        if not any(token.startswith("{class") for token in tokens):
            return tokens
        if tokens[0] != "{class}" or "{class}" in tokens[1:] or "THING" in tokens:
            raise UnfitError("a class that cannot be left out")
        if tokens[1:2] and tokens[1].startswith("{branch"):
            if tokens[2] == "AND":
                return [tokens[1], *tokens[3:]]
            if tokens[3:5] == ["OR", "AND"]:
                return [*tokens[1:4], *tokens[5:]]
        for token in tokens[1:]:
            found = SLOT.fullmatch(token)
            if found and found[1] in ("measure", "links", "branch"):
                entry = self.bind(found[1] + found[2]).entry
                assert entry is not None
                key, inverse = entry.path[0]
                return ["THING", f"{'' if inverse else '^'}{key}", *tokens[1:]]
        raise UnfitError("nothing tells what has no class")

    def operand(self, text: str, kind: str) -> int:
        self.operands.append((text, kind))
        return len(self.operands) - 1

    def name(self, letters: str = "") -> Bound:
        """An entity; where it is of one of these types now and then a phrase that says so, or one that leads to it."""
        number = self.operand(MASK, ENTITY)
        said = chr(PRIVATE + number)
        draw = self.rng.random()
        if set(letters) & set(DATED) and self.rng.random() < YEARS:
            year = chr(PRIVATE + self.operand(values.plain_year(self.rng, 1850, 2025), DATE))
            return Bound((number,), lambda _: f"{said} ({year})")
        known = [letter for letter in letters if self.words.general.get(letter)]
        if known and draw < APPOSED:
            word = self.words.general[self.rng.choice(known)][0]
            said = f"the {self.words.one(word)} {said}"
        elif letters and draw < APPOSED + NESTED and (nested := self._nested(letters, said)):
            return Bound((number, *nested[0]), lambda _: nested[1])
        return Bound((number,), lambda _: said)

    def _nested(self, letters: str, name: str) -> tuple[tuple[Step, ...], str] | None:
        """A noun phrase of one hop: *the director of [MASK]*."""
        letter = self.rng.choice(letters)
        if letter not in SINGLE_ENDS:
            return None
        leg = self.paths.leg_to(letter)
        if leg.step[1] or leg.start in "SG?":
            return None
        text = self.paths.phrase(leg, MASK)
        return ((leg.step,), text.replace(MASK, name)) if text.count(MASK) == 1 and text.startswith("the ") else None

    def pointed(self, text: str, kind: str) -> Bound:
        start, end = _value_in(text) if kind in (NUMBER, DATE, RANK) else (0, len(text))
        number = self.operand(text[start:end], kind)
        return Bound((number,), lambda _: f"{text[:start]}{chr(PRIVATE + number)}{text[end:]}")

    # --- slots ----------------------------------------------------------------------------

    def bind(self, slot: str) -> Bound:
        """What a slot stands for, the same all through a question."""
        if slot not in self.bound:
            kind = kind_of(slot)
            self.is_last = slot == self.last
            make = getattr(self, f"_bind_{kind}", None)
            if make is None:
                raise UnfitError(f"unknown slot {slot}")
            self.bound[slot] = make(self.wanted.get(slot, set()))
        return self.bound[slot]

    def _bind_x(self, _: set[str]) -> Bound:
        if self._is_vague() and self.rng.random() < EXPLAINED and (holder := self._holder()):
            named = self.name()
            return Bound(named.steps, lambda _: f"the {holder[1]} {named.say('')}")
        return self.name(self.letter if self._is_of_type() and "y" not in self.wanted else "")

    def _is_vague(self) -> bool:
        """Whether who hears no type would take another measure for the one that is meant."""
        return any("*" in bound.entry.forms.get("shadowed", ()) for bound in self.bound.values() if bound.entry)

    def _is_of_type(self) -> bool:
        """Whether a named thing is what is measured or counted."""
        return any(kind_of(slot) in ("measure", "links", "rel") for slot in self.wanted)

    _bind_y = _bind_z = _bind_x

    def _bind_class(self, forms: set[str]) -> Bound:
        many, one = self._holder() or self.words.draw(self.letter, self.rng)
        return self._class(many, one, forms)

    def _holder(self) -> tuple[str, str] | None:
        """A class word of what is measured, where its entry names such: not all places are deep."""
        nouns = sorted(self._holders())
        one = self.rng.choice(nouns) if nouns else ""
        return (several(one), one) if one else None

    def _holders(self) -> set[str]:
        """Class words for what has all measures of the question."""
        entries = [b.entry for slot, b in self.bound.items() if kind_of(slot) == "measure" and b.entry]
        return set.intersection(*(set(e.forms.get(self.letter, ())) for e in entries)) if entries else set()

    def _class(self, several: str, one: str, forms: set[str]) -> Bound:
        if not self.typed:
            return Bound((), lambda form: one if form == "one" else several)
        if len(forms) > 1 or any(text in (several, one) for text, kind in self.operands if kind == CLASS):
            raise UnfitError("one class word has one form, and stands once")
        return self.pointed(one if forms == {"one"} else several, CLASS)

    def _bind_measure(self, forms: set[str]) -> Bound:
        literal = self._literal()
        entries = [e for e in self.lexicons.of("measures", self.letter) if literal in ("", e.literal)]
        if "class" not in self.wanted and self.rng.random() < PLAIN:
            entries = [e for e in entries if self.letter not in e.forms.get("shadowed", ())]
        if held := self._holders():
            entries = [e for e in entries if held & set(e.forms[self.letter])]
        return self._said(entries, forms)[0]

    def _bind_links(self, forms: set[str]) -> Bound:
        return self._said(self.lexicons.of("links", self.letter), forms)[0]

    def _said(self, entries: Sequence[Entry], forms: set[str]) -> tuple[Bound, Entry]:
        """One of these that has the forms and is not in the question yet."""
        fit = [e for e in entries if forms <= e.forms.keys() and e.path not in self.used]
        if not fit:
            raise UnfitError(f"nothing has the forms {sorted(forms)}")
        entry = self.rng.choice(fit)
        self.used.add(entry.path)
        return Bound(entry.path, lambda form: self.rng.choice(entry.forms[form]), entry), entry

    def _literal(self) -> str:
        """What the wording says that the measure leads to."""
        kinds = {kind_of(slot) for slot in self.wanted}
        return "date" if "d" in kinds else "number" if "v" in kinds else ""

    def _bind_rel(self, forms: set[str]) -> Bound:
        return self._said(self.lexicons.relations(self.letter), forms)[0]

    # --- values ---------------------------------------------------------------------------

    def _measured(self) -> Entry:
        """What values are of."""
        for slot, bound in self.bound.items():
            if kind_of(slot) == "measure" and bound.entry:
                return bound.entry
        raise UnfitError("a value of nothing")

    def _units(self, entry: Entry, forms: set[str]) -> tuple[str, ...]:
        """What is written behind a number: nothing where what is counted follows (bare), and now and then."""
        share = COUNTED_UNITLESS if "counted" in entry.forms else UNITLESS
        left_out = "unit" not in forms and self.rng.random() < share
        return () if "bare" in forms or left_out else entry.forms.get("units", ())

    def _limits(self, entry: Entry) -> tuple[float, float]:
        low, high = (entry.forms.get("values") or ("1 1000",))[0].split()
        return float(low), float(high)

    def _bind_v(self, forms: set[str]) -> Bound:
        """A number with its unit; as ``bare`` without."""
        entry = self._measured()
        if entry.literal != "number":
            raise UnfitError("no number")
        return self.pointed(values.value(self.rng, *self._limits(entry), self._units(entry, forms)), NUMBER)

    def _bind_d(self, forms: set[str]) -> Bound:
        """A point in time; as ``in`` a year, decade or century; as ``on`` a day."""
        low, high = self._years()
        make = {"in": values.period, "on": values.day, "year": values.plain_year}
        made = {form: make.get(form, values.date)(self.rng, low, high) for form in forms or {""}}
        if len(made) > 1:
            raise UnfitError("one date")
        return self.pointed(next(iter(made.values())), DATE)

    def _years(self) -> tuple[int, int]:
        entries = [b.entry for b in self.bound.values() if b.entry and b.entry.literal == "date"]
        low, high = self._limits(entries[0]) if entries and "values" in entries[0].forms else (1700, 2025)
        return int(low), int(high)

    def _bind_range(self, forms: set[str]) -> Bound:
        entry = self._measured()
        if entry.literal == "date":
            return self.pointed(values.years(self.rng, *self._years()), DATE)
        low, high = self._limits(entry)
        return self.pointed(values.between(self.rng, low, high, self._units(entry, forms)), NUMBER)

    def _bind_n(self, forms: set[str]) -> Bound:
        """A count; as ``top`` of the best so many."""
        return self.pointed(values.top(self.rng) if "top" in forms else values.small(self.rng), NUMBER)

    def _bind_rank(self, forms: set[str]) -> Bound:
        """An ordinal; as ``last`` that word."""
        return self.pointed("last" if "last" in forms else values.rank(self.rng), RANK)

    def _bind_q(self, _: set[str]) -> Bound:
        """What a statement says of itself: *in 1935*, *for [MASK]*."""
        about = self.fixed | {b.entry.key for b in self.bound.values() if b.entry}
        entries = [e for e in self.lexicons.qualifiers if about & set(e.forms["with"])]
        if not entries:
            raise UnfitError("no qualifier goes with these relations")
        entry = self.rng.choice(entries)
        form = self.rng.choice([f for f in entry.forms if f.isupper()])
        text = self.rng.choice(entry.forms[form])
        found = SLOT.search(text)
        assert found is not None
        value = getattr(self, f"_bind_{found[1]}")({found[3] or ""} - {""})
        said = text.replace(found[0], value.say(""))
        return Bound(("QUAL", *entry.path, *value.steps, form), lambda _: said, entry)


def reversed_path(steps: Sequence[Token]) -> tuple[Token, ...]:
    """The way back along relations."""
    return tuple((step[0], not step[1]) for step in reversed(steps) if isinstance(step, tuple))


def _value_in(text: str) -> tuple[int, int]:
    """Which characters a linker takes for the value: not the article of *the 1990s*, not the pages of *200 pages*."""
    found = value_spans(text)
    return (found[0].start, found[0].end) if len(found) == 1 else (0, len(text))


def kind_of(slot: str) -> str:
    return slot.rstrip("0123456789")
