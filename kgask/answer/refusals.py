"""Why there is no answer, and what helps: how names were read, what the pack knows about them, what could be asked."""

from __future__ import annotations

import math
import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgask.answer.shared_names import shared_mentions
from kgask.answer.words import relation_in_words
from kgask.link.adjectives import places_of
from kgask.link.linker import Linker
from kgask.link.mentions import Word, looks_named
from kgask.link.parts import TITLES
from kgask.link.plurals import singulars
from kgask.link.values import value_spans
from kgask.methods.accounted import is_all_called
from kgask.methods.doubts import SENTENCE_BEGINS
from kgask.methods.protocol import Retrieved
from kgask.methods.understand import Understanding
from kgask.methods.voice import BY_NOUN
from kgask.pack.labels import clean_label, inverse_phrase, readable_relation, relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.records import RelationText
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.relation_words import RelationWords
from kgask.retrieve.follow import relations_of
from kgask.types import DirectedRelationId, EntityId, Mention, Question, Seed, Stage, opposite, undirected

ASKED = 0.5  # probability from which the plan is said to want one relation
NAMED = 0.5  # score from which on a mention is said to name its entity
SURELY_ASKED = 0.8  # probability from which a query of the planner's says what is asked for
SEEMS = 0.15  # confidence from which a query is worth telling
ALSO = 0.5  # share of the best score from which on another entity may be meant as well
SHOWN_NAMES, SHOWN_RELATIONS, SHOWN_QUESTIONS = 3, 8, 3
SHOWN_NAMESAKES = 5
_NO_NAMES = {*map(str.lower, month_name), *TITLES}
_WORDS = re.compile(r"[^\W_]+")
_NAMED = re.compile(r"[^\W\d_](?:(?![A-Z])[^\W\d_]){2,}[.,;:?!]?")  # "Norwegian": no abbreviation, no compound
_NUMBERED = re.compile(
    r" (\d{1,2})(?=[?!;]|[.,](?!\d)|\Z| (?:and|or|is|was|in|of|by)\b)"
)  # right behind a name: of its name
_WITHIN_NAMES = ("", "of", "the", "of the")  # stand between two words of one name
UNKNOWN = "nothing in the question is the name of an entity of this pack"
NOTHING_PROVEN = "nothing that the reader wrote is an answer that was retrieved"
BACK_TO_TOPIC = "what was retrieved leads only back to the topic"


def is_named(understood: Understanding) -> bool:
    """Whether the question names the seed, rather than something that shares words with it."""
    return understood.seed.match != "typo" and understood.mention.whole


