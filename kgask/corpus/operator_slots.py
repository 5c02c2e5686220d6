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
from kgask.corpus.operator_files import SLOT, Entry, Line, Template, path_of
from kgask.corpus.operator_words import ClassWords, Lexicons
from kgask.query.postfix import OPERATORS

PRIVATE = 0xE000  # first character of the private range of Unicode
TYPED = ("measure", "links", "branch", "set", "class")  # slots that are about things of the template's type
CHOSEN_FIRST = (*TYPED, "fact", "rel")  # what values and qualifiers must fit
ENTITY, CLASS, NUMBER, DATE, RANK = "entity", "class", "number", "date", "rank"
Token = str | Step | int
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
        self.fixed: set[str] = set()  # keys of relations that the template itself names

    # --- text -----------------------------------------------------------------------------

    def fill(self, template: Template, line: Line) -> tuple[str, tuple[Token, ...]]:
        """The wording with characters for operands, and the steps; raises :class:`UnfitError`."""
        self.wanted = line.wanted
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
        return SLOT.sub(lambda found: self.expand(self.bind(found[1] + found[2]).say(found[3] or "")), text)

    def steps(self, tokens: Sequence[str]) -> tuple[Token, ...]:
        """Steps of the template, slots resolved; without a class where the pack has no types."""
        made: list[Token] = []
        for token in self._without_class(tokens) if not self.typed else tokens:
            if found := SLOT.fullmatch(token):
                if found[1] + found[2] not in self.bound:
                    raise UnfitError(token)
                made += self.bound[found[1] + found[2]].steps
            elif token in OPERATORS:
                made.append(token)
            else:
                made += path_of(token)
        return tuple(made)

    def _without_class(self, tokens: Sequence[str]) -> list[str]:
        """No class to point at: the first branch stands alone, else whatever has the relation that it is judged by."""
        tokens = list(tokens)
        if tokens[0] != "{class}":
            raise UnfitError("no class to leave out")
        for at, token in enumerate(tokens[1:3], 1):
            if token.startswith(("{branch", "{set")) and "AND" in tokens[at + 1 : at + 2]:
                return [*tokens[1 : at + 1], *tokens[at + 2 :]]
        for token in tokens[1:]:
            found = SLOT.fullmatch(token)
            if found and found[1] in ("measure", "links"):
                entry = self.bind(found[1] + found[2]).entry
                assert entry is not None
                key, inverse = entry.path[0]
                return ["THING", f"{'' if inverse else '^'}{key}", *tokens[1:]]
        raise UnfitError("nothing tells what has no class")

    def operand(self, text: str, kind: str) -> int:
        self.operands.append((text, kind))
        return len(self.operands) - 1

    def name(self) -> Bound:
        """An entity."""
        number = self.operand(MASK, ENTITY)
        return Bound((number,), lambda _: chr(PRIVATE + number))

    def pointed(self, text: str, kind: str) -> Bound:
        number = self.operand(text, kind)
        return Bound((number,), lambda _: chr(PRIVATE + number))

    # --- slots ----------------------------------------------------------------------------

    def bind(self, slot: str) -> Bound:
        """What a slot stands for, the same all through a question."""
        if slot not in self.bound:
            kind = kind_of(slot)
            make = getattr(self, f"_bind_{kind}", None)
            if make is None:
                raise UnfitError(f"unknown slot {slot}")
            self.bound[slot] = make(self.wanted.get(slot, set()))
        return self.bound[slot]

    def _bind_x(self, _: set[str]) -> Bound:
        return self.name()

    _bind_y = _bind_z = _bind_x

    def _bind_class(self, forms: set[str]) -> Bound:
        several, one = self.words.draw(self.letter, self.rng)
        return self._class(several, one, forms)

    def _class(self, several: str, one: str, forms: set[str]) -> Bound:
        if not self.typed:
            return Bound((), lambda form: one if form == "one" else several)
        if len(forms) > 1:
            raise UnfitError("one class word has one form")
        return self.pointed(one if forms == {"one"} else several, CLASS)

    def _bind_measure(self, forms: set[str]) -> Bound:
        literal = self._literal()
        entries = [e for e in self.lexicons.of("measures", self.letter) if literal in ("", e.literal)]
        return self._said(entries, forms)

    def _bind_links(self, forms: set[str]) -> Bound:
        return self._said(self.lexicons.of("links", self.letter), forms)

    def _said(self, entries: Sequence[Entry], forms: set[str]) -> Bound:
        """One of these that has the forms and is not in the question yet."""
        fit = [e for e in entries if forms <= e.forms.keys() and e.path not in self.used]
        if not fit:
            raise UnfitError(f"nothing has the forms {sorted(forms)}")
        entry = self.rng.choice(fit)
        self.used.add(entry.path)
        return Bound(entry.path, lambda form: self.rng.choice(entry.forms[form]), entry)

    def _literal(self) -> str:
        """What the wording says that the measure leads to."""
        kinds = {kind_of(slot) for slot in self.wanted}
        return "date" if "d" in kinds else "number" if "v" in kinds else ""

    def _bind_branch(self, forms: set[str]) -> Bound:
        return self._branch(self.lexicons.branches(self.letter), forms)

    def _branch(self, entries: Sequence[Entry], forms: set[str]) -> Bound:
        """A relation to a thing that is named, behind a noun or as its verb."""
        same = [b.entry for slot, b in self.bound.items() if kind_of(slot) == "branch" and b.entry]
        if same and self.rng.random() < 0.3 and forms <= same[0].forms.keys():
            entry = same[0]
        else:
            found = self._said(entries, forms or {"mod"}).entry
            assert found is not None
            entry = found
        name = self.name()
        topic = name.say("")

        def say(form: str) -> str:
            return self.rng.choice(entry.forms[form or "mod"]).replace("{x}", topic)

        return Bound((*name.steps, *((key, not inverse) for key, inverse in reversed(entry.path))), say, entry)

    def _bind_set(self, forms: set[str]) -> Bound:
        """A plural noun phrase: *films directed by [MASK]*; with a class of its own where that says more."""
        entry_bound = self._branch(self.lexicons.branches(self.letter), {"mod"})
        assert entry_bound.entry is not None
        entry = entry_bound.entry
        (several, one), own = self.words.noun(self.letter, entry, self.rng)
        steps: tuple[Token, ...] = entry_bound.steps
        if own:
            noun = self._class(several, one, forms or {"many"})
            steps = (*noun.steps, *steps, "AND") if noun.steps else steps
        else:
            noun = Bound((), lambda form: one if form == "one" else several)

        def say(form: str) -> str:
            modifier = entry_bound.say("modone" if form == "one" else "mod")
            return f"{noun.say(form)} {modifier}"

        if "one" in forms and "modone" not in entry.forms:
            raise UnfitError("no singular")
        return Bound(steps, say, entry)

    def _bind_fact(self, forms: set[str]) -> Bound:
        entries = [e for e in self.lexicons.facts if forms <= e.forms.keys()]
        if not entries:
            raise UnfitError("no fact")
        entry = self.rng.choice(entries)
        subject, obj = self.name(), self.name()

        def say(form: str) -> str:
            said = self.rng.choice(entry.forms[form])
            return said.replace("{x}", subject.say("")).replace("{y}", obj.say(""))

        return Bound((*subject.steps, *entry.path, *obj.steps), say, entry)

    def _bind_rel(self, forms: set[str]) -> Bound:
        return self._said(self.lexicons.relations(self.letter), forms)

    def _bind_path(self, _: set[str]) -> Bound:
        """A whole question that a path answers."""
        made = self.paths.draw(self.rng.choices((1, 2, 3), (6, 3, 1))[0])
        if made.text.count(MASK) != 1 or not made.path:
            raise UnfitError("no path")
        name = self.name()
        text = made.text.replace(MASK, name.say("")).rstrip("?")
        return Bound((*name.steps, *made.path), lambda _: text)

    # --- values ---------------------------------------------------------------------------

    def _measured(self) -> Entry:
        """What values are of."""
        for slot, bound in self.bound.items():
            if kind_of(slot) == "measure" and bound.entry:
                return bound.entry
        raise UnfitError("a value of nothing")

    def _limits(self, entry: Entry) -> tuple[float, float]:
        low, high = (entry.forms.get("values") or ("1 1000",))[0].split()
        return float(low), float(high)

    def _bind_v(self, _: set[str]) -> Bound:
        """A number with its unit."""
        entry = self._measured()
        if entry.literal != "number":
            raise UnfitError("no number")
        return self.pointed(values.value(self.rng, *self._limits(entry), entry.forms.get("units", ())), NUMBER)

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

    def _bind_range(self, _: set[str]) -> Bound:
        entry = self._measured()
        if entry.literal == "date":
            return self.pointed(values.years(self.rng, *self._years()), DATE)
        low, high = self._limits(entry)
        return self.pointed(values.between(self.rng, low, high, entry.forms.get("units", ())), NUMBER)

    def _bind_n(self, forms: set[str]) -> Bound:
        """A count; as ``top`` of the best so many."""
        return self.pointed(values.top(self.rng) if "top" in forms else values.small(self.rng), NUMBER)

    def _bind_rank(self, _: set[str]) -> Bound:
        return self.pointed(values.rank(self.rng), RANK)

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


def kind_of(slot: str) -> str:
    return slot.rstrip("0123456789")
