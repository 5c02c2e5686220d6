"""Training questions for Rigel: text with the topic masked, and the relation path that answers it.

One reader per public set, each yielding :class:`PathExample`; the formats are
described in the sets' own documentation. Only training parts are read.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import BuildError
from kgask.train.wordings import FORWARD, INVERSE, RelationWordings

MASK = "[MASK]"
Step = tuple[str, bool]  # (relation key, inverse)


@dataclass(frozen=True, slots=True)
class PathExample:
    """A question about one masked topic with the path from the topic to its answers.

    An empty path: no relation answers this. ``None``: the path is not known, so
    the example teaches only what kind of question it is.
    """

    text: str
    path: tuple[Step, ...] | None
    source: str
    vocabulary: str = "wikidata"  # whose relations the path names; a batch never mixes two
    answer_type: str | None = None  # one of model.ANSWER_TYPES, where known
    constrained: bool = False  # a further named entity or value narrows the answers
    topic: bool = True  # False: what is masked is no topic of the question


def open_text(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 file, gzipped or not."""
    if not path.is_file():
        raise BuildError(f"{path}: no such file; --data names the folder with the public sets")
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from lines


def read_json(path: Path) -> object:
    return json.loads("".join(open_text(path)))


def tidy(text: str) -> str:
    """Lower case outside the mask, one space between words, no doubled article."""
    text = text.replace(MASK, "\0").lower().replace("\0", MASK)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\b(the|a|an) (the|a|an)\b", r"\2", text)


def fill(template: str, topic: str) -> str:
    return template.replace("{x}", topic)


# --- relation texts -----------------------------------------------------------------------


def relation_texts(data: Path, wordings: dict[str, RelationWordings]) -> dict[str, list[str]]:
    """Relation key -> its texts, the usual label first (Wikidata labels, then our variants)."""
    texts: dict[str, list[str]] = {}
    for key, label in read_json(data / "wikidata_props" / "en1.json").items():
        texts[key] = [label]
    for key, wording in wordings.items():
        texts[key] = list(dict.fromkeys(texts.get(key, []) + wording.texts))
    return texts


# --- readers ------------------------------------------------------------------------------


def load_labels(data: Path) -> dict[str, str]:
    """Wikidata id -> English label, where the sets at hand know one."""
    labels = dict(read_json(data / "wikidata_labels_union.json.gz"))
    labels.update(read_json(data / "kgconv" / "preferred_labels.json.gz"))
    return labels


def mask_label(question: str, label: str | None) -> str | None:
    """The question with the label masked, or None when it is not there as words."""
    if not label:
        return None
    pattern = rf"(?<!\w){re.escape(label)}(?!\w)"
    masked, hits = re.subn(pattern, MASK, question, count=1, flags=re.IGNORECASE)
    return masked if hits else None


def mask_rare(question: str, word_counts: Counter[str], rare: int = 12) -> str | None:
    """Mask the span from the first to the last rare word, when they stand close together.

    Topics of questions are names; names are rare words. Used where the label of
    the topic is unknown.
    """
    words = question.rstrip("?. ").split()
    found = [i for i, word in enumerate(words) if word_counts[word.lower().strip("?,.'")] <= rare]
    if not found or found[-1] - found[0] > len(found) + 1:
        return None
    return " ".join(words[: found[0]] + [MASK] + words[found[-1] + 1 :])


def simple_questions(data: Path, labels: dict[str, str]) -> Iterator[PathExample]:
    """SimpleQuestions over Wikidata, training part (Diefenbach et al. 2017)."""
    path = data / "simplequestions_wikidata" / "annotated_wd_data_train.txt.gz"
    rows = [line.rstrip("\n").split("\t") for line in open_text(path)]
    counts = Counter(word.strip("?,.'") for row in rows for word in row[3].lower().split())
    for subject, relation, _, question in rows:
        masked = mask_label(question, labels.get(subject)) or mask_rare(question, counts)
        if masked and masked.strip("?. ") != MASK:
            step = ("P" + relation[1:], relation.startswith("R"))
            yield PathExample(tidy(masked), (step,), "simple")


def kgconv_templates(data: Path) -> Iterator[PathExample]:
    """KGConv's question templates per Wikidata relation (Brabant et al. 2023)."""
    seen = set()
    for entry in read_json(data / "kgconv" / "template_library.json.gz"):
        key = entry["template_key"]["p"]
        step = (key.lstrip("-"), key.startswith("-"))
        for template in entry["templates"]:
            text = tidy(f"{template['left']} {MASK} {template['right']}".replace(" 's", "'s"))
            if (text, step) not in seen and len(text.split()) > 2:
                seen.add((text, step))
                yield PathExample(text, (step,), "kgconv")


def entity_question_templates(data: Path) -> Iterator[PathExample]:
    """EntityQuestions' one wording per relation (Sciavolino et al. 2021)."""
    templates = read_json(data / "entityquestions" / "relation_query_templates.json")
    for key, template in templates.items():
        step = (key.split("_")[0], False)
        yield PathExample(tidy(template.replace("[X]", MASK)), (step,), "entityquestions")


_TRIPLE = re.compile(r"(wd:Q\d+|\?\w+) wdt:(P\d+) (wd:Q\d+|\?\w+)")


def wikiweb_questions(data: Path, labels: dict[str, str]) -> Iterator[PathExample]:
    """WikiWebQuestions whose SPARQL is a plain chain from one entity (Xu et al. 2023)."""
    for row in read_json(data / "wikiwebquestions" / "train.json.gz"):
        body = row["sparql"].partition("WHERE")[2].strip(" {}\n").rstrip(". ")
        parts = [part.strip() for part in body.split(" . " if " . " in body else ". ")]
        triples = [_TRIPLE.fullmatch(part) for part in parts]
        if not all(triples):
            continue
        chain = _chain([match.groups() for match in triples])
        if chain is None:
            continue
        topic, path = chain
        masked = mask_label(row["utterance"], labels.get(topic))
        if masked:
            yield PathExample(tidy(masked), path, "wikiweb")


def _chain(triples: list[tuple[str, str, str]]) -> tuple[str, tuple[Step, ...]] | None:
    """Order triples from the one entity to ``?x``; None when they are no such chain."""
    topics = [end for s, _, o in triples for end in (s, o) if end.startswith("wd:")]
    if len(topics) != 1:
        return None
    at, path, rest = topics[0], [], list(triples)
    while rest:
        step = next((t for t in rest if at in (t[0], t[2])), None)
        if step is None:
            return None
        rest.remove(step)
        subject, key, obj = step
        path.append((key, at == obj))
        at = subject if at == obj else obj
    return (topics[0][3:], tuple(path)) if at == "?x" else None


def own_questions(wordings: dict[str, RelationWordings]) -> Iterator[PathExample]:
    """Our own one-hop wordings."""
    for wording in wordings.values():
        for direction in (FORWARD, INVERSE):
            for template in wording.questions[direction]:
                step = (wording.key, direction == INVERSE)
                yield PathExample(tidy(fill(template, MASK)), (step,), "own")
