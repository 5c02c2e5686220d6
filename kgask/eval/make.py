"""Questions and conversations about long-tail entities of a pack, with the triples that prove them.

The pipeline is LTGen's (Huang et al., section 3.1): sample entities by popularity, keep those with 5 to 100
informative triples, ask for one relation of one entity, or talk about it for a few turns. Wordings are the trainer's
or a language model's. Everything is drawn by seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from kgask.eval.make_sample import Band, Rules, Sample, sample
from kgask.eval.make_wording import Wording, Write
from kgask.eval.recheck import Witness
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic

PER_ENTITY = 3  # questions about one entity, as in LTGen-QA
MAX_ANSWERS = 20  # a relation with more ends asks for a list that nobody reads
MIN_TURNS, MAX_TURNS = 3, 5
CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Settings:
    """What to make."""

    number: int  # questions
    conversations: int
    rng_seed: int
    bands: Sequence[Band]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Made:
    """A question with the pack's rows behind it."""

    gold: Gold
    rows: tuple[int, ...]  # triple ids of ``gold.triples``, in their order


@dataclass(frozen=True, slots=True)
class Ask:
    """One relation of one entity, with all that it leads to."""

    entity: int
    relation: int
    inverse: bool
    ends: tuple[int, ...]
    rows: tuple[int, ...]


def make(
    pack: Pack,
    settings: Settings,
    views: np.ndarray | None = None,
    write: Write | None = None,
    tell: Callable[[int], None] = lambda _: None,
) -> tuple[list[Made], dict[str, Any]]:
    """Questions, then the turns of conversations, and the quality report; fewer than asked for where a pack has less.

    ``views`` float64 [N] is popularity where it is not the number of triples; ``write`` words questions freely.
    """
    rng = random.Random(f"eval make:{settings.rng_seed}")
    sampled = sample(pack, settings.bands, settings.rules, rng, views)
    maker = _Maker(pack, sampled, Wording(pack, rng, write), rng)
    made = maker.questions(settings.number, tell)
    talks = maker.conversations(settings.conversations, lambda done: tell(settings.number + done))
    everything = made + [turn for talk in talks for turn in talk]
    return everything, report(pack, sampled, everything, len(talks), maker)


class _Maker:
    def __init__(self, pack: Pack, sampled: Sample, wording: Wording, rng: random.Random) -> None:
        self._pack, self._sampled, self._rng = pack, sampled, rng
        self.wording = wording
        self._relation_keys = [relation.key for relation in pack.relations()]
        self.duplicates = 0
        self._texts: set[str] = set()

    def questions(self, number: int, tell: Callable[[int], None]) -> list[Made]:
        """Bands in turn, up to three relations of an entity."""
        found: list[Made] = []
        for band, entity in self._in_turn():
            asks = self._asks(entity)
            for ask in self._rng.sample(asks, min(PER_ENTITY, len(asks))):
                if len(found) == number:
                    return found
                made = self._made(ask, band, f"made:{len(found) + 1}", self._question(ask))
                if normalise(made.gold.text) in self._texts:
                    self.duplicates += 1
                    continue
                self._texts.add(normalise(made.gold.text))
                found.append(made)
                tell(len(found))
        return found

    def conversations(self, number: int, tell: Callable[[int], None]) -> list[list[Made]]:
        found: list[list[Made]] = []
        for band, entity in self._in_turn(from_the_end=True):
            if len(found) == number:
                break
            turns = self._turns(entity, self._rng.randint(MIN_TURNS, MAX_TURNS))
            if len(turns) >= MIN_TURNS:
                found.append(self._talk(turns, band, f"{CONVERSATION}:{len(found) + 1}"))
                tell(len(found))
        return found

    def _in_turn(self, from_the_end: bool = False) -> Iterator[tuple[str, int]]:
        """One entity of every band after another; conversations begin with those that questions come to last."""
        rows = [[(name, entity) for entity in entities] for name, entities in self._sampled.by_band.items()]
        for group in zip_longest(*(row[::-1] if from_the_end else row for row in rows)):
            yield from (each for each in group if each is not None)

    def _asks(self, entity: int) -> list[Ask]:
        """Every informative directed relation of an entity with few enough ends, never the entity itself."""
        pack, found = self._pack, []
        out = range(int(pack.out_indptr[entity]), int(pack.out_indptr[entity + 1]))
        back = slice(int(pack.in_indptr[entity]), int(pack.in_indptr[entity + 1]))
        subjects = np.asarray(pack.in_subject[back], np.int64)
        relations = np.asarray(pack.in_relation[back], np.int64)
        into = pack.triple_ids(subjects, relations, np.full(len(subjects), entity)).tolist() if len(subjects) else []
        for inverse, rows in ((False, list(out)), (True, into)):
            ends: dict[int, list[tuple[int, int]]] = {}
            for row, s, r, o in zip(rows, *(part.tolist() for part in pack.triples(rows)), strict=True):
                ends.setdefault(r, []).append((s if inverse else o, row))
            for relation, pairs in sorted(ends.items()):
                others = [end for end, _ in pairs]
                if self._sampled.kept[relation] and len(pairs) <= MAX_ANSWERS and entity not in others:
                    found.append(Ask(entity, relation, inverse, tuple(others), tuple(row for _, row in pairs)))
        return found

    def _question(self, ask: Ask) -> str:
        names = self._pack.labels((ask.entity, *ask.ends))
        return self.wording.question(ask.entity, ask.relation, ask.inverse, names)

    def _turns(self, entity: int, wanted: int) -> list[tuple[str, Ask]]:
        """(text, what is asked): about the entity, and now and then about the one answer of the turn before."""
        asks = self._asks(entity)
        self._rng.shuffle(asks)
        turns: list[tuple[str, Ask]] = []
        while asks and len(turns) < wanted:
            onward = self._onward(turns[-1][1], entity) if turns and turns[-1][1].entity == entity else None
            if onward is not None and (self._rng.random() < 0.5 or len(turns) == wanted - 1):
                turns.append((self.wording.about_answer(onward.entity, onward.relation, onward.inverse), onward))
                continue
            ask = asks.pop()
            text = self.wording.follow_up(entity, ask.relation, ask.inverse) if turns else self._question(ask)
            turns.append((text, ask))
        return turns

    def _onward(self, before: Ask, entity: int) -> Ask | None:
        """Something to ask about the one answer of a turn, that does not lead back to the entity alone."""
        n_named = self._pack.n_entities - self._pack.n_literals
        if len(before.ends) != 1 or before.ends[0] >= n_named:
            return None
        if int(self._pack.degree([before.ends[0]])[0]) > 10 * MAX_ANSWERS:
            return None
        asks = [ask for ask in self._asks(before.ends[0]) if entity not in ask.ends]
        return self._rng.choice(asks) if asks else None

    def _talk(self, turns: Sequence[tuple[str, Ask]], band: str, ident: str) -> list[Made]:
        found: list[Made] = []
        history: tuple[tuple[str, str], ...] = ()
        for number, (text, ask) in enumerate(turns, 1):
            made = self._made(ask, band, f"{ident}/{number}", text)
            found.append(replace(made, gold=replace(made.gold, kind=CONVERSATION, history=history)))
            history += ((text, ", ".join(answer.names[0] for answer in made.gold.answers)),)
        return found

    def _made(self, ask: Ask, band: str, ident: str, text: str) -> Made:
        ids = (ask.entity, *ask.ends)
        labels, keys = self._pack.labels(ids), self._pack.keys(ids)
        relation = self._relation_keys[ask.relation]
        triples = [(key, relation, keys[0]) if ask.inverse else (keys[0], relation, key) for key in keys[1:]]
        answers = tuple(GoldAnswer((label,), key) for label, key in zip(labels[1:], keys[1:], strict=True))
        gold = Gold(
            id=ident, text=text, answers=answers, topics=(GoldTopic(labels[0], keys[0]),),
            relations=(f"^{relation}" if ask.inverse else relation,), kind="question", hops=1, triples=tuple(triples),
            band=band,
        )  # fmt: skip
        return Made(gold, ask.rows)


