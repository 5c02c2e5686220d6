"""What was spoken of in a conversation, the latest first, as far as a turn may mean it.

A question that was refused has an answer nevertheless, which the conversation goes on to speak of: after "who was her
husband?" nobody older is "he", after "which countries does it border?" nothing older is "them". What the refused
question could not have told is still meant: after "when was she born?" she is who she was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from kgask.chat.asked import Asked, asked_for, says_other_one
from kgask.chat.changes import counted_in
from kgask.chat.form import asks_for_others, asks_for_people, is_phrase, number_of_those, says_those
from kgask.chat.lists import ListMeant
from kgask.chat.referents import Referents
from kgask.chat.shorts import counts_years, other_year
from kgask.chat.turns import Turn
from kgask.link.plurals import singulars
from kgask.methods.doubts import relations_in
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.relation_words import plural
from kgask.types import EntityId, opposite

REMEMBERED = 12  # turns back that a pronoun may reach
MOST_BEFORE = 3  # answered turns before the last one that a phrase may go on from
MOST_TOGETHER = 12  # things that were spoken of last among which two of a kind are looked for


def _holds(turn: Turn, last: Turn) -> bool:
    """Whether the answers of a later turn were chosen from those of this one, or are these."""
    query = counted_in(turn.query)
    return query is not None and last.query is not None and query in last.query.walk()


def _asked_by(turn: Turn) -> Asked:
    """What a turn asks for: as it was said, or as it was understood ("which laureates" for "who of them")."""
    understood = asked_for(turn.understood)
    is_person = understood.person or asked_for(turn.line).person or (turn.is_refused and says_those(turn.line))
    return replace(understood, person=is_person)


_AGAIN = re.compile(r"\W*(?:and|what about|how about|same for)\s+", re.IGNORECASE)
_SOMEBODY = frozenset("man woman person guy lady gentleman boy girl".split())
_ASKED_KIND = re.compile(r"\b(?:which|what)(?: [a-z]+)?? ([a-z]+)\b", re.IGNORECASE)


@dataclass(slots=True)
class Memory:
    """The turns of a conversation as what may be meant by later ones."""

    turns: list[Turn]
    referents: Referents

    def recent(self) -> Iterator[EntityId]:
        """Single answers, then topics; of the kind that a refused question asks for, none that is older."""
        seen: set[EntityId] = set()
        barriers: list[Asked] = []
        for turn in reversed(self.turns[-REMEMBERED:]):
            # "who else" may be many; what was likely told is spoken of, and nothing older
            is_of_one = not asks_for_others(turn.line) or says_other_one(turn.line)
            is_open = turn.answer is not None and turn.answer.abstained
            asked = _asked_by(turn) if is_open and is_of_one else None
            if asked is not None and turn.is_refused and (asked.best or (asked.person and not asked.sex)):
                barriers.append(asked)
            for entity in (*(turn.ends if len(turn.ends) == 1 else ()), *turn.topics):
                if entity not in seen and not any(self._is_like(entity, one) for one in barriers):
                    seen.add(entity)
                    yield entity
            if asked is not None:
                barriers.append(asked)

    def called(self, text: str) -> Iterator[EntityId]:
        """Single answers and topics, of which "the river" of a text may be one, the latest first.

        None before a question that was refused and asked for a river, or of which nobody knows what it was about.
        """
        words = {*text.lower().split()}
        for turn in reversed(self.turns[-REMEMBERED:]):
            if turn.is_refused and not _SOMEBODY.isdisjoint(words) and _asked_by(turn).person:
                return  # "that man" is whom nobody knows
            yield from (*(turn.ends if len(turn.ends) == 1 else ()), *turn.topics)
            asked = _ASKED_KIND.search(turn.understood) if turn.is_refused else None
            if turn.is_refused and not turn.topics:
                return
            if asked is not None and {asked[1].lower(), f"{asked[1].lower()}?"} & words:
                return

    def _is_like(self, entity: EntityId, asked: Asked) -> bool:
        """Whether a pronoun that may mean the answer to a question could mean this as well."""
        if asked.person:
            return self.referents.may_be(entity, asked.sex or "male") or self.referents.may_be(
                entity, asked.sex or "female"
            )
        return asked.thing and self.referents.may_be(entity, "thing")

    def is_not_asked_for(self, entity: EntityId, sex: str) -> bool:
        """Whether a refused question asked of somebody of unknown sex for somebody of this: "he" is Ada's father."""
        last = self.last_asked()
        if last is None or not last.is_refused or not sex or self.referents.is_known_as(entity, sex):
            return False
        return entity in last.topics and asked_for(last.understood).sex == sex

    def last_set(self) -> Turn | None:
        """The last turn that several answered; None where a later one that was refused may have had several."""
        for turn in reversed(self.turns[-REMEMBERED:]):
            if len(turn.ends) > 1:
                return replace(turn, query=counted_in(turn.query))
            if (named := self._compared(turn) or self._chosen_from(turn)) is not None:
                return named
            if turn.is_refused and (_asked_by(turn).several or self._asks_again(turn)):
                return None
        return None

    def _asks_again(self, turn: Turn) -> bool:
        """Whether a turn that was refused asked, by a phrase, what several were told for just before: "and Peru?"."""
        before = next((one for one in reversed(self.turns) if one.number < turn.number and one.answer), None)
        is_again = _AGAIN.match(turn.line) is not None and is_phrase(_AGAIN.sub("", turn.line))
        return is_again and before is not None and len(before.ends) > 1

    def _chosen_from(self, turn: Turn) -> Turn | None:
        """The turn that told those of whom a later one told which is the largest, or the like."""
        base = turn.query.base if isinstance(turn.query, nodes.Best) else None
        before = (one for one in self.turns[::-1] if one.number < turn.number and len(one.ends) > 1)
        found = next((one for one in before if base is not None and one.query == base), None)
        return replace(found, query=counted_in(found.query)) if found is not None else None

    def was_refused_since(self, found: Turn) -> bool:
        """Whether a question for one thing, after a list was told, was refused: whom "they" means is not known then."""
        later = (turn for turn in self.turns if turn.number > found.number and turn.is_refused)
        return any(_asked_by(turn).best for turn in later)

    def _compared(self, turn: Turn) -> Turn | None:
        """A turn that told which of some things named one by one is the largest, or the like, as one about these."""
        match turn.query:
            case nodes.Best(nodes.Entities(ids) as base) if len(ids) > 1:
                spoken = [one for each in self.turns for one in (*each.topics, *each.ends)]
                in_order = sorted(ids, key=lambda one: spoken.index(one) if one in spoken else len(spoken))
                return replace(turn, query=base, ends=tuple(in_order))
        return None

    def set_meant(self, meant: ListMeant) -> tuple[Memory, bool] | None:
        """The memory as it was when the list that a turn speaks of was told, and whether its noun is theirs.

        None where no such list was told.
        """
        found = [turn for turn in reversed(self.turns[-REMEMBERED:]) if len(turn.ends) > 1]
        is_called = any(self._is_of(turn, meant.noun) for turn in found)
        if is_called:
            found = [turn for turn in found if self._is_of(turn, meant.noun)]
        elif meant.is_all and meant.behind.strip(" ?.!").lower() == meant.noun.lower() != "":
            if any(map(self.referents.is_kind, (meant.noun, *singulars(meant.noun)))):
                return None  # "of all the rivers", after countries
            is_called = True  # "of all the neighbours"
        if meant.topic:
            found = [turn for turn in found if meant.topic in turn.line.lower()] or found
        if meant.number:
            found = [turn for turn in found if len(turn.ends) == meant.number]
        elif meant.is_all and found:
            widest = [turn for turn in reversed(found) if _holds(turn, found[0])]
            found = widest or found
        if not found:
            return None
        return Memory([turn for turn in self.turns if turn.number <= found[0].number], self.referents), is_called

    def _is_of(self, turn: Turn, noun: str) -> bool:
        """Whether the answers of a turn are called so, by what they are or by what was asked."""
        kinds = {kind for one in turn.ends[:3] for kind in self.referents.called(one)} if noun else ()
        is_kind = any(noun.lower() in (kind, plural(kind)) for kind in kinds)
        return is_kind or (len(noun) > 4 and noun.endswith("s") and noun[:-1].lower() in turn.line.lower())

    def had_several(self) -> bool:
        """Whether "those" were spoken of, be it that nobody knows who they are."""
        last = self.last_asked()
        is_unknown = last is not None and last.is_refused and _asked_by(last).several
        return is_unknown or self.last_set() is not None

    def last_asked(self) -> Turn | None:
        """The last turn that asked anything, whatever came of it."""
        return next((turn for turn in reversed(self.turns) if turn.answer is not None), None)

    def answered_before(self, last: Turn | None) -> Iterator[Turn]:
        """Turns that were answered before this one, the latest first: what "and in Norway?" may go on from.

        None before one that was refused (None), which it is about then.
        """
        if last is None:
            return iter(())
        every = [turn for turn in self.turns[-REMEMBERED:] if turn is not last and turn.ends and turn.query is not None]
        return iter(every[::-1][:MOST_BEFORE])

    def answered(self) -> Iterator[Turn]:
        """Turns that were answered, the latest first."""
        every = [turn for turn in self.turns[-REMEMBERED:] if turn.ends and turn.query is not None]
        return iter(every[::-1][:MOST_BEFORE])

    def other_sets(self, text: str) -> Iterator[Memory]:
        """The memory as it was when answers before the last were told, of which a turn may ask.

        Of which it says how many there are, or that they are people; none where the last are not told.
        """
        last, number, are_people = self.last_set(), number_of_those(text), asks_for_people(text)
        for turn in reversed(self.turns[-REMEMBERED:]) if last is not None and (number or are_people) else ():
            is_set = len(turn.ends) > 1 and isinstance(turn.query, SetNode) and turn.number != last.number  # type: ignore[union-attr]
            if is_set and number in (0, len(turn.ends)) and are_people <= self.referents.is_person(turn.ends[0]):
                yield Memory([one for one in self.turns if one.number <= turn.number], self.referents)

    def latest(self) -> Turn | None:
        """The last turn that anything answered."""
        return next((turn for turn in reversed(self.turns) if turn.ends), None)

    def together(self, number: int = 2, are_people: bool = False) -> tuple[EntityId, ...] | None:
        """So many things of a kind that were spoken of last, one by one; people, where there are any."""
        recent = [entity for _, entity in zip(range(MOST_TOGETHER), self.recent(), strict=False)]
        recent = (are_people and [one for one in recent if self.referents.is_person(one)]) or recent
        alike = [one for one in recent if self.referents.alike(recent[0], one)][:number]
        return tuple(sorted(self._rather_named(tuple(alike)))) if len(alike) >= number else None

    def _rather_named(self, two: tuple[EntityId, ...]) -> tuple[EntityId, ...]:
        """Two things, or, where one of them was an answer and the other was not, those of which the same was asked:
        Finland and Estonia, rather than Estonia and whom Finland left."""
        named = {one for turn in self.turns[-REMEMBERED:] for one in turn.topics}
        return (len(two) == 2 and len({one in named for one in two}) == 2 and self._asked_alike()) or two

    def _asked_alike(self) -> tuple[EntityId, ...]:
        """The two things of one kind of which the same was asked last, one after the other."""
        about = [turn for turn in self.turns[-REMEMBERED:] if turn.query is not None and len(turn.topics) == 1]
        for before in reversed(about[:-1]):
            (one,), (other,) = before.topics, about[-1].topics
            is_same = [*relations_in(before.query)] == [*relations_in(about[-1].query)]  # type: ignore[arg-type]
            if is_same and one != other and self.referents.alike(one, other):
                return one, other
        return ()

    def two_of_a_kind(self, are_people: bool = False) -> tuple[EntityId, ...]:
        """The two things of one kind, or people, that were spoken of last, whatever was spoken of since."""
        if are_people and (two := self.together(are_people=True)) is not None:
            return two
        recent = [entity for _, entity in zip(range(MOST_TOGETHER), self.recent(), strict=False)]
        for at, one in enumerate(recent):
            other = next((each for each in recent[at + 1 :] if self.referents.alike(one, each)), None)
            if other is not None:
                return self._rather_named((one, other))
        return ()

    def pairs(self) -> list[tuple[EntityId, ...]]:
        """Of each kind the two things that were spoken of last, the latest first; none where nobody knows what the last
        turn was about."""
        last = self.last_asked()
        if last is not None and last.is_refused and not last.topics:
            return []
        recent, found = [*islice(self.recent(), MOST_TOGETHER)], list[tuple[EntityId, ...]]()
        for at, one in enumerate(recent):
            other = next((each for each in recent[at + 1 :] if self.referents.alike(one, each)), None)
            if other is not None and not any(self.referents.alike(one, two[0]) for two in found):
                found.append((one, other))
        return found

    def pair_of(self, noun: str) -> tuple[EntityId, ...]:
        """The two things spoken of last that are called so ("films"), the latest first; none of fewer."""
        nouns = {noun, *singulars(noun)}
        recent = islice(self.recent(), MOST_TOGETHER)
        found = tuple(one for one in recent if nouns & {*self.referents.called(one)})[:2]
        return found if len(found) == 2 else ()

    def two_just_named(self) -> tuple[EntityId, ...]:
        """Two things of one kind of which the last two turns each named one."""
        last = [turn.topics for turn in self.turns if turn.answer is not None][-2:]
        is_one_each = len(last) == 2 and all(len(topics) == 1 for topics in last) and last[0] != last[1]
        two = (*last[0], *last[1]) if is_one_each else ()
        return two if two and self.referents.alike(*two) else ()

    def in_turn(self) -> tuple[EntityId, ...]:
        """The last answers, of which "the second one" may be one, or else two that were asked about in turn."""
        found = self.last_set()
        return found.ends if found is not None else self.two_just_named() or self._just_compared()

    def _just_compared(self) -> tuple[EntityId, ...]:
        """The two things that the last question compared, as they were spoken of first."""
        last = self.last_asked()
        match last.query if last is not None else None:
            case nodes.Compare(nodes.Values(nodes.Entities((one,))), _, nodes.Values(nodes.Entities((other,)))):
                spoken = [each for turn in self.turns for each in (*turn.topics, *turn.ends)]
                return tuple(
                    sorted((one, other), key=lambda each: spoken.index(each) if each in spoken else len(spoken))
                )
        return ()

    def others(self) -> tuple[Turn, Turn] | None:
        """The last answers, or the one of which something was asked since, and the answers before which hold these and
        more; None where the last were not told."""
        last, asked = self.latest(), self.last_asked()
        if last is None or asked is None or (asked.is_refused and len(asked.topics) != 1):
            return None
        sets = (turn for turn in reversed(self.turns[-REMEMBERED:]) if {*last.ends} < {*turn.ends})
        if (wider := next(sets, None)) is not None and not asked.is_refused:
            return last, wider
        sets = (turn for turn in reversed(self.turns[-REMEMBERED:]) if {*asked.topics} < {*turn.ends})
        wider = next(sets, None) if len(asked.topics) == 1 else None
        return (replace(asked, ends=asked.topics), wider) if wider is not None else None

    def spoken_of(self) -> frozenset[EntityId]:
        """All that was named, or was the one answer to a question."""
        turns = self.turns[-REMEMBERED:]
        return frozenset(one for turn in turns for one in (*turn.topics, *(turn.ends if len(turn.ends) == 1 else ())))

    def known_so(self, every: SetNode, spoken: Sequence[EntityId], n_relations: int) -> tuple[EntityId, ...]:
        """Who of those that were spoken of is known to be one of ``every``, rather than known for something else.

        After "which films did Ann play in?", "who directed Jaws?" who *else* plays in Jaws leaves out Ann, but no
        director who plays in it as well. All of them, where none is known for that.
        """
        leads = {node.relation for node in every.walk() if isinstance(node, nodes.Follow)}
        turns = [turn for turn in self.turns[-REMEMBERED:] if turn.query is not None]
        followed = [(turn, node) for turn in turns for node in turn.query.walk() if isinstance(node, nodes.Follow)]  # type: ignore[union-attr]
        known = {one for turn, node in followed if node.relation in leads for one in turn.ends}
        known |= {
            one
            for _, node in followed
            if opposite(node.relation, n_relations) in leads and isinstance(node.base, nodes.Entities)
            for one in node.base.ids
        }
        return tuple(one for one in spoken if one in known) or tuple(spoken)

    def was_said(self, noun: str) -> bool:
        """Whether a noun stands in an earlier turn."""
        return bool(noun) and any(noun in turn.line.lower() for turn in self.turns)

    def of_year(self, text: str) -> str | None:
        """The last question that says a year with another, where a turn says one: "and the year after?"."""
        asked = [turn for turn in reversed(self.turns[-REMEMBERED:]) if turn.answer is not None]
        if "year" not in text.lower():
            asked = asked[:MOST_BEFORE]
        return next((year for turn in asked if (year := other_year(turn.understood, text)) is not None), None)

    def named_since(self, found: Turn | None) -> frozenset[EntityId]:
        """What was named after a turn."""
        later = [turn for turn in self.turns if found is not None and turn.number > found.number]
        return frozenset(one for turn in later for one in turn.topics)

    def years_said(self, text: str) -> Iterator[str]:
        """Texts that may say a year, the latest first: what answered and what was asked. Of "a year later" those of
        turns that speak of the same."""
        words = {word[:5] for word in re.findall(r"[a-z]{4,}", text.lower())} if counts_years(text) else set()
        for turn in reversed(self.turns):
            if words and words.isdisjoint(word[:5] for word in re.findall(r"[a-z]{4,}", turn.understood.lower())):
                continue
            if turn.answer is not None and not turn.answer.abstained:
                yield turn.answer.text or ""
            yield turn.understood

    def turns_ago(self, entity: EntityId) -> int:
        """How many turns were made since something was spoken of."""
        ago = (at for at, turn in enumerate(reversed(self.turns)) if entity in turn.topics or turn.ends == (entity,))
        return next(ago, 0)
