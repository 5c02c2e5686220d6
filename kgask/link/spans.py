"""What a question mentions, of every kind, as the planner points at it: entities, classes, numbers, dates, ranks.

The linker proposes mentions of entities that overlap ("Nobel Prize in Physics", "Physics"); a segmentation chooses
among them, and among readings of one word ("1984" the novel or the year). Class words and values are then found in
what the entities leave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Literal

from kgask.link.classes import ALIAS, TYPE, ClassSpan, chosen, class_readings, relation_phrases
from kgask.link.mentions import FUNCTION_WORDS, NAME, Word
from kgask.link.values import ValueSpan, value_spans
from kgask.pack.store import Pack
from kgask.query.base import Node
from kgask.query.nodes import Class, Number
from kgask.types import MASK, Mention, Seed

SpanKind = Literal["entity", "class", "number", "date", "rank"]
MAX_SPANS = 12
MAX_SEGMENTATIONS = 3
CLOSE = 0.5  # of the best segmentation's worth: less is no second reading
MAX_OPEN = 6  # mentions whose reading is open: 2 ** 6 ways are looked at
# Least scores of what counts as a mention: a name that looks like one, another word, one that questions use anyway.
NAMED, LOWER, COMMON = 0.001, 0.02, 0.02
EDGED = 0.3  # of the worth of a name that seems to hold a preposition or article of the question
TIMED, UNTIMED = (
    1.2,
    0.4,
)  # what a value is worth beside an entity of its name: after "in" or "than", elsewhere
_LENGTH_POWER = 1.5  # so that one long name is worth more than its parts
_MOST = re.compile(r"most|least|fewest|[a-z]{3,}est")
_PLACES_A_VALUE = frozenset(
    "in before after since until till by from between during around circa than least most exactly over under about "
    "above below year number nearly almost up only age aged".split()
)


@dataclass(frozen=True, slots=True)
class CandidateSpan:
    """A span of the question that a step of a query may point at."""

    start: int
    end: int
    kind: SpanKind
    seeds: tuple[Seed, ...] = ()  # of an entity, best first
    nodes: tuple[Node, ...] = ()  # else what it may mean, best first; of a rank one number, -1 is the last
    scores: tuple[float, ...] = ()  # of a class, one a node
    plain: bool = False  # an entity that stays a word in the masked question: it may be a name, or just a word

    @property
    def place(self) -> tuple[int, int]:
        return self.start, self.end


def class_candidate(found: ClassSpan) -> CandidateSpan:
    """A class word as what a step may point at."""
    sets, scores = zip(*found.candidates, strict=True)
    return CandidateSpan(found.start, found.end, "class", nodes=sets, scores=scores)


def candidate_spans(text: str, words: Sequence[Word], mentions: Sequence[Mention], pack: Pack) -> list[CandidateSpan]:
    """The best segmentation, ordered by start; see :func:`segmentations`."""
    return segmentations(text, words, mentions, pack)[0]


def segmentations(
    text: str, words: Sequence[Word], mentions: Sequence[Mention], pack: Pack
) -> list[list[CandidateSpan]]:
    """Ways to divide a question into spans, best first; one at least, more where another is nearly as good.

    ``words`` are the question's (:meth:`kgask.link.linker.Linker.words`), ``mentions`` what was linked in it.
    """
    values = value_spans(text, pack.manifest.get("axes", ()))
    said = relation_phrases(text, words, pack)
    readings = [one for one in class_readings(text, words, pack) if not _is_inside_any((one.start, one.end), said)]
    classes = chosen(readings, ())
    phrases = [(one.start, one.end) for one in classes] + said
    called = [(one.start, one.end) for one in classes if one.candidates[0][1] >= ALIAS * TYPE]
    named = [
        mention
        for mention in mentions
        if _is_mention(mention, words, values, phrases, pack) and not _is_within_class(mention, called)
    ]
    common = {mention.span for mention in named if _is_common(mention, words)}
    found: list[list[CandidateSpan]] = []
    for taken in _choices(named, values, words):
        spans = _spans([named[at] for at in taken], values, readings)
        spans += _titles(spans, [mention for at, mention in enumerate(named) if at not in taken])
        spans.sort(key=lambda span: (span.start, span.end, span.kind != "entity"))
        in_doubt = [span for span in spans if span.kind == "entity" and span.place in common]
        if not in_doubt or len(spans) == 1:
            found.append(spans)
            continue
        found.append([replace(span, plain=span.plain or span in in_doubt) for span in spans])
        if len(in_doubt) == sum(span.kind == "entity" for span in spans):  # no other topic
            best = max(in_doubt, key=lambda span: span.seeds[0].score)
            masked_one = [replace(span, plain=span.plain or (span in in_doubt and span is not best)) for span in spans]
            found.append(masked_one)
    return found[:MAX_SEGMENTATIONS]


def _titles(spans: Sequence[CandidateSpan], left: Sequence[Mention]) -> list[CandidateSpan]:
    """Entities that are called just as a value that was chosen: the season 1976, besides the year."""
    values = {span.place for span in spans if span.kind in ("number", "date", "rank")}
    called = [mention for mention in left if mention.span in values]
    return [CandidateSpan(*mention.span, "entity", mention.seeds, plain=True) for mention in called]


def _is_mention(
    mention: Mention,
    words: Sequence[Word],
    values: Sequence[ValueSpan],
    phrases: Sequence[tuple[int, int]],
    pack: Pack,
) -> bool:
    """Whether a mention's score is that of a name.

    A number or date of the graph is a value; so is a number in words; and a word in lower case is no name within a
    class's name ("noble" of "noble gases") or a relation's ("death" of "cause of death"), nor is one of a class
    ("the highest mountain").
    """
    if not mention.seeds or _is_best_of_class(_inside(mention, words), phrases):
        return False
    is_lower = mention.text.islower()
    written = mention.span[0], mention.span[0] + len(mention.text.rstrip("."))  # the end of a sentence: "600 m."
    same = [value for value in values if _within(written, value.place)]
    if same:
        known = [seed for seed in mention.seeds if seed.entity < pack.n_entities - pack.n_literals]
        if is_lower or not known or known[0].score < LOWER:
            return False
    if _is_part_of_class(mention, words, phrases):
        return False
    best = mention.seeds[0]
    if best.match == "given":
        return True
    if _is_compared_with(mention, words):
        return True
    names = [word for word in _inside(mention, words) if word.weight == NAME]
    least = COMMON if not names else NAMED if any(not word.text[0].islower() for word in names) else LOWER
    return best.score >= least


def _is_compared_with(mention: Mention, words: Sequence[Word]) -> bool:
    """Whether it ends a comparison, whatever its word else means: "is Silver denser than lead?"."""
    before = [word.norm for word in words if word.end <= mention.span[0]]
    is_last = all(word.start < mention.span[1] for word in words)
    return is_last and before[-1:] == ["than"] and mention.seeds[0].match in ("label", "alias")


def _is_part_of_class(mention: Mention, words: Sequence[Word], phrases: Sequence[tuple[int, int]]) -> bool:
    """Whether more words than a mention's say a class, and nothing makes it a name: the "Medicine" of "Medicine
    laureates" that begins a sentence, "the physics" of "the physics laureates", the "Nobel" that is a part of a name.
    """
    said = mention.text if words and mention.span[0] > words[0].start else mention.text[:1].lower() + mention.text[1:]
    inside = [word for word in _inside(mention, words) if word.norm not in FUNCTION_WORDS]
    match = mention.seeds[0].match
    if not inside or match == "given" or not (said.islower() or match == "part"):
        return False
    place = inside[0].start, inside[-1].end
    return _is_inside_any(place, phrases)


def _is_within_class(mention: Mention, called: Sequence[tuple[int, int]]) -> bool:
    """Whether the name of a class goes on where a mention ends: the "Nobel Prize" of "Nobel Prize winners"."""
    is_given = bool(mention.seeds) and mention.seeds[0].match == "given"
    return not is_given and _is_inside_any(mention.span, called)


def _is_best_of_class(inside: Sequence[Word], phrases: Sequence[tuple[int, int]]) -> bool:
    """Whether words in lower case say which one of a class."""
    orders = [word for word in inside if _MOST.fullmatch(word.text)]
    rest = [word for word in inside if word not in orders and word.norm not in FUNCTION_WORDS]
    known = all(any(_within((word.start, word.end), place) for place in phrases) for word in rest)
    return bool(orders and rest) and known


def _is_common(mention: Mention, words: Sequence[Word]) -> bool:
    """Whether a mention is in words that questions use anyway, in lower case."""
    is_given = mention.seeds[0].match == "given"
    return not is_given and mention.text.islower() and all(word.weight < NAME for word in _inside(mention, words))


def _inside(mention: Mention, words: Sequence[Word]) -> list[Word]:
    return [word for word in words if _within((word.start, word.end), mention.span)]


def _choices(mentions: Sequence[Mention], values: Sequence[ValueSpan], words: Sequence[Word]) -> list[tuple[int, ...]]:
    """Sets of mentions that do not overlap, as places in ``mentions``, best first."""
    rivals = [sum(_overlap(*value.place, mention.span) for value in values) for mention in mentions]
    rivals = [
        rivals[at] + sum(_overlap(*other.span, mention.span) for other in mentions) - 1
        for at, mention in enumerate(mentions)
    ]
    open_ones = sorted((at for at, n in enumerate(rivals) if n), key=lambda at: -_worth(mentions[at], words))[:MAX_OPEN]
    settled = [at for at, n in enumerate(rivals) if not n]
    rated: list[tuple[float, tuple[int, ...], list[ValueSpan]]] = []
    for taken in product((True, False), repeat=len(open_ones)):
        chosen = tuple(sorted([*settled, *(at for at, is_taken in zip(open_ones, taken, strict=True) if is_taken)]))
        places = [mentions[at].span for at in chosen]
        if any(_overlap(*one, other) for at, one in enumerate(places) for other in places[:at]):
            continue
        free = [value for value in values if not any(_overlap(*value.place, place) for place in places)]
        worth = sum(_worth(mentions[at], words) for at in chosen) + sum(_value_worth(value, words) for value in free)
        rated.append((worth, chosen, free))
    rated.sort(key=lambda one: (-one[0], -len(one[1])))
    kept: list[tuple[float, tuple[int, ...], list[ValueSpan]]] = []
    for worth, chosen, free in rated:
        is_less = any(set(chosen) < set(more) and free == its for _, more, its in kept)  # nothing is read instead
        if not is_less and worth >= CLOSE * rated[0][0]:
            kept.append((worth, chosen, free))
    return [chosen for _, chosen, _ in kept[:MAX_SEGMENTATIONS]]


def _worth(mention: Mention, words: Sequence[Word]) -> float:
    """Of a name that begins or ends with a function word in lower case ("in Africa") less than of the name alone."""
    inside = _inside(mention, words)
    edges = [word for word in (inside[:1] + inside[-1:]) if word.norm in FUNCTION_WORDS and word.text[0].islower()]
    n_words = max(1, len(inside) - len(edges))
    return mention.seeds[0].score * n_words**_LENGTH_POWER * (EDGED if edges and len(inside) > 1 else 1.0)


def _value_worth(value: ValueSpan, words: Sequence[Word]) -> float:
    before = [word for word in words if word.end <= value.start]
    n_words = sum(_within((word.start, word.end), value.place) for word in words)
    placed = bool(before) and before[-1].norm in _PLACES_A_VALUE
    return (TIMED if placed or n_words > 1 else UNTIMED) * max(1, n_words) ** _LENGTH_POWER


def _spans(
    entities: Sequence[Mention], values: Sequence[ValueSpan], classes: Sequence[ClassSpan]
) -> list[CandidateSpan]:
    """One segmentation: what was chosen of the entities, and what they leave of the rest."""
    taken = [mention.span for mention in entities]
    free = [value for value in values if not any(_overlap(*value.place, place) for place in taken)]
    found = []
    for value in free:
        nodes = [Number(option) if isinstance(option, int) else option for option in value.options]
        found.append(CandidateSpan(value.start, value.end, value.kind, nodes=tuple(nodes)))
    places = [*taken, *(value.place for value in free)]
    for one in chosen(classes, places):
        if (one.start, one.end) not in places[len(taken) :]:
            found.append(class_candidate(one))
    both = {one.place: one.nodes for one in found if one.kind == "class"}
    topics = [
        CandidateSpan(*one.span, "entity", one.seeds, plain=one.span in both)
        for one in entities
        if Class(one.seeds[0].entity) not in both.get(one.span, ())  # the class says it all
    ]
    return [*topics, *found][:MAX_SPANS]


def masked(text: str, spans: Iterable[CandidateSpan]) -> tuple[str, list[tuple[int, int]]]:
    """The question as the planner reads it, and where each span stands in it.

    Lower case, single spaces, each entity a mask (as :func:`kgask.plan.rigel_onnx.mask_mention` has it) unless it is
    ``plain``.
    """
    spans = list(spans)
    hidden = {span.place for span in spans if span.kind == "entity" and not span.plain}
    cuts = sorted({0, len(text), *(cut for span in spans for cut in span.place)})
    raw, at = "", {}  # places of the text where spans begin or end -> of what is made of it
    for start, end in pairwise([*cuts, len(text)]):
        at[start] = len(raw)
        if (start, start) in hidden:  # a topic that stands nowhere in the question
            raw += f" {MASK} "
        covering = next((place for place in hidden if place[0] <= start < end <= place[1]), None)
        if covering is None:
            raw += text[start:end].lower()
        elif covering[0] == start:
            raw += f" {MASK} "
    at[len(text)] = len(raw)
    out, moved = _squeezed(raw)
    return out, [_stripped(raw, moved, at[span.start], at[span.end]) for span in spans]


def _squeezed(raw: str) -> tuple[str, list[int]]:
    """A text with single spaces, none before the apostrophe after a mask; and where each character went."""
    out, moved, is_apart = "", [], False
    for char in raw:
        if char.isspace():
            moved.append(len(out))
            is_apart = True
            continue
        if is_apart and out and not (char == "'" and out.endswith(MASK)):
            out += " "
        is_apart = False
        moved.append(len(out))
        out += char
    return out, moved


def _stripped(raw: str, moved: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """Where characters ``start`` to ``end``, without the space around them, went."""
    while start < end and raw[start].isspace():
        start += 1
    while start < end and raw[end - 1].isspace():
        end -= 1
    return (moved[start], moved[end - 1] + 1) if start < end else (len(moved) and moved[-1], len(moved) and moved[-1])


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _is_inside_any(place: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(_within(place, other) and place != other for other in others)


def _overlap(start: int, end: int, other: tuple[int, int]) -> bool:
    return start < other[1] and other[0] < end
