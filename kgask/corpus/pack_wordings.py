"""Wordings for the relations of one pack, from the pack alone.

A relation borrows the wordings of the known relations that it is called like
(by key, label, alias, or by vectors that the caller brings), then of those the
ones whose ends fit what stands at its own ends in the graph: *written by*
beside *directed by* is a film's. What matches nothing is worded from its label
and inverse label. Types are the letters of ``wordings.txt``, "?" for unknown.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kgask.corpus.frames import FORWARD, INVERSE, many, singular
from kgask.corpus.wordings import RelationWordings
from kgask.pack.labels import relation_phrase
from kgask.pack.records import RelationText
from kgask.pack.store import Pack

LETTER_COSINE, WORDING_COSINE = 0.6, 0.8  # what a vector match must reach to lend its types, and its wordings
ROUNDS = 3  # of voting on what stands at the ends of relations
SAMPLED, LEAST_SAMPLED, MOST_SAMPLED = 60, 8, 6_000  # triples of a relation, and of all, that ends are looked up in
LOOKED_AT = 300  # triples of one entity that say what it is
PRIOR = 0.05  # weight of the matches themselves among the letters that they allow
BORROWED_TEXTS = 4
HELD_VOICES = 4  # one in so many wordings is held out where a planner is judged by them
LETTERS = "FBMWPRCLOGNAUETDHS"  # of wordings.txt
_LITERAL, UNKNOWN = "S", "?"
_INNER_LINK = re.compile(r" (by|in|at|to|on|with|from|about|of|where|when)( |$)")


@dataclass(frozen=True, slots=True, eq=False)
class TextVectors:
    """Unit vectors of relation texts; they may be None where no encoder is at hand."""

    pack: np.ndarray  # float32 [R, D], the pack's relations in their order
    known: np.ndarray  # float32 [K, D], the first text of each of ``load_wordings()``, in its order


@dataclass(frozen=True, slots=True)
class Match:
    """A known relation that a pack's relation may mean."""

    wording: RelationWordings
    score: float  # 1 for the same name, less for less sure
    turned: bool  # the known relation runs from object to subject

    def ends(self) -> tuple[str, str]:
        return self.wording.ends(self.turned)


@dataclass(slots=True)
class PackWordings:
    """How to speak about a pack's relations and what its entities are."""

    by_key: dict[str, RelationWordings]
    slots: list[str]  # [2R] letter of where each directed relation starts
    votes: np.ndarray = field(repr=False)  # float64 [2R, letters] of what has the directed relation

    def letter(self, pack: Pack, entity: int) -> str:
        """What an entity is, by the relations that it has."""
        if entity >= pack.n_entities - pack.n_literals:
            return _LITERAL
        return _most(self.votes[incident(pack, entity)].sum(0))


class RelationRows:
    """The triples of each relation; T ids are sorted once."""

    def __init__(self, pack: Pack) -> None:
        relation = np.asarray(pack.out_relation)
        self._order = np.argsort(relation, kind="stable")
        self.bounds: list[int] = np.searchsorted(relation[self._order], np.arange(pack.n_relations + 1)).tolist()

    def counts(self) -> np.ndarray:
        """Triples of each relation, int64 [R]."""
        return np.diff(self.bounds)

    def draw(self, relation: int, n: int, rng: random.Random) -> list[int]:
        """Up to ``n`` triple ids of a relation."""
        low, high = self.bounds[relation], self.bounds[relation + 1]
        return self._order[rng.sample(range(low, high), min(n, high - low))].tolist() if high > low else []


def incident(pack: Pack, entity: int) -> list[int]:
    """Directed relations that an entity has; of a hub, those of a few hundred of its triples."""
    found: list[int] = []
    for inverse in (False, True):
        indptr = pack.in_indptr if inverse else pack.out_indptr
        relation = pack.in_relation if inverse else pack.out_relation
        start, end = int(indptr[entity]), int(indptr[entity + 1])
        # Evenly spread: rows are sorted by relation, so the first few hundred of a hub are all of one.
        rows = np.linspace(start, end - 1, min(end - start, LOOKED_AT)).astype(np.int64)
        found += (np.unique(relation[rows]).astype(np.int64) + inverse * pack.n_relations).tolist()
    return found


