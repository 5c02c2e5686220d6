"""Relations with the words people use for them: what the reader's questions are made of.

Sources, all train splits or templates: our own wordings (``wordings.txt``),
KGConv's template library, SimpleQuestions-Wikidata (train), EntityQuestions'
templates, and the labels of Wikidata properties.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgask.corpus.training_data import ENTITY_QUESTIONS, KGCONV, OWN, PROPERTY_LABELS, SIMPLE
from kgask.corpus.wordings import FORWARD, INVERSE, load_wordings
from kgask.errors import BuildError
from kgask.pack.labels import inverse_phrase, readable_relation
from kgask.sets import entityquestions, kgconv, registry, simplequestions
from kgask.sets.rows import in_data, lines_of
from kgask.sets.wikidata import entity_labels, property_labels

TOPIC = "{x}"
_NOT_A_RELATION = re.compile(
    r"\b(ID|IDs|identifier|code|number|Sandbox|template|Wikidata|Wikimedia|property|lexeme|label item|username|"
    r"attested as|does not have|different from|category for|list of works|exception to|stated as|inferred from)\b",
    re.IGNORECASE,
)
_OPENS_LIKE_A_VERB = (
    "has ",
    "is ",
    "located",
    "located_",
    "given ",
    "named ",
    "based ",
    "found",
    "said ",
    "owned ",
)
# Wikidata's relations that are their own inverse, pairs of which one is (nearly) the inverse of the other, and pairs
# of which one says what the other does, or part of it.
SYMMETRIC = frozenset(
    ("P26", "P47", "P190", "P451", "P460", "P461", "P530", "P1038", "P1382", "P3342", "P3373", "P3403")
    + ("kgask:brother", "kgask:sister")
)
INVERSES = (
    ("P22", "P40"), ("P25", "P40"), ("P36", "P1376"), ("P50", "P800"), ("P57", "P800"), ("P86", "P800"),
    ("P69", "P3095"), ("P112", "P1830"), ("P115", "P466"), ("P127", "P1830"), ("P131", "P150"), ("P155", "P156"),
    ("P170", "P800"), ("P179", "P527"), ("P184", "P185"), ("P206", "P205"), ("P355", "P749"), ("P361", "P527"),
    ("P403", "P974"), ("P463", "P527"), ("P629", "P747"), ("P710", "P1344"), ("P802", "P1066"), ("P828", "P1542"),
    ("P1346", "P2522"), ("P1365", "P1366"), ("P1478", "P1536"), ("kgask:parents", "P40"), ("kgask:father-of", "P22"),
    ("kgask:mother-of", "P25"), ("kgask:filmography", "P161"), ("kgask:works-written", "P50"),
    ("kgask:films-directed", "P57"), ("kgask:founded-things", "P112"), ("kgask:spoken-in", "P37"),
)  # fmt: skip
SYNONYMS = (
    ("kgask:wife", "P26"), ("kgask:husband", "P26"), ("kgask:brother", "P3373"), ("kgask:sister", "P3373"),
    ("kgask:son", "P40"), ("kgask:daughter", "P40"), ("kgask:parents", "P22"), ("kgask:parents", "P25"),
    ("P17", "P495"), ("P31", "P279"), ("P131", "P276"), ("P361", "P179"), ("P361", "P463"), ("P364", "P407"),
    ("P737", "P941"), ("P144", "P941"), ("P108", "P1416"), ("P127", "P749"), ("P453", "P1441"),
)  # fmt: skip

LABEL_QUESTIONS = (
    "what is the {r} of {x}",
    "what is {x}'s {r}",
    "{r} of {x}",
    "which {r} does {x} have",
    "tell me the {r} of {x}",
    "who or what is the {r} of {x}",
    "name the {r} of {x}",
    "what was the {r} of {x}",
    "{x} {r}",
    "give the {r} for {x}",
)
LABEL_QUESTIONS_INVERSE = (
    "what has {x} as its {r}",
    "which one has the {r} {x}",
    "{x} is the {r} of what",
    "what is {x} the {r} of",
    "list everything whose {r} is {x}",
    "whose {r} is {x}",
)
LABEL_PHRASES = ("the {r} of {x}", "{x}'s {r}", "the {r} that {x} has")
LABEL_PHRASES_INVERSE = ("the one whose {r} is {x}", "the thing with the {r} {x}", "what has the {r} {x}")


@dataclass(slots=True)
class RelationWords:
    """One relation: its label's variants and, by direction, questions and noun phrases with ``{x}``."""

    key: str
    labels: list[str]
    domain: str = ""
    range: str = ""
    questions: dict[str, list[str]] = field(default_factory=lambda: {FORWARD: [], INVERSE: []})
    phrases: dict[str, list[str]] = field(default_factory=lambda: {FORWARD: [], INVERSE: []})
    inverse_labels: list[str] = field(default_factory=list)  # given ones; generated phrases come on top
    own: bool = False  # from wordings.txt: typed, so that it can be composed
    origins: dict[str, str] = field(default_factory=dict)  # wording, as it stands here -> the set that it is from

    def sets(self) -> set[str]:
        """The sets that its labels and questions are from; phrases are our own."""
        texts = [*self.labels, *self.inverse_labels, *self.questions[FORWARD], *self.questions[INVERSE]]
        return {self.origins[text] for text in texts if text in self.origins} | ({OWN} if self.own else set())

    def line_label(self, direction: str, rng: random.Random) -> str:
        """A wording of the relation as a line shows it."""
        if direction == INVERSE and self.inverse_labels and rng.random() < 0.6:
            return rng.choice(self.inverse_labels)
        label = self.labels[0] if rng.random() < 0.6 else rng.choice(self.labels)
        if direction == FORWARD:
            return label
        return (
            f"{label} of" if rng.random() < 0.3 and not label.endswith((" of", " by", " in")) else inverse_phrase(label)
        )

    def kinds(self, direction: str) -> tuple[str, str]:
        """``(start, end)`` type letters when walked in this direction; empty = anything."""
        return (self.domain, self.range) if direction == FORWARD else (self.range, self.domain)

    def question(self, direction: str, rng: random.Random) -> str:
        """A question with ``{x}``; a relation with few of its own also gets one made from its label."""
        own = self.questions[direction]
        if own and (len(own) > 3 or rng.random() < 0.7):
            return rng.choice(own)
        forms = LABEL_QUESTIONS if direction == FORWARD else LABEL_QUESTIONS_INVERSE
        return rng.choice(forms).replace("{r}", rng.choice(self.labels))

    def phrase(self, direction: str, rng: random.Random) -> str:
        """A noun phrase with ``{x}`` for what this step leads to."""
        own = self.phrases[direction]
        if own and rng.random() < 0.9:
            return rng.choice(own)
        forms = LABEL_PHRASES if direction == FORWARD else LABEL_PHRASES_INVERSE
        return rng.choice(forms).replace("{r}", rng.choice(self.labels))


