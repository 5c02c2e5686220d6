"""All kinds of composed questions: paths, second names, yes/no, counting, superlatives.

The path is always the one from the masked topic to the set that the question
is about; what is done with that set (compare, count, pick) is told by
``answer_type`` alone.
"""

from __future__ import annotations

from kgask.corpus.compose_constraints import INVERTED, NOUNS_OF, ConstraintComposer
from kgask.corpus.compose_paths import Leg, noun_texts
from kgask.corpus.examples import MASK, PathExample, fill
from kgask.corpus.frames import FORWARD, INVERSE, many, plural, singular
from kgask.corpus.voices import names_other_kind

__all__ = ["Composer"]

_VERBS = frozenset(("did", "do", "does", "are", "is", "were", "was", "has", "have"))
_TRUE = (
    "is it true that", "is it right that", "is it correct that", "would you say that", "true or false:",
    "am i right that", "can you confirm that",
)  # fmt: skip
_SCREEN = ("first", "earliest", "latest", "newest", "most recent", "oldest", "longest", "best rated", "last")
_PLACE = ("largest", "smallest", "biggest", "most populous", "oldest", "richest", "highest")
_BEST = {
    "F": (*_SCREEN, "most expensive"), "B": _SCREEN, "M": _SCREEN, "C": _PLACE, "L": _PLACE,
    "P": ("oldest", "youngest", "first", "tallest", "last", "richest"),
    "O": ("oldest", "largest", "youngest", "biggest", "richest"),
    "E": ("heaviest", "lightest", "densest"),
    "U": ("first", "last", "longest", "most recent"),
}  # fmt: skip
_SUPERLATIVE = 0.3  # share of the questions over a set that pick one of it instead of counting it


class Composer(ConstraintComposer):
    """Draws composed questions of every kind; the same seed draws the same questions."""

    def yes_no(self) -> PathExample:
        """*is Jane Austen the author of [MASK]*: the path leads to what the name is compared with."""
        while True:
            key = self.draw_path(1)[0].step[0]
            domain, range_ = (self.rng.choice(types or "?") for types in self.ends((key, False)))
            forward, inverse = Leg((key, False), domain, range_), Leg((key, True), range_, domain)
            if self.rng.random() < 0.55:
                before, subject = self.topic_of(forward)
                obj, legs = self.other_name(inverse), [*before, forward]
            else:
                subject, obj, legs = self.other_name(forward), MASK, [inverse]
            text = self.rng.choice(self._claims(forward, subject, obj))
            if text.count(MASK) == 1:
                return self.example(text, legs, "yesno", answer_type="yesno")

    def _claims(self, leg: Leg, subject: str, obj: str) -> list[str]:
        """Yes/no questions whether subject - relation - object holds."""
        wording, rng = self.wordings[leg.step[0]], self.rng
        label, be, sure = rng.choice(noun_texts(wording)), rng.choice(("is", "was")), rng.choice(_TRUE)
        claims = [
            f"{be} {obj} the {label} of {subject}", f"{be} {obj} a {label} of {subject}",
            f"{be} the {label} of {subject} {obj}", f"does {subject} have {obj} as {label}",
            f"{sure} {obj} is the {label} of {subject}", f"is {subject} one of those with {obj} as {label}",
        ]  # fmt: skip
        if len(subject.split()) < 4:
            claims.append(f"{be} {obj} {subject}'s {label}")
        framed = []
        for kind, text in wording.frames.lines:
            first, second, *rest = text.split()
            tail = " ".join(rest)
            if kind == "v":
                framed += [f"did {obj} {first} {subject}", f"was {subject} {tail} by {obj}"]
                framed.append(f"{sure} {obj} {second} {subject}")
            elif kind == "s":
                framed += [f"did {subject} {first} {tail} {obj}", f"does {subject} {first} {tail} {obj}"]
                framed.append(f"{sure} {subject} {second} {tail} {obj}")
            else:
                framed += [f"{first} {subject} {second} {tail} {obj}"] * 2
                framed.append(f"{sure} {subject} {text} {obj}")
        return claims + 3 * framed

    def counting(self) -> PathExample:
        """*how many films did [MASK] direct*, or which is the first: the path leads to the set."""
        if self.rng.random() < _SUPERLATIVE:
            return self.superlative()
        while True:
            leg = self.draw_path(1)[0]
            if leg.end in "S?" or leg.start in "S?":
                continue
            before, topic = self.topic_of(leg)
            text = self.rng.choice(self._counts(leg, topic))
            if text.count(MASK) == 1:
                return self.example(text, [*before, leg], "count", answer_type="number")

    def _counts(self, leg: Leg, topic: str) -> list[str]:
        wording, inverse = self.wordings[leg.step[0]], leg.step[1]
        noun, phrase = self.noun(leg).removeprefix("the "), self.phrase(leg, topic)
        counts = [f"what is the number of {phrase}", f"number of {phrase}", f"count {phrase}"]
        if not inverse:
            label = many(self.rng.choice(noun_texts(wording)))
            counts += [f"how many {label} does {topic} have", f"how many {label} did {topic} have"]
            counts.append(f"how many {label} of {topic} are there")
        elif (modifier := self.modifier(leg)) is not None:
            modifier = fill(modifier, topic)
            counts += [f"how many {noun} are there {modifier}", f"how many {noun} {modifier} are there"]
        for text in wording.questions[INVERSE if inverse else FORWARD]:
            if not names_other_kind(text, leg.start + leg.end) and (counted := _how_many(text, inverse)):
                counts.append(fill(counted, topic))
        return counts

    def superlative(self) -> PathExample:
        """*what is the oldest film directed by [MASK]*: the path leads to those compared."""
        while True:
            leg = self.leg_to(self.rng.choice(list(_BEST)))
            modifier = self.modifier(leg)
            if modifier is None:
                continue
            before, topic = self.topic_of(leg)
            noun = singular(self.rng.choice(sorted(NOUNS_OF[leg.end] - {"those", "persons"})))
            best, modifier = self.rng.choice(_BEST[leg.end]), fill(modifier, topic)
            modifier = modifier.replace("that were ", "that was ", 1).replace("who were ", "who was ", 1)
            ask = "who" if leg.end == "P" else "what"
            forms = (
                f"{ask} is the {best} {noun} {modifier}", f"which {noun} {modifier} is the {best}",
                f"the {best} {noun} {modifier}", f"{ask} was the {best} {noun} {modifier}",
                f"which is the {best} {noun} {modifier}", f"name the {best} {noun} {modifier}",
                f"of the {plural(noun)} {modifier}, which is the {best}",
            )  # fmt: skip
            return self.example(self.rng.choice(forms), [*before, leg], "superlative", answer_type="entity")


def _how_many(question: str, inverse: bool) -> str | None:
    """*which films did {x} direct* asked as *how many films ...*; None where that does not work."""
    first, *rest = question.split()
    if first in ("which", "what") and len(rest) > 2 and rest[1] in _VERBS and rest[0] not in _VERBS:
        return " ".join(("how many", *rest)) if rest[0].endswith(("s", "people")) and rest[1] != "has" else None
    if inverse and first == "who" and not INVERTED.match(question[4:]):
        verb = {"was": "were", "is": "are", "has": "have"}.get(rest[0], rest[0])
        return " ".join(("how many people", verb, *rest[1:])) if not verb.endswith("s") else None
    return None