def texts_to_encode(pack: Pack, wordings: Mapping[str, RelationWordings]) -> tuple[list[str], list[str]]:
    """What a caller with an encoder encodes for :class:`TextVectors`: (the pack's texts, the known ones)."""
    return [relation_phrase(relation.label) for relation in pack.relations()], [w.texts[0] for w in wordings.values()]


def word_pack(
    pack: Pack, wordings: Mapping[str, RelationWordings], rng: random.Random, vectors: TextVectors | None = None
) -> PackWordings:
    """Wordings and types for every relation of ``pack``."""
    relations, rows = pack.relations(), RelationRows(pack)
    named = _by_name(wordings)
    matches = [_matches(relation, wordings, named) for relation in relations]
    if vectors is not None:
        _add_near(matches, list(wordings.values()), vectors)
    votes = _vote(pack, matches, _sample_entities(pack, rows, rng))
    slots = [_most(row) for row in votes]
    by_key = {}
    for index, relation in enumerate(relations):
        ends = slots[index], slots[index + len(relations)]
        by_key[relation.key] = _borrow(relation, matches[index], ends, _literal_kind(pack, rows.draw(index, 1, rng)))
    return PackWordings(by_key, slots, votes)


def in_voice(by_key: Mapping[str, RelationWordings], held: bool) -> dict[str, RelationWordings]:
    """The wordings without those that are held out, or (``held``) only these: one in :data:`HELD_VOICES` of each.

    By what a wording says and not by relation: whatever relations share it, its questions are on one side. Where all
    wordings of a direction are on the other side it has none, and is spoken of by its label.
    """

    def kept(texts: dict[str, list[str]]) -> dict[str, list[str]]:
        return {way: [text for text in found if is_held_voice(text) == held] for way, found in texts.items()}

    return {
        key: replace(wording, questions=kept(wording.questions), phrases=kept(wording.phrases))
        for key, wording in by_key.items()
    }


def is_held_voice(text: str) -> bool:
    return zlib.crc32(text.encode()) % HELD_VOICES == 0


# --- which known relation it is ---------------------------------------------------------------


def _plain(text: str) -> str:
    """A text to compare by: words, no auxiliary before, singular."""
    words = re.sub(r"^(has|have|is|was|are|the|a) ", "", relation_phrase(text)).split()
    return " ".join(singular(word) if len(word) > 3 else word for word in words)


def _by_name(wordings: Mapping[str, RelationWordings]) -> dict[str, list[tuple[RelationWordings, float]]]:
    names: dict[str, list[tuple[RelationWordings, float]]] = defaultdict(list)
    for wording in wordings.values():
        for place, text in enumerate(wording.texts):
            if all(known is not wording for known, _ in names[_plain(text)]):
                names[_plain(text)].append((wording, 1.0 if place == 0 else 0.8))
    return names


def _matches(
    relation: RelationText,
    wordings: Mapping[str, RelationWordings],
    named: Mapping[str, list[tuple[RelationWordings, float]]],
) -> list[Match]:
    """Known relations with the same key, or with a text of this relation."""
    if relation.key in wordings:
        return [Match(wordings[relation.key], 1.0, False)]
    texts = [(relation.label, 1.0), *((alias, 0.6) for alias in relation.aliases)]
    segments = [part for part in relation.key.replace(".", "").split("/") if part]
    if len(segments) > 1 and not relation.key.startswith("http"):
        texts.append((segments[-1], 0.5))
    best: dict[tuple[str, bool], Match] = {}
    for text, trust in texts:
        plain = _plain(text)
        found = [(wording, score, False) for wording, score in named.get(plain, ())]
        if plain.endswith(" of"):
            found += [(wording, 0.9 * score, True) for wording, score in named.get(plain.removesuffix(" of"), ())]
        for wording, score, turned in found:
            key = (wording.key, turned)
            if key not in best or best[key].score < trust * score:
                best[key] = Match(wording, trust * score, turned)
    return list(best.values())


