"""Relations that lead to numbers and dates, and how people measure and compare by them (``operators/measures.txt``).

A block of the file names the relation, what has it and a few words; :func:`load_measures` makes of them the forms that
templates ask for: ``most`` "largest", ``hasmost`` "most inhabitants", ``above`` "with more than {v} inhabitants". What
has it stands there too, so that a river and not a city is longest: class words of a type are the form of its letter.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kgask.corpus.examples import Step
from kgask.corpus.frames import article, plural
from kgask.corpus.operator_files import Entry, lines_of, path_of
from kgask.errors import BuildError

FILE = "measures.txt"
_SIDES = ("more", "less", "most", "least")
_NONE = "-"  # where a word of a row is missing
_DEGREES = {  # words of degree that stand before a noun: comparative and superlative
    "high": ("higher", "highest"), "low": ("lower", "lowest"), "large": ("larger", "largest"),
    "small": ("smaller", "smallest"), "big": ("bigger", "biggest"), "great": ("greater", "greatest"),
    "long": ("longer", "longest"), "short": ("shorter", "shortest"), "late": ("later", "latest"),
    "early": ("earlier", "earliest"), "recent": ("more recent", "most recent"), "good": ("better", "best"),
    "bad": ("worse", "worst"), "wide": ("wider", "widest"), "narrow": ("narrower", "narrowest"),
    "strong": ("stronger", "strongest"), "weak": ("weaker", "weakest"),
}  # fmt: skip
_ALIKE = frozenset("aircraft spacecraft fish species series".split())  # noqa: SIM905  plurals that are no other word
_UP = {"above": ("more than", "over", "above", "upwards of"), "atleast": ("at least", "no less than")}
_DOWN = {"below": ("less than", "under", "below"), "atmost": ("at most", "no more than", "up to")}
_BARE = frozenset(("over", "above", "under", "below"))  # stand right behind the name of a value
_EXACT = {"exactly": ("exactly", "")}
_FEWER = {"below": ("fewer than", "less than", "under"), "atmost": ("at most", "no more than", "up to")}


@dataclass(slots=True)
class _Block:
    """What one block of the file says, while it is read."""

    key: str
    literal: str  # "number" or "date"
    texts: list[str]
    holders: dict[str, list[str]] = field(default_factory=dict)  # type letter -> class nouns, singular
    forms: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def who(self) -> str:
        return "who" if self.holders.keys() == {"P"} else "that"

    def entry(self) -> Entry:
        forms = {name: tuple(dict.fromkeys(texts)) for name, texts in self.forms.items() if texts}
        forms |= {letter: tuple(nouns) for letter, nouns in self.holders.items()}
        return Entry(path_of(self.key), "".join(self.holders), self.literal, forms | {"texts": tuple(self.texts)})


def load_measures() -> list[Entry]:
    """All blocks of the shipped file; raises :class:`BuildError` with the line on a slip."""
    blocks: list[_Block] = []
    for at, line in lines_of(FILE):
        try:
            if line.startswith("["):
                blocks.append(_head(line))
            else:
                _read(blocks[-1], *line.split(maxsplit=1))
        except (ValueError, IndexError, TypeError, KeyError) as error:
            raise BuildError(f"{at}: {error}") from None
    for number, block in enumerate(blocks):
        block.forms["shadowed"] = _shadowed(block, blocks[:number])
    return [block.entry() for block in blocks]


def class_words(entries: Sequence[Entry]) -> dict[str, str]:
    """Class nouns of what has measures, plural -> singular."""
    return {several(one): one for entry in entries for letter in entry.letters for one in entry.forms[letter]}


def _shadowed(block: _Block, earlier: list[_Block]) -> list[str]:
    """Type letters of what another relation is rather meant for by the same adjective; ``*`` where any is.

    Large of places is by area, of flats by floor space: who says neither means the first one.
    """
    said = {adjective for side in _SIDES for adjective in block.forms[side]}
    others = [b for b in earlier if b.key != block.key and said & {a for side in _SIDES for a in b.forms[side]}]
    letters = [letter for letter in block.holders if any(letter in other.holders for other in others)]
    return [*letters, "*"] if others else []


def measure_named(path: tuple[Step, ...], literal: str, noun: str, letters: str) -> Entry:
    """What only the name of its value is known of: *highest mileage*, *latest date of sale*."""
    block = _Block("", literal, [noun])
    is_number = literal == "number"
    for pair in ("high low", "large small") if is_number else ("late early",):
        _noun(block, noun, [pair], mass=False)
    if not is_number:
        _dated(block, [f"with {article(noun)}"])
        block.forms["after"] += [f"whose {noun} is after {{d}}"]
        block.forms["before"] += [f"whose {noun} is before {{d}}"]
        block.forms["in"] += [f"whose {noun} is in {{d:in}}"]
    block.forms["values"] = ["1 100000"] if is_number else ["1800 2025"]
    return replace(block.entry(), path=path, letters=letters)


def several(noun: str) -> str:
    """The plural of a class noun of the file."""
    return noun if noun.split()[-1] in _ALIKE else plural(noun)


def _head(line: str) -> _Block:
    head, closed, texts = line[1:].partition("]")
    key, literal = head.split()
    if not closed or literal not in ("number", "date"):
        raise ValueError("expected [KEY number] or [KEY date]")
    return _Block(key, literal, _split(texts))


def _read(block: _Block, name: str, text: str) -> None:
    """One line of a block."""
    match name:
        case "of":
            for part in text.split(";"):
                letter, nouns = part.split(maxsplit=1)
                block.holders[letter] = _split(nouns)
        case "value":
            bounds, _, units = text.partition(":")
            low, high = (float(bound) for bound in bounds.split())
            if not low < high < math.inf:
                raise ValueError("expected value LOW HIGH : UNITS")
            block.forms["values"], block.forms["units"] = [bounds.strip()], _split(units)
        case "adj" | "adj0":
            _adjectives(block, text, with_values=name == "adj" and block.literal == "number")
        case "noun" | "mass":
            nouns, _, degrees = text.partition(":")
            for noun in _split(nouns):
                _noun(block, noun, _split(degrees) or ["high low"], name == "mass")
        case "count":
            for noun in _split(text):
                _count(block, noun)
        case "verb":
            _verb(block, *text.split())
        case "does":
            _does(block, *text.split())
        case "long":
            for word in _split(text):
                _measured(block, word)
        case "be" | "act":
            for part in _split(text):
                _event(block, part, name == "be")
        case _:
            if not name.endswith(":"):
                raise ValueError(f"no such line: {name}")
            block.forms[name[:-1]] += _split(text)


# --- what a line makes ---------------------------------------------------------------------------


def _adjectives(block: _Block, text: str, with_values: bool) -> None:
    """``large larger largest | populous > small smaller smallest``; one word has more and most, or less and least."""
    for side, degree, part in zip(("more", "less"), ("most", "least"), text.split(">"), strict=True):
        for adjective in _split(part):
            words = [word.replace("_", " ") for word in adjective.split()]
            base, more, most = words if len(words) == 3 else (words[0], f"{side} {words[0]}", f"{degree} {words[0]}")
            if most != _NONE:
                block.forms[degree].append(most)
            if more != _NONE:
                block.forms[side].append(more)
                _compared(block, side, f"are {more}", f"is {more}", more, f"is {{x}} {more}")
                if with_values:
                    _bound(block, "above" if side == "more" else "below", f"{more} than {{v}}", "are", "is")
            if base != _NONE and side == "more":
                block.forms["base"].append(base)
                block.forms["degree"] += [base] * (block.literal == "number")
                block.forms["how"] += [f"how {base} is {{x}}"] * (block.literal == "number")


def _compared(block: _Block, side: str, verbs: str, verb: str, behind: str, ask: str) -> None:
    """A comparison with what is named: of several, of one, behind a plural noun, as a question."""
    block.forms[f"is{side}"].append(f"{verbs} than")
    block.forms[f"is{side}one"].append(f"{verb} than")
    block.forms[f"post{side}"] += [f"{behind} than", f"{block.who} {verbs} than"]
    block.forms[f"ask{side}"].append(f"{ask} than {{y}}")


def _bound(block: _Block, side: str, said: str, verbs: str, verb: str) -> None:
    """A limit behind a plural noun, as the verb of several and of one, and as a question."""
    block.forms[side].append(said if verbs == "are" else f"{block.who} {verbs} {said}")
    block.forms[f"is{side}"].append(f"{verbs} {said}")
    block.forms[f"is{side}one"].append(f"{verb} {said}")
    ask = {"are": "is {x}", "have": "does {x} have"}.get(verbs, f"does {{x}} {verbs}")
    block.forms[f"ask{side}"].append(f"{ask} {said}")


def _noun(block: _Block, noun: str, degrees: list[str], mass: bool) -> None:
    """The name of the value: *population*; mass nouns and plurals take no article."""
    be = "are" if noun.endswith("s") and not noun.endswith(("ss", "is", "us")) else "is"
    _named(block, noun)
    block.forms["how"] += [f"what {be} the {noun} of {{x}}", f"what {be} {{x}}'s {noun}"]
    for pair in degrees:
        for side, most, word in zip(("more", "less"), ("most", "least"), pair.split(), strict=True):
            if word == _NONE:
                continue
            comparative, superlative = _DEGREES[word]
            block.forms[f"has{most}"].append(f"{superlative} {noun}")
            block.forms["topnoun" if side == "more" else "lownoun"].append(f"{superlative} {noun}")
            said = f"{comparative} {noun}" if mass else article(f"{comparative} {noun}")
            _had(block, side, said)
    if block.literal == "number":
        one = noun if mass else article(noun)
        for side, words in (_UP | _DOWN | _EXACT).items():
            for word in words:
                said = f"{word} {{v}}".strip()
                held = f"{one} {said}" if word in _BARE else f"{one} of {said}"
                block.forms[side] += [f"with {held}", f"whose {noun} {be} {said}"]
                _bound(block, side, held, "have", "has")
        block.forms["between"] += [f"with {one} {{range}}", f"whose {noun} {be} {{range}}", f"with {one} of {{range}}"]


def _named(block: _Block, noun: str) -> None:
    """As ``level`` only what is high or low: nothing leads by its date of birth."""
    block.forms["noun"].append(noun)
    if block.literal == "number":
        block.forms["level"].append(noun)


def _had(block: _Block, side: str, said: str) -> None:
    """A comparative that something has: *more inhabitants*, *a higher price*."""
    block.forms[f"has{side}"].append(said)
    _compared(block, side, f"have {said}", f"has {said}", f"with {said}", f"does {{x}} have {said}")
    block.forms[f"ask{side}"].append(f"has {{x}} {said} than {{y}}")


def _count(block: _Block, noun: str) -> None:
    """What is counted: *inhabitants*."""
    block.forms["hasmost"] += [f"most {noun}"] * 2 + [f"highest number of {noun}", f"largest number of {noun}"]
    block.forms["hasleast"] += [f"fewest {noun}", f"least {noun}", f"smallest number of {noun}"]
    block.forms["how"] += [f"how many {noun} does {{x}} have", f"how many {noun} has {{x}}",
                           f"what is the number of {noun} of {{x}}"]  # fmt: skip
    _named(block, f"number of {noun}")
    block.forms["counted"].append(noun)
    block.forms["total"].append(f"number of {noun}")
    _had(block, "more", f"more {noun}")
    _had(block, "less", f"fewer {noun}")
    for side, words in (_UP | _FEWER | _EXACT).items():
        for word in words:
            said = f"{word} {{v:bare}} {noun}".strip()
            block.forms[side].append(f"with {said}")
            _bound(block, side, said, "have", "has")
    block.forms["between"] += [f"with {{range:bare}} {noun}", f"{block.who} have {{range:bare}} {noun}"]


def _verb(block: _Block, base: str, verb: str, ing: str, *degrees: str) -> None:
    """``weigh weighs weighing``, with other words of degree behind it where they are not more, less, most and least."""
    more, less, most, least = degrees or ("more", "less", "most", "least")
    for side, bound, word in (("more", "above", more), ("less", "below", less)):
        if word != _NONE:
            _compared(block, side, f"{base} {word}", f"{verb} {word}", f"{ing} {word}", f"does {{x}} {base} {word}")
            _bound(block, bound, f"{word} than {{v}}", base, verb)
            block.forms[bound].append(f"{ing} {word} than {{v}}")
    for side, word in (("most", most), ("least", least)):
        block.forms[f"v{side}"] += [f"{verb} the {word}", f"{verb} {word}"] * (word != _NONE)
    if more == "more":
        _bound(block, "atleast", "at least {v}", base, verb)
        _bound(block, "atmost", "at most {v}", base, verb)
        block.forms["between"].append(f"{block.who} {base} {{range}}")


def _does(block: _Block, base: str, verb: str, ing: str, noun: str) -> None:
    """``employ employs employing people``; a star behind what cannot be counted (``water*``)."""
    mass, noun = noun.endswith("*"), noun.removesuffix("*")
    for side, word in (("more", "more"), ("less", "less" if mass else "fewer")):
        said = f"{word} {noun}"
        _compared(block, side, f"{base} {said}", f"{verb} {said}", f"{ing} {said}", f"does {{x}} {base} {said}")
    for side, word in (("most", "most"), ("least", "least" if mass else "fewest")):
        block.forms[f"v{side}"] += [f"{verb} the {word} {noun}", f"{verb} {word} {noun}"]
    for side, words in {} if mass else (_UP | _FEWER).items():
        for limit in words:
            _bound(block, side, f"{limit} {{v:bare}} {noun}", base, verb)


def _measured(block: _Block, word: str) -> None:
    """A value and its adjective: *300 metres long*."""
    for side, words in ({"above": ("more than", "over"), "below": ("less than", "under")} | _EXACT).items():
        for limit in words:
            _bound(block, side, f"{limit} {{v:unit}} {word}".strip(), "are", "is")
    for side, limit in (("atleast", "at least"), ("atmost", "at most"), ("atmost", "no more than")):
        _bound(block, side, f"{limit} {{v:unit}} {word}", "are", "is")
    block.forms["between"] += [f"{{range:unit}} {word}", f"{block.who} are {{range:unit}} {word}"]


def _event(block: _Block, said: str, passive: bool) -> None:
    """What happened on the date: ``be founded`` (was founded), ``act die / died``."""
    if passive:
        base, past, pasts, ask = f"be {said}", f"was {said}", f"were {said}", f"was {{x}} {said}"
        behind = [said, f"{block.who} were {said}"]
    else:
        base, past = _split(said.replace("/", "|"))
        pasts, ask, behind = past, f"did {{x}} {base}", [f"{block.who} {past}"]
    forms = block.forms
    forms["happened"].append(past)
    forms["happenedpl"].append(pasts)
    forms["post"] += behind
    forms["askhappened"].append(ask)
    forms["tohappen"].append(f"to {base}")
    forms["how"] += [f"when {ask}", f"in what year {ask}", f"what year {ask}"]
    _dated(block, behind)
    for side, words in (("more", ("after", "later than")), ("less", ("before", "earlier than"))):
        for word in words:
            forms[f"is{side}"].append(f"{pasts} {word}")
            forms[f"is{side}one"].append(f"{past} {word}")
            forms[f"post{side}"].append(f"{behind[0]} {word}")
            forms[f"ask{side}"].append(f"{ask} {word} {{y}}")


def _dated(block: _Block, behind: list[str]) -> None:
    """What stands behind a plural noun with a date."""
    said = {
        "after": ("after {d}",), "before": ("before {d}", "earlier than {d}"), "between": ("{range}",),
        "atleast": ("since {d}", "in or after {d}"), "atmost": ("by {d}", "no later than {d}"),
        "in": ("in {d:in}", "in {d:in}", "during {d:in}"),
    }  # fmt: skip
    for form, times in said.items():
        block.forms[form] += [f"{state} {time}" for state in behind for time in times]


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]