Walked = tuple[str, str]  # key of a relation and the direction it is walked in


def same_meaning(key: str, direction: str) -> set[Walked]:
    """What says the same as walking this relation in this direction, by the tables: "child" and "father of"."""
    back = INVERSE if direction == FORWARD else FORWARD
    return {
        (key, direction),
        *((other, direction) for pair in SYNONYMS if key in pair for other in pair),
        *((other, back) for pair in INVERSES if key in pair for other in pair if other != key),
        *([(key, back)] if key in SYMMETRIC else []),
    }


def is_held_out(text: str, share: float = 0.08) -> bool:
    """Whether a wording (or relation) is kept for measuring: by hash, so always the same ones."""
    return zlib.crc32(text.lower().encode()) % 1000 < share * 1000


class RelationBank:
    """Every relation of one side of the split, drawn by kind of source."""

    def __init__(self, relations: list[RelationWords], held_out: bool):
        self.held_out = held_out
        kept = [_one_side(relation, held_out) for relation in relations]
        self.all = [relation for relation in kept if relation is not None]
        self.own = [relation for relation in self.all if relation.own]
        self.asked = [r for r in self.all if not r.own and (r.questions[FORWARD] or r.questions[INVERSE])]
        self.named = [r for r in self.all if not r.own and not (r.questions[FORWARD] or r.questions[INVERSE])]
        self.sets = sorted({name for relation in self.all for name in relation.sets()})
        self._starting: dict[str, list[tuple[RelationWords, str]]] = defaultdict(list)
        for relation in self.own:
            for direction in (FORWARD, INVERSE):
                for letter in relation.kinds(direction)[0]:
                    self._starting[letter].append((relation, direction))
        self.look_alikes = _look_alikes(self.all)
        self._labelled = _keys_by_label((relation, relation.labels) for relation in relations)
        self._labelled_back = _keys_by_label((relation, relation.inverse_labels) for relation in relations)

    def same_meaning(self, relation: RelationWords, direction: str) -> set[Walked]:
        """Which steps would answer the same question: the tables' ones, and whatever shares a label."""
        back = INVERSE if direction == FORWARD else FORWARD
        found = same_meaning(relation.key, direction)
        for label in map(str.lower, relation.labels):
            found |= {(key, direction) for key in self._labelled[label]}
            found |= {(key, back) for key in self._labelled_back[label]}
        for label in map(str.lower, relation.inverse_labels):
            found |= {(key, back) for key in self._labelled[label]}
        return found

    def draw(self, rng: random.Random) -> tuple[RelationWords, str]:
        """A relation and a direction: half our own wordings, most others asked by people, the rest by
        label."""
        draw = rng.random()
        pool = self.own if draw < 0.5 else self.asked if draw < 0.88 else self.named
        relation = rng.choice(pool or self.all)
        directions = [way for way in (FORWARD, INVERSE) if relation.questions[way]] or [FORWARD]
        return relation, rng.choice(directions)

    def starting_at(self, kinds: str, rng: random.Random) -> tuple[RelationWords, str]:
        """A typed relation that can be walked from something of one of these kinds, else any."""
        options = [option for letter in kinds for option in self._starting.get(letter, ())]
        if options and rng.random() < 0.85:
            return rng.choice(options)
        return self.draw(rng)[0], rng.choice((FORWARD, FORWARD, INVERSE))