def _add_near(matches: list[list[Match]], known: Sequence[RelationWordings], vectors: TextVectors) -> None:
    """The closest known relations for those that no text matches."""
    cosines = vectors.pack @ vectors.known.T  # [R, K]
    for index, found in enumerate(matches):
        if not found:
            for place in np.argsort(-cosines[index])[:2].tolist():
                if cosines[index, place] >= LETTER_COSINE:
                    found.append(Match(known[place], 0.5 * float(cosines[index, place]), False))


# --- what stands at its ends ------------------------------------------------------------------


def _sample_entities(pack: Pack, rows: RelationRows, rng: random.Random) -> list[int]:
    """Both ends of some triples of every relation."""
    each = max(LEAST_SAMPLED, min(SAMPLED, MOST_SAMPLED // pack.n_relations))
    ids = [triple for relation in range(pack.n_relations) for triple in rows.draw(relation, each, rng)]
    subjects, _, objects = pack.triples(ids)
    return sorted({*subjects.tolist(), *objects.tolist()})


def _vote(pack: Pack, matches: list[list[Match]], entities: list[int]) -> np.ndarray:
    """How much each letter is believed of what has each directed relation, float64 [2R, letters].

    A relation says what its matches say; an entity is what its relations say
    together; a relation is then believed to be at such entities, as far as its
    matches allow. The last column of the count is "unknown".
    """
    prior = _prior(pack, matches)
    around = [incident(pack, entity) for entity in entities]
    rows = np.repeat(np.arange(len(entities)), [len(has) for has in around])  # entity of each pair
    slots = np.array([slot for has in around for slot in has], np.int64)
    is_literal = np.array(entities, np.int64) >= pack.n_entities - pack.n_literals
    believed = prior
    for _ in range(ROUNDS):
        votes = np.zeros((len(entities), len(LETTERS)))
        np.add.at(votes, rows, (believed / np.maximum(believed.sum(1, keepdims=True), 1e-12))[slots])
        letters = np.where(votes.any(1), votes.argmax(1), len(LETTERS))
        letters[is_literal] = LETTERS.index(_LITERAL)
        seen = np.zeros((len(prior), len(LETTERS) + 1))
        np.add.at(seen, (slots, letters[rows]), 1.0)
        believed = _agreed(prior, seen / np.maximum(seen.sum(1, keepdims=True), 1.0))
    return believed


def _prior(pack: Pack, matches: list[list[Match]]) -> np.ndarray:
    """What the matches alone say, float64 [2R, letters]."""
    prior = np.zeros((2 * pack.n_relations, len(LETTERS)))
    for index, found in enumerate(matches):
        for match in found:
            for slot, letters in zip((index, index + pack.n_relations), match.ends(), strict=True):
                for letter in letters:
                    prior[slot, LETTERS.index(letter)] += match.score / len(letters)
    return prior


def _agreed(prior: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """What the entities say ([2R, letters + 1]), among what the matches allow; all of it where nothing matched."""
    matched = prior.any(1, keepdims=True)
    known = seen[:, :-1]
    believed = np.where(matched, np.where(prior > 0, known + PRIOR * prior, 0.0), known)
    literal = LETTERS.index(_LITERAL)
    believed[seen[:, literal] > 0.5] = np.eye(len(LETTERS))[literal]
    return believed


def _most(weights: np.ndarray) -> str:
    return LETTERS[int(weights.argmax())] if weights.any() else UNKNOWN


def _literal_kind(pack: Pack, triples: list[int]) -> str:
    """ "date" or "number" where the object of a relation's triple is such a literal."""
    _, _, objects = pack.triples(triples)
    kinds = pack.kinds(objects.tolist()) if pack.n_literals else []
    return kinds[0] if kinds and kinds[0] in ("date", "number") else ""


# --- its wordings -----------------------------------------------------------------------------


def _borrow(relation: RelationText, matches: list[Match], ends: tuple[str, str], literal: str) -> RelationWordings:
    """The relation's own texts with the wordings of the matches that fit its ends."""
    own = [relation_phrase(text) for text in (relation.label, *relation.aliases)]
    own += [short for text in own[:1] if (short := re.sub(r"^(has|is) ", "", text)) != text]
    made = RelationWordings(relation.key, list(dict.fromkeys(own)), ends[0], ends[1], literal)
    fitting = [match for match in matches if _fits(match, ends)] or matches
    sure = [match for match in fitting if match.score >= 0.5 * WORDING_COSINE]
    for match in sorted(sure, key=lambda match: -match.score)[:2]:
        ways = (INVERSE, FORWARD) if match.turned else (FORWARD, INVERSE)
        for way, theirs in zip((FORWARD, INVERSE), ways, strict=True):
            made.questions[way] += match.wording.questions[theirs]
            made.phrases[way] += match.wording.phrases[theirs]
        frames = match.wording.frames
        made.frames.subjects += frames.objects if match.turned else frames.subjects
        made.frames.objects += frames.subjects if match.turned else frames.objects
        made.literal = made.literal or ("" if match.turned else match.wording.literal)
        if not match.turned:
            made.texts = list(dict.fromkeys(made.texts + match.wording.texts[:BORROWED_TEXTS]))
    inverse_label = relation_phrase(relation.inverse_label) if relation.inverse_label else ""
    _add_label_wordings(made, inverse_label, bool(sure))
    return made


def _fits(match: Match, ends: tuple[str, str]) -> bool:
    return all(end == UNKNOWN or end in letters for end, letters in zip(ends, match.ends(), strict=True))


def _add_label_wordings(made: RelationWordings, inverse_label: str, matched: bool) -> None:
    """What label and inverse label alone can say."""
    who = "who" if made.domain == "P" else "what"
    if inverse_label.endswith(" of"):
        made.questions[INVERSE] += [f"what is {{x}} the {inverse_label}", f"{{x}} is the {inverse_label} what"]
        made.phrases[INVERSE].append(f"what {{x}} is the {inverse_label}")
    elif _INNER_LINK.search(inverse_label) and " this " not in inverse_label:  # "work about", "element in the group"
        made.questions[INVERSE] += [f"{who} is a {inverse_label} {{x}}", f"name a {inverse_label} {{x}}"]
        made.phrases[INVERSE].append(f"the {inverse_label} {{x}}")
    elif inverse_label and not _INNER_LINK.search(inverse_label):
        several = many(inverse_label)
        made.questions[INVERSE] += [f"{who} is the {inverse_label} of {{x}}", f"{who} are the {several} of {{x}}"]
        made.phrases[INVERSE] += [f"the {label} of {{x}}" for label in (inverse_label, several)]
        made.phrases[INVERSE].append(f"{{x}}'s {inverse_label}")
    verb = _verb(made.texts[0], inverse_label)
    if verb and not matched:
        whom = {"P": "whom", "L": "which place", "C": "which country"}.get(made.range, "what")
        made.questions[FORWARD] += [f"{{x}} {verb} {whom}", f"what is it that {{x}} {verb}"]
        made.questions[INVERSE] += [f"{who} {verb} {{x}}", f"name those that {verb} {{x}}"]
        made.phrases[FORWARD] += [f"what {{x}} {verb}", f"the one that {{x}} {verb}"]
        made.phrases[INVERSE] += [f"those that {verb} {{x}}", f"the one that {verb} {{x}}"]


def _verb(label: str, inverse_label: str) -> str:
    """The label as a predicate (*admires*, *is located in*), or "" where it is a noun."""
    words = label.split()
    if words[0] in ("is", "was", "has", "have"):
        return label
    if words[-1] in ("in", "at", "for", "to", "by", "with", "from", "on"):
        if words[0].endswith(("ed", "en", "set", "made", "born", "held")):
            return f"is {label}"
        return label if words[0].endswith("s") else ""
    return label if len(words) == 1 and label.endswith("s") and inverse_label.endswith(" by") else ""