@dataclass(frozen=True, eq=False)
class Refusing:
    """A question that has no answer, with what is known of it."""

    pack: Pack
    question: Question
    found: Retrieved
    least: float  # confidence below which nothing is printed
    linker: Linker | None = None  # that found its names

    # --- why ------------------------------------------------------------------------------------

    def why_not(self, confidence: float) -> tuple[Stage, str]:
        """Where and why nothing that can be trusted was found: the confidence is below ``least``, or there is none."""
        if self.unknown:
            return "link", f"nothing in this pack is called {', '.join(map(repr, self.unknown))}"
        if self.unclear:
            return "link", self.ask_back
        if (asked := self._empty) is not None:
            return "retrieve", f"this seems to ask for {asked}, and the graph has none"
        if self.found.is_derived and (confidence >= SEEMS or (not self._named and self.found.pointed)):
            return "confidence", self._unsure_query(confidence)
        understood = self.found.understood
        if understood is not None and is_named(understood) and not _is_common(understood.seed):
            return self._unplanned(understood, confidence)
        if self._named:
            return "plan", self._no_relation(self._named[0].seeds[0])
        if (sure := next((seed for seed in self.found.seeds if seed.score >= NAMED), None)) is not None:
            return "plan", self._no_relation(sure)  # "lungworts", which no mention is
        if understood is None:
            return "link", UNKNOWN
        return "link", f"{UNKNOWN} (closest: {self._label(understood.seed)})"

    @property
    def _empty(self) -> str | None:
        """What the question surely asks for, in words, where it honours all of it and nothing is so in the graph."""
        from kgask.query.words import verbalise

        readings = self.found.read_as.readings if self.found.read_as is not None else ()
        best = max(readings, key=lambda one: one.written.log_prob, default=None)
        if best is None or best.written.log_prob < math.log(SURELY_ASKED) or best.written.query is None:
            return None
        is_set = best.outcome is not None and best.outcome.members is not None
        is_set = is_set and not any(isinstance(node, nodes.Best) for node in best.written.query.walk())
        is_whole = not (best.left.words or best.unused or best.unmet or best.described or best.is_idle)
        return verbalise(best.written.query, self.pack) if is_set and is_whole and best.is_void else None

    @property
    def ask_back(self) -> str:
        """Who may be meant by the first of :attr:`unclear`."""
        return self._several(self.unclear[0])

    def left_out(self, words: Sequence[str]) -> str:
        """Why a question is refused of which these words are no part of what was understood."""
        known = self.pack.exact({one for word in words for one in (normalise(word), *singulars(normalise(word)))})
        said = {word for text in self.pack.relations() for word in _words_of(text)}
        unknown = [word for word in words if not {normalise(word), *singulars(normalise(word))} & set(known)]
        unknown = [word for word in unknown if not is_all_called(word, said)]
        listed = ", ".join(map(repr, unknown or words))
        if unknown:
            return f"this graph says nothing about {listed}"
        return f"no query over this graph was found that is about {listed}"

    def _unplanned(self, understood: Understanding, confidence: float) -> tuple[Stage, str]:
        label = self._label(understood.seed)
        first, n = understood.branch.relation_probs[0], self.pack.n_relations
        had, back = relations_of(self.pack, np.array([understood.seed.entity])), opposite(understood.asked, n)
        is_other_way = had[back] and BY_NOUN.search(self.question.text) is None  # "who pilots it?", read backwards
        if not had[understood.asked] and not is_other_way and first[understood.asked] > ASKED:
            return "retrieve", f"{label} has no {relation_in_words(self.pack, understood.asked)!r} in this pack"
        if 1.0 - float(first.sum()) > ASKED:
            return "plan", self._no_relation(understood.seed)
        if not understood.routes:
            return "retrieve", self._no_relation(understood.seed)
        said = f"what {label} has answers this only with confidence {self._below(confidence)}"
        return "confidence", said

    def _no_relation(self, seed: Seed) -> str:
        """A number or date that the question limits something by is no topic of it."""
        literal = self.pack.literals([seed.entity])[0]
        is_limit = literal is not None and literal.kind in ("number", "date")
        what = "query over this graph" if is_limit else f"relation of {self._label(seed)}"
        return f"no {what} answers this with enough confidence"

    def _unsure_query(self, confidence: float) -> str:
        from kgask.query.words import verbalise

        if confidence < SEEMS:
            return f"no query over this graph answers this; the likeliest has confidence {confidence:.2f}"
        query = self.found.hypotheses[0].make_query()
        asked = "a query" if query is None else verbalise(query, self.pack)
        return f"this seems to ask for {asked}, but only with confidence {self._below(confidence)}"

    def _below(self, confidence: float) -> str:
        """Rounded down: 0.838 is no "0.84, below 0.84"."""
        return f"{math.floor(100 * confidence) / 100:.2f}, below {self.least:.2f}"

    # --- what helps -----------------------------------------------------------------------------

    def help(self) -> tuple[str, ...]:
        """How names were read, what the pack knows about the topic, and questions about it."""
        lines = [self._several(one) if self._is_ambiguous(one) else self._read(one) for one in self._named]
        lines += [self._several(one) for one in self.unclear[1:]]  # of the first the reason tells
        topic = self._topic
        if topic is not None:
            label, counted = self._label(topic), self._relations(topic.entity)
            if counted:
                listed = ", ".join(self._in_words(relation) for relation in counted[:SHOWN_RELATIONS])
                more = ", ..." if len(counted) > SHOWN_RELATIONS else ""
                lines.append(f"of {label} this pack knows: {listed}{more}")
            near = list(self._near(label, counted))
            if near:
                lines.append(f"ask for instance: {' '.join(near)}")
        return tuple(lines)

    @property
    def _topic(self) -> Seed | None:
        understood = self.found.understood
        if understood is not None and understood.seed in (one.seeds[0] for one in self._named):
            return understood.seed
        return self._named[0].seeds[0] if self._named else None

    def _read(self, mention: Mention) -> str:
        seed = mention.seeds[0]
        return f"{seed.mention!r} was read as {self._described(seed.entity)}, {seed.score:.2f}"

    def _is_ambiguous(self, mention: Mention) -> bool:
        seeds = mention.seeds
        return len(seeds) > 1 and seeds[1].score >= ALSO * seeds[0].score and seeds[0].match != "given"

    def _several(self, mention: Mention) -> str:
        shown = [seed.entity for seed in mention.seeds[:SHOWN_NAMESAKES]]
        named = [f"{self._described(entity)} [{key}]" for entity, key in zip(shown, self.pack.keys(shown), strict=True)]
        more = ", ..." if max(len(mention.seeds), mention.n_same) > len(shown) else ""
        return f"several are called {mention.text!r}: {', '.join(named)}{more}; choose with --entity KEY"

    def _described(self, entity: EntityId) -> str:
        label, about = self.pack.labels([entity])[0], self.pack.descriptions([entity])[0]
        return f"{label} ({clean_label(about, 60)})" if about else label

    def _label(self, seed: Seed) -> str:
        return self.pack.labels([seed.entity])[0]

    def _relations(self, entity: EntityId) -> list[DirectedRelationId]:
        """The directed relations of an entity, those with most triples first."""
        pack = self.pack
        counts = np.zeros(2 * pack.n_relations, np.int64)
        for indptr, relation, shift in (
            (pack.out_indptr, pack.out_relation, 0),
            (pack.in_indptr, pack.in_relation, pack.n_relations),
        ):
            pack.need_rows(np.array([entity]), inverse=shift > 0)
            row = relation[int(indptr[entity]) : int(indptr[entity + 1])]
            counts += np.bincount(row.astype(np.int64) + shift, minlength=2 * pack.n_relations)
        order = np.argsort(-counts, kind="stable")
        return order[: np.count_nonzero(counts)].tolist()

    def _in_words(self, directed_relation: DirectedRelationId) -> str:
        relation, inverse = undirected(directed_relation, self.pack.n_relations)
        text = self.pack.relations()[relation]
        words = readable_relation(text.label)
        return (clean_label(text.inverse_label) or inverse_phrase(words)) if inverse else words

    def _near(self, label: str, relations: Sequence[DirectedRelationId]) -> Iterator[str]:
        """Questions for what the topic has: for what the plan thinks nearest first, where it has a plan."""
        understood = self.found.understood
        types = self.pack.type_relations
        nearest = [one for one in relations if undirected(one, self.pack.n_relations)[0] not in types]
        if understood is not None and understood.seed == self._topic:
            probs = understood.branch.relation_probs[0]
            nearest.sort(key=lambda relation: -float(probs[relation]))
        texts = self.pack.relations()
        for directed_relation in nearest[:SHOWN_QUESTIONS]:
            relation, inverse = undirected(directed_relation, self.pack.n_relations)
            yield RelationWords(texts[relation].label, inverse).asked(label)

    # --- the names of the question --------------------------------------------------------------

    @cached_property
    def _named(self) -> list[Mention]:
        """Mentions that surely name something, in the question's order; the longest where some share words."""
        sure = [one for one in self._surely_linked if one.whole] or self._surely_linked
        if self._unknown_names:  # beside which a word in lower case ("the mother") is hardly a name
            sure = [one for one in sure if not one.text.islower()]
        sure.sort(key=lambda one: (one.span[0] - one.span[1], one.span[0]))
        kept: list[Mention] = []
        for one in sure:
            if not any(_overlap(one.span, other.span) for other in kept):
                kept.append(one)
        return sorted(kept[:SHOWN_NAMES], key=lambda one: one.span)

    @cached_property
    def unclear(self) -> list[Mention]:
        """Parts of names that several entities share: what was found is about none of them, or others have it too."""
        return self._left_out or shared_mentions(self.found, self.pack)[:SHOWN_NAMES]

    @property
    def _left_out(self) -> list[Mention]:
        """Parts of names that several entities share, and that nothing which was found is about.

        Where something is found or named, only those that are surely written as names, and that the query does not say.
        """
        if self.linker is None:
            return []
        words, used = self.linker.words(self.question), self._used
        if used or self._surely_linked:
            is_marked_out = any(word.text[0].islower() for word in words)  # not so where every word is capitalised
            words = [word for word in words if is_marked_out and self._is_written_as_name(word)]
        words = [word for word in words if not any(_overlap((word.start, word.end), place) for place in used)]
        if words and self.found.hypotheses:
            said = self._said
            words = [word for word in words if word.norm not in said]
        if not words:
            return []
        every = [one for one in self.linker.unclear(self.question) if one.seeds]
        return [one for one in every if any(_overlap((word.start, word.end), one.span) for word in words)][:SHOWN_NAMES]

    def _is_written_as_name(self, word: Word) -> bool:
        assert self.linker is not None
        begins = SENTENCE_BEGINS.search(self.question.text[: word.start]) is not None
        return looks_named(word) and not begins and word.norm not in _NO_NAMES and self.linker.is_rare(word)

    @property
    def _said(self) -> set[str]:
        """Words of the names and relations of the best query: "Nobel", where it follows "year of Nobel Prize"."""
        from kgask.query.text import to_text  # loaded only where a name may be left out

        query = self.found.hypotheses[0].make_query()
        return set() if query is None else set(normalise(" ".join(_WORDS.findall(to_text(query, self.pack)))).split())

    @property
    def _used(self) -> list[tuple[int, int]]:
        """Characters of the question that what was found is about."""
        return [*(seed.span for seed in self.found.seeds), *self.found.pointed]

    @property
    def _surely_linked(self) -> list[Mention]:
        return [one for one in self.found.linked if one.seeds[0].score >= NAMED and not one.is_shared]

    @cached_property
    def _unknown_names(self) -> list[str]:
        """Capitalised words within the question, neighbours together, that no entity or relation is called by."""
        if self.linker is None:
            return []
        spans = [one.span for one in (*self.found.linked, *self.unclear) if not self._goes_on(one)]
        words = [word for word in self.linker.words(self.question)[1:] if _is_capitalised(word) and looks_named(word)]
        words = [word for word in words if not any(_overlap((word.start, word.end), span) for span in spans)]
        relations = self.pack.relations() if words else ()
        known = {word for text in relations for word in relation_phrase(text.label).split()}
        runs: list[tuple[int, int]] = []
        for word in words:
            if word.norm in known or word.norm in _NO_NAMES:
                continue
            if runs and self.question.text[runs[-1][1] : word.start].strip() in _WITHIN_NAMES:
                runs[-1] = (runs[-1][0], word.end)
            else:
                runs.append((word.start, word.end))
        return [self.question.text[start:end] for start, end in runs[:SHOWN_NAMES]]

    @property
    def unknown(self) -> list[str]:
        """What is written as a name and is none here."""
        return self._unknown_names or self.strangers

    @cached_property
    def strangers(self) -> list[str]:
        """Words that are surely written as names, and names with a number behind, that nothing in the query is about.

        What was found is then the answer to another question.
        """
        if self.linker is None or not self.found.hypotheses:
            return []
        words, text = self.linker.words(self.question), self.question.text
        is_marked_out = any(word.text[0].islower() for word in words)  # not so where every word is capitalised
        names = [word for word in words if is_marked_out and self._is_written_as_name(word)]
        names = [word for word in names if _NAMED.fullmatch(word.text)]
        known = [*(one.span for one in self.found.linked), *self._used]
        names = [word for word in names if not any(_overlap((word.start, word.end), place) for place in known)]
        if names:
            values = [one.place for one in value_spans(text, self.pack.manifest.get("axes", ()))]
            said = self._said
            names = [one for one in names if not any(_overlap((one.start, one.end), place) for place in values)]
            names = [one for one in names if not any(said.issuperset(name.split()) for name in _called(one.norm))]
        numbered = (_NUMBERED.match(text, end) for _, end in self._used)
        return [one.text for one in names] + [one[1] for one in numbered if one and one[1] not in self._said]

    def _goes_on(self, mention: Mention) -> bool:
        """Whether its name goes on in a capitalised word that nothing is called: "Mona" of "Mona Lisa"."""
        if mention.whole or self.linker is None:
            return False
        text, (start, end) = self.question.text, mention.span
        return any(
            looks_named(word) and word.text[0].isupper() and self.linker.is_rare(word)
            and not (text[end : word.start] if word.start >= end else text[word.end : start] or "-").strip()
            and not any(_overlap((word.start, word.end), other.span) for other in self.found.linked)
            for word in self.linker.words(self.question)
        )  # fmt: skip


def _called(norm: str) -> Iterator[str]:
    """What is meant by a word: itself, one of it, the place of an adjective ("Cypriot")."""
    yield from (norm, *singulars(norm), *places_of(norm))


def _is_capitalised(word: Word) -> bool:
    return looks_named(word) and word.text[0].isupper() and word.text != "I"


def _is_common(seed: Seed) -> bool:
    """Whether it is hardly named: a word in lower case that happens to be a name ("die")."""
    return seed.mention.islower() and seed.score < NAMED


def _words_of(relation: RelationText) -> Iterator[str]:
    names = (*relation.names, relation.inverse_label)
    return (word for name in names if name for word in relation_phrase(name).split())


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