def _one_side(relation: RelationWords, held_out: bool) -> RelationWords | None:
    """The relation with only its training (or only its held-out) questions; None when nothing is left."""
    questions = {
        way: [text for text in texts if is_held_out(text) == held_out] for way, texts in relation.questions.items()
    }
    asked = bool(relation.questions[FORWARD] or relation.questions[INVERSE])
    if asked and not (questions[FORWARD] or questions[INVERSE]):
        return None
    if not asked and is_held_out(relation.key) != held_out:
        return None
    return replace(relation, questions=questions)


def _keys_by_label(labelled: Iterable[tuple[RelationWords, list[str]]]) -> dict[str, set[str]]:
    """Lower-case label -> keys of the relations that have it."""
    found: dict[str, set[str]] = defaultdict(set)
    for relation, labels in labelled:
        for label in labels:
            found[label.lower()].add(relation.key)
    return found


def _look_alikes(relations: list[RelationWords]) -> dict[str, list[RelationWords]]:
    """Relations that share a word of the label: "place of birth" and "place of death"."""
    by_word: dict[str, list[RelationWords]] = defaultdict(list)
    for relation in relations:
        for word in set(relation.labels[0].split()):
            if len(word) > 3:
                by_word[word].append(relation)
    return {
        relation.key: [other for word in relation.labels[0].split() for other in by_word[word] if other is not relation]
        for relation in relations
    }


def load_relations(data: Path, tables: Sequence[Path] = ()) -> list[RelationWords]:
    """All sources under a data folder (see its README), and the relation tables of packs.

    A table is a TSV of key, label, aliases (joined by ``|``), description and
    inverse label, as packs are built from. Raises BuildError naming a missing file.
    """
    labels = property_labels(data)
    relations: dict[str, RelationWords] = {}
    for key, own in load_wordings().items():
        relations[key] = RelationWords(key, own.texts, own.domain, own.range, own.questions, own.phrases, own=True)
    for table in tables:
        _add_table(table, relations)
    for key, label in labels.items():
        if key not in relations and not _NOT_A_RELATION.search(label) and 2 < len(label) < 40:
            shown = readable_relation(label)
            relations[key] = RelationWords(key, [shown], origins={shown: PROPERTY_LABELS})
    for key, direction, question, source in _asked(data):
        if key in relations and 8 < len(question) < 120:
            relations[key].questions[direction].append(question)
            relations[key].origins.setdefault(question, source)
    for relation in relations.values():
        for way, texts in relation.questions.items():
            relation.questions[way] = list(dict.fromkeys(texts))
    return list(relations.values())


def _add_table(table: Path, relations: dict[str, RelationWords]) -> None:
    for number, line in lines_of(table):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 5:
            raise BuildError(f"{table}:{number}: expected key, label, aliases, description and inverse label")
        key, label, aliases, _, inverse = (cell.strip() for cell in cells)
        words = relations.setdefault(key, RelationWords(key, []))
        found = [readable_relation(text) for text in (label, *aliases.split("|")) if text]
        words.labels = list(dict.fromkeys([*found, *words.labels]))
        if inverse:
            words.inverse_labels.append(readable_relation(inverse))
        source = f"the relation table {table.parent.name}/{table.name}"
        words.origins.update(dict.fromkeys([*found, *words.inverse_labels], source))


def _asked(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """``(key, direction, question with {x}, set)`` of every public source."""
    for key, inverse, left, right in kgconv.templates(data):
        yield key, INVERSE if inverse else FORWARD, _tidy(f"{left}{TOPIC}{right}"), KGCONV
    for key, template in entityquestions.templates(in_data(data, entityquestions.FOLDER / entityquestions.TEMPLATES)):
        yield key, FORWARD, _tidy(template.replace("[X]", TOPIC)), ENTITY_QUESTIONS
    labels = entity_labels(data, preferred=False)
    for gold in registry.load("simplequestions", in_data(data, simplequestions.ANSWERABLE)):
        label, question = labels.get(gold.topics[0].key or "", ""), gold.text
        found = question.lower().find(label.lower()) if len(label) > 3 else -1
        if found >= 0:
            direction = INVERSE if gold.relations[0].startswith("^") else FORWARD
            yield gold.kind, direction, _tidy(question[:found] + TOPIC + question[found + len(label) :]), SIMPLE


def _tidy(template: str) -> str:
    return " ".join(template.split()).replace(" 's", "'s").replace(" ?", "?")