# --- how good they are ------------------------------------------------------------------------


def report(pack: Pack, sampled: Sample, made: Sequence[Made], n_talks: int, maker: _Maker) -> dict[str, Any]:
    """Counts and shares; ``holds`` is the share whose triples are what SQL and the arrays say, row by row."""
    golds = [each.gold for each in made]
    names = {normalise(answer.names[0]) for gold in golds for answer in gold.answers}
    hits = pack.exact(names - {""}) if names else {}
    shared = {norm for norm, found in hits.items() if len({hit.entity for hit in found if not hit.is_alias}) > 1}
    relations = Counter(gold.relations[0] for gold in golds)
    return {
        "questions": sum(gold.kind != CONVERSATION for gold in golds),
        "conversations": n_talks,
        "turns": sum(gold.kind == CONVERSATION for gold in golds),
        "by_band": dict(Counter(gold.band for gold in golds)),
        "entities_in_bands": {name: len(entities) for name, entities in sampled.by_band.items()},
        "relations": len(relations),
        "most_asked": dict(relations.most_common(5)),
        "relations_left_out": list(sampled.dropped_relations),
        "answers": dict(sorted(Counter(_size(len(gold.answers)) for gold in golds).items())),
        "entities_left_out_for_a_shared_name": sampled.ambiguous,
        "questions_with_an_ambiguous_answer": sum(
            any(normalise(answer.names[0]) in shared for answer in gold.answers) for gold in golds
        ),
        "questions_that_name_an_answer": sum(
            any(_names(gold.text, answer.names[0]) for answer in gold.answers) for gold in golds
        ),
        "duplicates_dropped": maker.duplicates,
        "refused_of_the_writer": maker.wording.refused,
        "holds": round(recheck(pack, made), 4),
    }


def _size(n_answers: int) -> str:
    return "1" if n_answers == 1 else "2-5" if n_answers <= 5 else "6-20"


def _names(text: str, name: str) -> bool:
    return f" {normalise(name)} " in f" {normalise(text)} "


def recheck(pack: Pack, made: Sequence[Made]) -> float:
    """Share of questions whose triples are rows of the pack, read by plain SQL and arrays (1.0 of none)."""
    relation_keys = [relation.key for relation in pack.relations()]
    good = 0
    with Witness(pack.path) as witness:
        for each in made:
            rows = [witness.triple(row) for row in each.rows]
            names = witness.names(end for row in rows if row for end in (row[0], row[2]))
            literal_keys = dict(zip(names, pack.keys(names), strict=True))
            there = [
                (literal_keys[row[0]], relation_keys[row[1]], literal_keys[row[2]]) if row else None for row in rows
            ]
            labels = {name for name, _ in names.values()}
            said = {answer.names[0] for answer in each.gold.answers} | {topic.name for topic in each.gold.topics}
            good += there == list(each.gold.triples) and said == labels
    return good / len(made) if made else 1.0
