"""Some of the last answers, by what the graph says of them: "only the composers", "the ones set in London".

A name is looked for among what the answers have; the relation is the one that leads from them to it, or the one of
several that the turn calls. Where that is not told, nothing is chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from kgask.chat.changes import counted_in
from kgask.chat.form import number_of_those
from kgask.chat.narrower import Narrower, narrower
from kgask.chat.of_answers import SECONDS, OfAnswers
from kgask.chat.turns import Turn, Way
from kgask.errors import BudgetError, QueryError
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.pack.arrays import distinct
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.relation_words import plural
from kgask.retrieve.follow import all_edges, neighbours
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run
from kgask.types import EntityId, opposite

_SEXES = {"woman": "female", "women": "female", "girl": "female", "man": "male", "men": "male", "boy": "male"}
_JOIN = frozenset("and or but nor except not never no without than".split())  # another question than which have it
_LITTLE = (CARRY_NOTHING | frozenset("ones one please pls plz thanks".split())) - _JOIN
MOST_LOOKED_AT = 12  # answers, all of which are of a kind
MOST_MEMBERS = 2000  # answers that are looked at
LEAST_LETTERS = 5  # of a part of a name
MOST_LABELS = 3000  # things that they have, of which a part of the name is enough


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Narrows answers of one pack."""

    answers: OfAnswers

    def ways(self, text: str, continues: bool, corrects: bool) -> Iterator[Way]:
        """Those of the last answers that a turn asks for, or of the ones that these were chosen from."""
        asked = narrower(text, continues or corrects)
        found = self.answers.memory.last_set()
        if asked is None or found is None or not isinstance(found.query, SetNode):
            return
        by = asked.phrase.removeprefix("by ")
        if by != asked.phrase and is_all_called(by, self.answers.memory.referents.relation_words):
            return  # "by area" tells an order
        last = self.answers.memory.last_asked()
        if not asked.is_said and (last is None or not (last.among or len(last.ends) > 1)):
            return
        number = number_of_those(text)
        instead = corrects or (not asked.is_said and (continues or _is_put_alike(asked, last)))
        for base in self._bases(found, asked, instead):
            if number not in (0, len(base.ends)):
                continue
            is_rest = not asked.phrase and asked.is_negated and base.query != found.query  # "the ones that don't"
            chosen = found.query if is_rest else self._chosen(base, asked)
            if chosen is not None and not (asked.is_negated and self._are_all(base, chosen)):
                yield _way(text, base, asked, chosen, self.answers.listed(base.ends))
                return

    def _bases(self, last: Turn, asked: Narrower, instead: bool) -> list[Turn]:
        """What may be narrowed, the likeliest first: after "only the women", "and the men?" is of all."""
        wider = [replace(turn, query=query) for turn in self.answers.memory.turns if (query := _wider(turn, last))]
        if asked.of_all:
            return [*wider[:1], last]
        return [*wider[::-1], last] if instead else [last, *wider[::-1]]

    def _chosen(self, base: Turn, asked: Narrower) -> SetNode | None:
        """All that has to the named thing what some of the answers have; None where that may be two things."""
        if asked.is_negated and (members := self._named(base, asked.phrase, np.array(base.ends), False)):
            return nodes.Entities(tuple(members)) if not any(members.values()) else None
        groups = self._groups(base, asked, in_part=False) or self._groups(base, asked, in_part=True)
        if not groups:
            return self._of_several(base, asked) or self._in_two_steps(base, asked)
        best = max(groups, key=lambda one: len(groups[one]))
        if any(not group <= groups[best] for group in groups.values()):
            return None
        if len(groups) > 1 and asked.phrase.lower().startswith("by "):  # whoever plays in them may be whom they are by
            return None
        target, relation = best
        back = opposite(relation, self.answers.pack.n_relations)
        chosen: SetNode = nodes.Follow(nodes.Entities((target,)), back)
        if asked.is_only and isinstance(base.query, SetNode):
            others = nodes.Minus(nodes.Follow(base.query, relation), nodes.Entities((target,)))
            chosen = nodes.Minus(chosen, nodes.Follow(others, back))
        return chosen

    def _of_several(self, base: Turn, asked: Narrower) -> SetNode | None:
        """All that has one of several things whose names hold what is said: "won a Nobel Prize" of prizes in physics.

        The relation is one, and called by the other words.
        """
        words, members = self.answers.memory.referents.words, np.array(base.ends[:MOST_MEMBERS])
        said = [word for word in normalise(asked.phrase).split() if word not in _LITTLE]
        edges = all_edges(self.answers.pack, members, inverse=False)
        for relation in distinct(edges.relations).tolist():
            targets = distinct(edges.targets[edges.relations == relation]).tolist()
            labels = zip(targets, map(normalise, self.answers.pack.labels(targets[:MOST_LABELS])), strict=False)
            for named in ([*said[at:]] for at in range(1, len(said))):
                is_called = is_all_called(" ".join(said[: -len(named)]), words.of([relation]))
                meant = tuple(one for one, label in labels if {*named} <= {*label.split()}) if is_called else ()
                if len(meant) > 1 and max(map(len, named)) >= LEAST_LETTERS:
                    return nodes.Follow(nodes.Entities(meant), opposite(relation, self.answers.pack.n_relations))
        return None

    def _in_two_steps(self, base: Turn, asked: Narrower) -> SetNode | None:
        """All that is led to the named thing by a relation that is called so, and one more: "born in Japan"."""
        words, pack = self.answers.memory.referents.words, self.answers.pack
        edges = all_edges(pack, np.array(base.ends[:MOST_MEMBERS]), inverse=False)
        found: set[tuple[int, int, int]] = set()
        for relation in distinct(edges.relations).tolist():
            steps = distinct(edges.targets[edges.relations == relation])
            steps = steps[[self.answers.memory.referents.is_entity(int(one)) for one in steps]]
            further = all_edges(pack, steps[:MOST_MEMBERS], inverse=False)
            for target, rest in self._named(base, asked.phrase, distinct(further.targets), False).items():
                if rest and is_all_called(" ".join(rest), words.of([relation])):
                    seconds = distinct(further.relations[further.targets == target]).tolist()
                    found |= {(target, relation, second) for second in seconds}
        if len({one[:2] for one in found}) != 1:
            return None
        ((target, relation),) = {one[:2] for one in found}
        first: list[SetNode] = [
            nodes.Follow(nodes.Entities((target,)), opposite(second, pack.n_relations)) for *_, second in sorted(found)
        ]
        via = first[0] if len(first) == 1 else nodes.Or(first[0], first[1])
        return nodes.Follow(via, opposite(relation, pack.n_relations))

    def _are_all(self, base: Turn, chosen: SetNode) -> bool:
        """Whether nothing is left of some answers without those that were chosen."""
        try:
            found = run(chosen, self.answers.pack, Budget(SECONDS)).certain.tolist()
        except (QueryError, BudgetError):
            return False
        return {*base.ends} <= {*found}

    def _groups(self, base: Turn, asked: Narrower, in_part: bool) -> dict[tuple[int, int], frozenset[EntityId]]:
        """The answers that have each relation to each thing that the phrase names; ``in_part``: by its last name."""
        words, members = self.answers.memory.referents.words, np.array(base.ends[:MOST_MEMBERS])
        groups: dict[tuple[int, int], frozenset[EntityId]] = {}
        for inverse in (False, True):
            edges = all_edges(self.answers.pack, members, inverse)
            named = self._named(base, asked.phrase, distinct(edges.targets), in_part)
            for target, rest in named.items():
                for relation in distinct(edges.relations[edges.targets == target]).tolist():
                    if not rest or is_all_called(" ".join(rest), words.of([relation])):
                        at = (edges.targets == target) & (edges.relations == relation)
                        groups[target, relation] = frozenset(edges.sources[at].tolist())
        return groups

    def _named(self, base: Turn, phrase: str, targets: np.ndarray, in_part: bool) -> dict[EntityId, tuple[str, ...]]:
        """Which of the targets a phrase names, with the words beside the name."""
        called = [{*self.answers.memory.referents.called(one)} for one in base.ends[:MOST_LOOKED_AT]]
        kinds = {*chain.from_iterable(called[:3])} - _SEXES.keys()
        of_all = kinds.intersection(*called)  # "the capitals" of cities are some of them
        little = _LITTLE | {word for kind in of_all for word in (*kind.split(), *plural(kind).split())}
        words = [word for word in normalise(phrase).split() if word not in little]
        for n in range(len(words), 0, -1):
            for start in range(len(words) - n + 1):
                rest = (*words[:start], *words[start + n :])
                name = " ".join(words[start : start + n])
                found = self._partly(name, targets) if in_part else self.called(name, of_all, targets)
                if found:
                    return dict.fromkeys(found, rest)
        return {}

    def called(self, name: str, kinds: Collection[str], targets: np.ndarray) -> list[EntityId]:
        """The targets of this name, in the singular too, or with their kind ("horror" is "horror film")."""
        pack = self.answers.pack
        head, _, last = name.rpartition(" ")
        single = [f"{head} {one}".strip() for one in (last, *singulars(last))]
        forms = [form for one in single for form in (one, *(f"{one} {kind}" for kind in kinds))]
        forms += [name.removesuffix(end) for end in ("n", "an") if name.endswith("an")]  # African, European
        forms = [normalise(_SEXES.get(form, form)) for form in forms if form not in kinds]
        hits = {hit.entity for found in pack.exact(forms).values() for hit in found}
        literals = [one for one in hits if not self.answers.memory.referents.is_entity(one)]
        hits |= neighbours(pack, literals, inverse=True)  # "German" is what those from Germany are called
        return [one for one in targets.tolist() if one in hits]

    def _partly(self, name: str, targets: np.ndarray) -> list[EntityId]:
        """The one target of which this is the last name: "de Niro"."""
        if len(targets) > MOST_LABELS:
            return []
        labels = zip(targets.tolist(), self.answers.pack.labels(targets.tolist()), strict=True)
        found = [one for one, label in labels if normalise(label).endswith(f" {name}")]
        return found if len(found) == 1 else []


def _way(text: str, base: Turn, asked: Narrower, chosen: SetNode, among: str) -> Way:
    assert isinstance(base.query, SetNode)  # of _bases
    some = nodes.Minus(base.query, chosen) if asked.is_negated else nodes.And(base.query, chosen)
    query = nodes.Count(some) if asked.word == "how many" else nodes.Some(some) if asked.word == "any" else some
    sure = base.answer.confidence if base.answer is not None else 0.0
    return Way(text, query=query, confidence=sure, among=among)


def _is_put_alike(asked: Narrower, last: Turn | None) -> bool:
    """Whether the last turn narrowed a list by the same preposition: "with Al?" after "those with Bo" is of all."""
    before = narrower(last.line, True) if last is not None else None
    word = asked.phrase.split(" ", 1)[0].lower()
    return (
        before is not None
        and word in ("with", "by", "from", "starring")
        and before.phrase.lower().startswith(f"{word} ")
    )


def _wider(turn: Turn, last: Turn) -> SetNode | None:
    """The query of a turn, where the last answers were chosen from what it came to."""
    query = counted_in(turn.query)
    if not isinstance(query, SetNode) or last.query is None or query == last.query or len(turn.ends) < 2:
        return None
    return query if query in last.query.walk() else None
