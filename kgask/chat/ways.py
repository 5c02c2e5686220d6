"""The ways in which a turn may be understood, the likeliest first.

As it stands, with the thing that a pronoun means, about some of the last answers, as the last question about something
else: each is tried in its place, and the first that has an answer is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from kgask.answer.ellipsis import completed
from kgask.answer.result import Answer
from kgask.chat import form, order, shorts
from kgask.chat.again import Again
from kgask.chat.called import Called
from kgask.chat.changes import is_by_date, is_ordered
from kgask.chat.described import Described
from kgask.chat.heard import Heard, heard, without_aside
from kgask.chat.limits import named_with_limit, with_limit
from kgask.chat.lists import list_meant
from kgask.chat.loosely import plainly_said
from kgask.chat.memory import Memory
from kgask.chat.names import Names
from kgask.chat.narrower import narrower, speaks_of_list
from kgask.chat.narrowing import Narrowing
from kgask.chat.of_answers import OfAnswers, whole_of
from kgask.chat.ordering import Ordering
from kgask.chat.pairs import Pairs
from kgask.chat.pronouns import Pronouns
from kgask.chat.said_before import of_last, of_rows, then_meant
from kgask.chat.shared import Shared, asks_of_two
from kgask.chat.spoken import as_asked, in_year, is_the_other, of_the_kind, says_that_one, with_person
from kgask.chat.stopped import gone_on
from kgask.chat.sums import Sums
from kgask.chat.turns import Turn, Way
from kgask.link.naming import names_in
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, is_all_called
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.relation_words import plural
from kgask.types import EntityId

_POINTED = re.compile(r"\b(?:that|this) ([a-z]+)\b", re.IGNORECASE)
_ALWAYS_CALLED = frozenset(
    ("neighbours", "neighbors", "children", "wife", "husband", "spouse")
)  # "Neighbours" is a film
_POINTED_LAST = re.compile(
    r"\b(?:of|in|on|at|from|with|for|to|by|near) (?:that|this|those|these) [a-z]+\W*\Z", re.IGNORECASE
)


@dataclass(slots=True)
class Understanding:
    """Understands turns after those of a memory; ``ask`` asks a way, where that tells what another may mean."""

    answers: OfAnswers
    names: Names
    ask: Callable[[Way], Answer]

    @property
    def memory(self) -> Memory:
        return self.answers.memory

    @property
    def narrowing(self) -> Narrowing:
        return Narrowing(self.answers)

    @property
    def again(self) -> Again:
        return Again(self.answers, self.names)

    @property
    def pronouns(self) -> Pronouns:
        return Pronouns(self.answers, self.names.linker)

    def ways(self, line: str) -> Iterator[list[Way]]:
        """The ways to understand a turn, the likeliest first; of several together the surest counts."""
        line = self.names.in_full(line)
        asked = self.memory.last_asked()
        line = plainly_said(line, asked.understood, self.names.is_name) if asked is not None else line
        line = as_asked(gone_on(line, asked.line)) if asked is not None else line
        line = then_meant(line, self.memory.turns) if asked is not None else line
        bare = without_aside(line)
        if asked is not None and asked.is_refused and form.asks_for_others(asked.line) and says_that_one(bare):
            return  # of which nobody knows which it is
        if asked is not None:
            yield [*of_last(bare, asked, self.answers, self.names)]
            yield [*of_rows(bare, asked, self.answers.pack)]
        if (renamed := Described(self.narrowing).renamed(heard(bare).text)) is not None:
            yield from self._of_list(*renamed)
        said = heard(self.answers.with_those(bare))
        years = [*self.memory.years_said(said.text)]
        if (dated := shorts.in_that_year(said.text, years)) is not None:
            if shorts.counts_years(said.text):  # "who won the prize one year later?"
                named = self.pronouns.meant(said.text, ())
                meant = [replace(way, text=shorts.in_that_year(way.text, years) or way.text) for way in named]
            else:
                meant = [*self.pronouns.meant(dated, ())]
            yield meant or ([Way(dated)] if dated and not form.is_pronominal(dated) else [])
            return
        pairs = Pairs(self.answers)
        plain, noun = pairs.plain(said.text)
        said = replace(said, text=plain)
        names = names_in(self.names.linker, said.text)
        things = [name for name in names if not self._is_called(name) and not order.IS_NUMBER.fullmatch(name)]
        kinds = self.memory.referents
        places = [
            one for one in names if not (kinds.is_kind(one) or any(map(kinds.is_person, self.names.named(one)[:1])))
        ]
        text = shorts.with_own_place(form.of_named(said.text) if len(things) > 1 else said.text, places)
        said_so = {*normalise(text).split()} - CARRY_NOTHING
        if self.memory.referents.relation_words.isdisjoint(said_so):  # "the founder of these" is none
            text = order.of_more(text)
        is_of_those = form.is_of_those(text) and (len(names) < 2 or (form.says_those(text) and text == said.text))
        if (listed := list_meant(text)) is not None and (found := self.memory.set_meant(listed)) is not None:
            yield from self._of_list(listed.of_them(found[1]), found[0])
            return
        lists = Described(self.narrowing)
        if (of_two := pairs.back_to(said.back_to)) is not None:
            yield from replace(self, answers=self.answers.at(of_two)).ways(said.text)
            return
        is_list = bool(said.back_to) and not self.names.is_name(form.bare_noun(said.back_to))
        is_list = is_list and not self.names.in_part(said.back_to)
        if is_list and (found_list := lists.back_to(said.back_to, text)) is not None:
            yield from self._of_list(*found_list)
            return
        if (described := lists.meant(text)) is not None:
            yield from self._of_list(*described)
        focus = self._meant_by(said.back_to) if said.back_to else ()
        if not focus and is_the_other(said.back_to):
            return  # nobody knows which the other one is
        if focus and form.is_pronominal(text):
            yield [*self.pronouns.meant(text, focus)]
        last = asked if asked is not None and asked.query is not None and not asked.is_refused else None
        if (asks_how_many := shorts.asks_how_many(text) or shorts.asks_how_many(line)) and asked and asked.is_refused:
            return  # of what was not told
        if last is not None and asks_how_many:
            of = self.answers.memory.last_set() if len(last.ends) < 2 and shorts.asks_of_all(text) else last
            yield [*self.answers.counted(of, text)] if of is not None else []
        if asked is not None and (other := shorts.of_another_subject(line, asked.understood)) is not None:
            yield [Way(other)]
        if last is not None and shorts.asks_when(text) and is_by_date(last.query, self.answers.pack):
            yield [*self.answers.value_of_most(last)]
        if last is not None:
            yield [*self.again.at_rank(text, last), *self.again.of_first(text, last)]
            yield [way for one in self.names.named(text)[:1] for way in self.answers.compared(text, last, one)]
        yield from ([way] for way in Shared(self.answers).ways(text))
        if asks_of_two(text):
            return
        yield from ([way] for way in Called(self.answers).by_date(text))
        if shorts.asks_by_how_much(text):
            yield from ([way] for way in (self.answers.apart(last, text) if last is not None else ()))
            return
        if (other := shorts.what_differs(text)) is not None:
            others = [entity for way in pairs.ways(f"what is the {other}") for *_, entity in way.given]
            if last is not None:
                yield [*self.answers.apart_from(last, text, others or self.names.named(other))]
            return
        if form.is_phrase(text):
            text = pairs.phrase(text)
        else:
            yield [*pairs.ways(text)]
        if (one := shorts.is_one_of(text)) is not None:
            yield [*self.answers.is_among(self.names.named(one)[:1])]
        if (asked_of := shorts.of_what(text)) is not None:
            yield from ([self.answers.naming(asked_of, one)] for one in islice(self.memory.recent(), 2))
        is_counted = last is not None and isinstance(last.query, nodes.Count | nodes.Some)
        if shorts.asks_who_they_are(text) or (is_counted and shorts.asks_which(text)):
            if last is not None and isinstance(last.query, nodes.Count | nodes.Some):
                yield [Way(text, query=last.query.base, confidence=last.answer.confidence if last.answer else 0.0)]
            return
        if asked is not None and said.continues:
            name = shorts.name_behind(text, asked.understood)
            bare = form.bare_noun(name)
            text = name if self.names.is_name(bare) and not self._is_called(bare) else text
        if said.corrects or (said.continues and form.is_phrase(text)):
            yield from ([way] for way in with_limit(text, last, self.answers.pack))
        if (year := self.memory.of_year(text)) is not None:
            yield [Way(year)]
        elif last is not None and (dated := in_year(text, last.understood)) is not None:
            yield [Way(dated)]
        is_other = said.continues and (kind := of_the_kind(text)) is not None
        if asked is not None and (said.corrects or is_other):
            yield from ([way] for way in self._of_kind(kind if is_other and kind else text, asked))
        if asked is not None and form.is_plural(text) and form.is_phrase(text) and not said.corrects:
            yield from ([way] for way in self._by_name(text, asked))
        if said.corrects or (said.continues and form.is_phrase(text)):
            yield from ([way] for way in self.answers.ranked(text, last))
            changed = [*self.again.of_described(text, last, self.ask), *self._changed(text, last)]
            yield from ([way] for way in named_with_limit(changed, text, self.answers.pack))
            yield from ([way] for way in changed)
            yield from ([way] for way in self.again.asked(text, asked))
            is_older = last is not None and not self.again.fits(text, last) and not form.is_pronominal(text)
            is_order = last is not None and order.ORDER.search(text) is not None and last.query is not None
            is_older = is_older and not (is_order and any(map(is_ordered, last.query.walk())))  # type: ignore[union-attr]
            before = self.memory.answered_before(last) if is_older else ()
            if asked is not None and asked.is_refused and said.continues and not self._may_ask_refused(text, asked):
                before = (one for one in self.memory.answered() if self.again.fits(text, one))
            yield from ([way] for earlier in before for way in self._changed(text, earlier))
        yield from ([way] for way in Sums(self.answers).ways(text))
        text = text if self.memory.last_set() is not None else shorts.of_two_sharing(text)
        yield from ([way] for way in self.answers.both(text))
        yield from ([way] for way in self.narrowing.ways(text, said.continues, said.corrects))
        yield from ([way] for way in self.again.of_others(text))
        he = {"male": "he", "female": "she"}.get(form.sex_meant(text), "")
        if is_of_those and he and (whom := self._resolved(he)) is not None:
            text = with_person(text, self.answers.label(whom))
        if is_of_those or len(names) < 2:
            best = self._of_the_best(text, noun) if is_of_those and text.rstrip("?. ").endswith(" of them") else ()
            yield from ([way] for way in (*best, *self.answers.ways(text)))
            yield from ([way] for way in Ordering(self.answers).ways(text))
            yield from ([way] for memory in self.memory.other_sets(text) for way in self.answers.at(memory).ways(text))
        if not is_of_those:
            yield from ([way] for way in self._of_the_best(text, noun))
            yield from ([way] for way in self._of_whose(text))
            yield [*self.pronouns.meant(text, focus)]
            if focus and not form.is_pronominal(text):
                yield [*self.answers.behind(text, focus[:1])]
        elif said.continues and names:
            yield [*self.answers.of_their_kind(text)]
        if last is not None and (event := shorts.of_event(text, last.understood)) is not None:
            persons = [one for one in (*last.ends, *last.topics) if self.memory.referents.may_be(one, "male")]
            persons += [one for one in (*last.ends, *last.topics) if self.memory.referents.may_be(one, "female")]
            yield [self.answers.naming(event, one) for one in [*dict.fromkeys(persons)] if len({*persons}) == 1]
        if asked is not None and form.is_bare_question_word(text):
            yield [Way(completed(text, asked.understood))]
            if not asked.is_refused:  # nobody knows what it is the year of
                yield [*self._about(text, (*(asked.ends if len(asked.ends) < 2 else ()), *asked.topics))]
        if asked is not None and form.is_phrase(text):
            if not said.corrects and not (text.islower() and form.bare_noun(text) in _ALWAYS_CALLED):
                yield from ([way] for way in self._changed(text, last))
                if self.names.is_name(form.bare_noun(form.LEAD_IN.sub("", text))):
                    yield from ([way] for way in self.again.asked(text, asked))
            noun = form.bare_noun(text)
            noun = noun[:1].lower() + noun[1:] if noun[1:2].islower() else noun  # "Atomic number?"
            if len(asked.ends) > 1 and noun.endswith("s") and self._is_called(noun):
                yield [*self.answers.ways(f"what are their {noun}?")]
            if said.continues and any(f" of {thing.lower()}" in noun.lower() for thing in things):
                yield [Way(f"what is the {noun}?")]  # "and the symbol of mercury?"
            if not order.is_compared(text) and form.ranked(text) is None:
                yield [*self._about(f"what is the {noun}", (*asked.topics, *asked.ends))]
        if asked is not None and not said.corrects:
            yield from ([way] for way in self._by_name(text, asked))
        if not is_of_those and not form.is_phrase(text) and all(map(self._is_called, (form.last_noun(text), *names))):
            yield from ([way] for way in self.answers.behind(text, [*islice(self.memory.recent(), 2)]))
        if not is_of_those and self._may_be_whole(text, names, said):
            less = self.answers.unless_known(text)
            yield [Way(text if said.back_to else line, change=less, is_whole=True)]
            if text != line:
                yield [Way(text, change=less, is_whole=True)]

    def _meant_by(self, said: str) -> tuple[EntityId, ...]:
        """What a turn goes back to: the other one, what has the name of what was spoken of last and is of the kind that
        it says ("no, I mean the film"), or what it names."""
        asked = self.memory.last_asked()
        is_new = not said.islower() and self.names.is_name(form.bare_noun(said))  # no kind ("the film")
        topics = asked.topics if asked is not None and not is_new else ()
        same = [one for old in topics for one in self.memory.referents.namesakes(self.answers.label(old), said)]
        if (first := Pairs(self.answers).of_first(said)) is not None:
            return (first,)
        named = self.names.spoken_of_first(said) or self.names.alone(said) or self.names.in_part(said)
        return self._other_one(said) or tuple(same[:1]) or named

    def _other_one(self, said: str) -> tuple[EntityId, ...]:
        """The one of an earlier list that is none of the last answers, where a turn begins with "the other one"."""
        found = self.memory.others() if form.others(said) == "\0" else None
        others = [one for one in found[1].ends if one not in found[0].ends] if found is not None else []
        return tuple(others) if len(others) == 1 else ()

    def _by_name(self, text: str, asked: Turn) -> Iterator[Way]:
        """What a relation is called, of what was spoken of last: "wives?", "and their capitals?"."""
        if form.is_plural(text):
            found = self.memory.last_set()
            is_latest = found is not None and found.number == asked.number
            two = self.memory.two_just_named() if text.rstrip("?. ").endswith("s") else ()
            members = found.ends if found is not None and is_latest else two
            if members:
                whole = whole_of(found if is_latest else None, members)
                yield from Called(self.answers).of_each(text, members, whole)
            return
        meant = [way.meant[0] for way in self.pronouns.meant(f"{text.rstrip('?. ')}?", ()) if way.meant is not None]
        things = meant or [one for one in (*asked.topics, *asked.ends) if not form.is_pronominal(text)]
        yield from Called(self.answers).of_things(text, things[:2])

    def _may_ask_refused(self, text: str, refused: Turn) -> bool:
        """Whether a question that was refused may be asked of what a turn names: nothing of the kind else was named."""
        named, alike = self.names.named(text), self.memory.referents.alike
        return not named or not refused.topics or any(alike(new, old) for new in named for old in refused.topics)

    def _of_list(self, text: str, memory: Memory) -> Iterator[list[Way]]:
        """A question about a list that was told before, as it would have been understood then."""
        answers = OfAnswers(self.answers.pack, memory)
        yield from ([way] for way in Narrowing(answers).ways(text, False, False))
        yield from ([way] for way in answers.ways(text))
        yield from ([way] for way in Ordering(answers).ways(text))

    def _may_be_whole(self, text: str, names: Sequence[str], said: Heard) -> bool:
        """Whether a turn may be a question of its own, which speaks of nothing that was said before."""
        named = [name for name in names if not self._is_called(name) and not self.memory.referents.is_kind(name)]
        if form.is_among_them(text) or form.says_pronoun_first(text, named) or self.memory.referents.is_bare_kind(text):
            return False
        pointed = _POINTED.search(text)
        if pointed is not None and self.memory.referents.is_kind(pointed[1]):
            return False  # "that machine" was spoken of, or nobody knows which it is
        if _POINTED_LAST.search(text):
            return False
        if form.is_bare_question_word(text) or form.says_ones(text) or form.others(text) is not None:
            return False
        names_both = len(named) > 1 and " or " in text.lower()  # "which is longer, the Tagus or the Douro?"
        if form.is_which_are(text) and self.memory.had_several() and not names_both:
            return False
        if said.continues and form.LEAD_IN.match(text) and form.is_phrase(text):
            return False
        if speaks_of_list(text) or self.memory.was_said(form.several_meant(text)):
            return False
        some = narrower(text, said.continues)
        if some is not None and (some.is_said or self.memory.had_several()) and len(names) < 2:
            return False
        if form.of_the_best(text) is not None and not names and self.memory.last_set() is not None:
            return False
        is_name = self.names.is_name(form.bare_noun(text)) and (said.continues or self._goes_on_with(text))
        is_noun = form.is_phrase(text) and all(map(self._is_called, (form.bare_noun(text), *names)))
        return not (is_name or is_noun or (said.corrects and form.is_phrase(text)))

    def _of_kind(self, text: str, asked: Turn) -> Iterator[Way]:
        """The last question about what has the same name and is of another kind: "no, the US state"."""
        for old in asked.topics:
            label = self.answers.label(old)
            at = asked.understood.find(label)
            for other in self.memory.referents.namesakes(label, text) if at >= 0 else ():
                if other != old:
                    yield Way(asked.understood, ((at, at + len(label), other),))

    def _of_the_best(self, text: str, noun: str) -> Iterator[Way]:
        """A question about "the highest one" of the last answers, or the larger of two things that ``noun`` says."""
        found = form.of_the_best(text)
        of = f"the two {plural(noun)}" if noun else "the two" if shorts.says_more(text) else "them"
        for way in self.answers.ways(f"which of {of} is the {found[0]}?") if found is not None else ():
            answer = self.ask(way)
            if found is not None and answer and len(answer.entities) == 1:
                yield self.answers.naming(found[1], answer.entities[0].id)
                return

    # --- one thing that was spoken of -----------------------------------------------------------

    def _of_whose(self, text: str) -> Iterator[Way]:
        """A question about "her father", with his name."""
        found = form.whose(text)
        if found is None or not self._is_called(found[0].split(maxsplit=1)[1]):
            return
        whose = self._resolved(found[0])
        if whose is not None:
            yield self.answers.naming(found[1], whose)

    def _about(self, text: str, entities: Sequence[EntityId]) -> Iterator[Way]:
        """A phrase asked of one of these."""
        for entity in list(dict.fromkeys(entities))[:2] if self._is_called(text) else ():
            label = self.answers.label(entity)
            asked = f"{text.rstrip('?. ')} of {label}?"
            yield Way(asked, ((len(asked) - 1 - len(label), len(asked) - 1, entity),))

    def _is_called(self, text: str) -> bool:
        """Whether a phrase is what a relation is called; question words are."""
        words = [word for word in normalise(text.removeprefix("what is the ")).split() if word not in CARRY_NOTHING]
        called = self.memory.referents.relation_words
        is_all = bool(words) and is_all_called(" ".join(words[-2:]), called)
        forms = {*words, *(one for word in words for one in singulars(word))}
        is_other = forms.isdisjoint(called) and self.names.is_name(text)  # "Metallica", for all that "metal" is said
        return (is_all and not is_other) or form.is_bare_question_word(text) or " ".join(words) in _ALWAYS_CALLED

    def _goes_on_with(self, name: str) -> bool:
        """Whether a name alone asks the last question of another thing; of a kind it asks for all of it."""
        last = self.memory.last_asked()
        return last is not None and last.query is not None and not self.memory.referents.is_kind(form.bare_noun(name))

    def _changed(self, text: str, last: Turn | None) -> Iterator[Way]:
        """The last question with another name, or whom a pronoun means, in the place of its own."""
        if last is None or last.query is None or shorts.is_than(text) or shorts.is_same_of(text, last.understood):
            return
        if isinstance(last.query, nodes.Count) and shorts.begins_with_ones(text):
            last = replace(last, query=last.query.base, understood=text)
        whose = self._resolved(text) if form.is_pronominal(text) else None
        yield from self.again.changed(self.answers.label(whose) if whose is not None else text, last, whose is not None)

    def _resolved(self, text: str) -> EntityId | None:
        """Whom "he" is, or "her husband", by asking."""
        if form.is_bare_pronoun(text):
            return next(
                (way.meant[0] for way in self.pronouns.meant(f"who is {text}", ()) if way.meant is not None), None
            )
        for way in self.pronouns.meant(f"who is {text.rstrip('?. ')}?", ()):
            answer = self.ask(way)
            if answer and len(answer.entities) == 1 and self.memory.referents.is_entity(answer.entities[0].id):
                return answer.entities[0].id
        return None
