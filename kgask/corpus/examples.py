"""Training questions for Rigel: text with the topic masked, and the relation path that answers it.

One reader per public set, each yielding :class:`PathExample`; the formats are
described in the sets' own documentation. Only training parts are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgask.corpus.wordings import FORWARD, INVERSE, RelationWordings
from kgask.plan.rigel_onnx import MASK
from kgask.sets import entityquestions, kgconv, registry, simplequestions
from kgask.sets.rows import in_data
from kgask.sets.topic_spans import Span, SpanModel, label_span, words_of
from kgask.sets.wikidata import property_labels

Step = tuple[str, bool]  # (relation key, inverse)
WRONG_MASK = "wrong_mask"  # source of questions whose masked span is no topic
ANSWER_TYPES = ("entity", "date", "number", "yesno")  # in the order of the planner's answer types

# Relations whose objects are points in time, and numbers; those that the sets here ask for.
DATES = frozenset(
    "P569 P570 P571 P576 P577 P580 P582 P585 P575 P606 P619 P729 P730 P1191 P1249 P1619 P2031 P2032 P3999".split()
)
NUMBERS = frozenset(
    "P1082 P2046 P2043 P2044 P2047 P2048 P2049 P2054 P2067 P1086 P1098 P1101 P1128 P1181 P2101 P2102 P2131 P2130 "
    "P2142 P2139 P2218 P3872 P4010 kgask:period kgask:group kgask:rating kgask:votes".split()
)


@dataclass(frozen=True, slots=True)
class PathExample:
    """A question about one masked topic with the path from the topic to its answers.

    ``path`` is None where nothing says which path it is: the example then
    teaches ``answer_type`` and ``constrained`` only. An empty path says that
    no relation answers. A text without a mask names its topic in words.
    """

    text: str
    path: tuple[Step, ...] | None
    source: str
    vocabulary: str = "wikidata"  # whose relations the path names (or "freebase"); a batch never mixes two
    answer_type: str | None = None  # one of ANSWER_TYPES, None where unknown
    constrained: bool = False  # a further named entity or value narrows the answers
    topic: bool = True  # False: what is masked is no topic of the question


def answer_type(path: tuple[Step, ...]) -> str:
    """What the last step of a path over Wikidata relations leads to."""
    key, inverse = path[-1]
    if inverse:
        return "entity"
    return "date" if key in DATES else "number" if key in NUMBERS else "entity"


def wikidata_example(text: str, path: tuple[Step, ...], source: str, constrained: bool = False) -> PathExample:
    """A question over Wikidata relations; the path tells the type of its answers."""
    return PathExample(text, path, source, answer_type=answer_type(path), constrained=constrained)


def tidy(text: str) -> str:
    """Lower case outside the mask, one space between words, no doubled article."""
    text = text.replace(MASK, "\0").lower().replace("\0", MASK)
    text = re.sub(r"\s+", " ", text).strip().replace(f"{MASK} '", f"{MASK}'").replace(" ?", "?")
    return re.sub(r"\b(the|a|an) (the|a|an)\b", r"\2", text)


def fill(template: str, topic: str) -> str:
    return template.replace("{x}", topic)


# --- relation texts -----------------------------------------------------------------------


def relation_texts(data: Path, wordings: dict[str, RelationWordings]) -> dict[str, list[str]]:
    """Relation key -> its texts, the usual label first (Wikidata labels, then our variants)."""
    texts = {key: [label] for key, label in property_labels(data).items()}
    for key, wording in wordings.items():
        texts[key] = list(dict.fromkeys(texts.get(key, []) + wording.texts))
    return texts


# --- readers ------------------------------------------------------------------------------


def mask_label(question: str, label: str | None) -> str | None:
    """The question with the label masked, or None when it is not there as words."""
    if not label:
        return None
    pattern = rf"(?<!\w){re.escape(label)}(?!\w)"
    masked, hits = re.subn(pattern, MASK, question, count=1, flags=re.IGNORECASE)
    return masked if hits else None


LEAST_WORDS = 3  # of a masked question, the mask among them: "is [MASK]" asks nothing
SURE_LEAD = 2.0  # log-odds of the likeliest span over the next: 87 % of the held-out questions, 87 % of them exact


def simple_questions(data: Path, labels: dict[str, str]) -> Iterator[PathExample]:
    """SimpleQuestions over Wikidata, training part (Diefenbach et al. 2017).

    Source ``simple``: the topic masked by its label. Three quarters of the
    subjects have no label here; their questions come as they were asked
    (``simple_unmasked``), and once more masked where a model of the wordings is
    sure of the name (``simple_found``; 82.6 % exact on labelled ones held out
    from it). Its masks often take too much, so asked wordings teach more.
    """
    golds = registry.load("simplequestions", in_data(data, simplequestions.TRAINING))
    known = [label_span(gold.text, labels.get(gold.topics[0].key or "")) for gold in golds]
    names = [label for label in labels.values() if len(label) > 3]
    model = SpanModel([*names, *entity_question_names(data)])
    found = model.fit([(gold.relations[0], gold.text) for gold in golds], known)
    for gold, (span, lead), sure in zip(golds, found, known, strict=True):
        question, step = gold.text, (gold.kind, gold.relations[0].startswith("^"))
        masked = mask_words(question, span) if span and lead >= SURE_LEAD else ""
        is_masked = len(masked.split()) >= LEAST_WORDS
        if is_masked:
            yield wikidata_example(tidy(masked), (step,), "simple" if sure else "simple_found")
        if not is_masked or not sure:
            yield wikidata_example(tidy(question), (step,), "simple_unmasked")


def entity_question_names(data: Path) -> Iterator[str]:
    """Names in EntityQuestions' training triples; none where that set is not at hand."""
    for subject, _, obj, split in entityquestions.triples(data) if (data / entityquestions.TRIPLES).is_file() else ():
        if split == "train":
            yield from (subject, obj)


def mask_words(question: str, span: Span) -> str:
    """The question with a span of its words masked."""
    offsets = [at for _, at in words_of(question)]
    return question[: offsets[span[0]][0]] + MASK + question[offsets[span[1] - 1][1] :]


def kgconv_templates(data: Path) -> Iterator[PathExample]:
    """KGConv's question templates per Wikidata relation (Brabant et al. 2023)."""
    seen = set()
    for key, inverse, left, right in kgconv.templates(data):
        text, step = tidy(f"{left} {MASK} {right}"), (key, inverse)
        if (text, step) not in seen and len(text.split()) > 2:
            seen.add((text, step))
            yield wikidata_example(text, (step,), "kgconv")


def entity_question_templates(data: Path) -> Iterator[PathExample]:
    """EntityQuestions' one wording per relation (Sciavolino et al. 2021)."""
    for key, template in entityquestions.templates(in_data(data, entityquestions.FOLDER / entityquestions.TEMPLATES)):
        yield wikidata_example(tidy(template.replace("[X]", MASK)), ((key, False),), "entityquestions")


def own_questions(wordings: dict[str, RelationWordings]) -> Iterator[PathExample]:
    """Our own one-hop wordings."""
    for wording in wordings.values():
        for direction in (FORWARD, INVERSE):
            for template in wording.questions[direction]:
                step = (wording.key, direction == INVERSE)
                yield wikidata_example(tidy(fill(template, MASK)), (step,), "own")
