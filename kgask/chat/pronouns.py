"""What "he", "there" or "the country" of a turn may mean, of what was spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgask.answer.parts import with_name
from kgask.chat import form, shorts
from kgask.chat.asked import asked_for
from kgask.chat.changes import MOST_NAMED
from kgask.chat.form import PLACE
from kgask.chat.of_answers import OfAnswers
from kgask.chat.spoken import is_of_person_and_place, with_place
from kgask.chat.turns import Way
from kgask.link.linker import Linker
from kgask.link.naming import seeds_in
from kgask.methods.relation_facts import is_table
from kgask.query import nodes
from kgask.types import EntityId

MOST_JOINED = 3  # things that are named one by one in the place of "them"
UNKNOWN_SEX = 0.03  # of confidence, that "she" less likely means somebody of whom that is not known
LATER, EARLIER = 0.01, 0.05  # of confidence, that what stands behind, or was spoken of a turn before, is less likely
BARE = 0.2  # of confidence, that "it" is no row of a table but what stands in one
_OWNS_A = re.compile(
    r"\b(?:has|have|had|got|owns?|keeps?|drives?) an? (?P<noun>[a-z]{3,}(?: [a-z]{3,})?)\W*\Z", re.IGNORECASE
)
_ASKED_PLACE = re.compile(r"\b(?:capital|city|town|village|where|and (?:of|in) the)\b", re.IGNORECASE)
_IT = re.compile(r"\bits?\b", re.IGNORECASE)
NAMED = 0.5  # score from which the text itself names something, which its pronoun does not mean
MOST_TRIED = 20  # of the last answers, one of whom "she" may be
_THAT_ONE = re.compile(r"\bthat (?:man|woman|person|guy|lady|gentleman|girl|boy)\b", re.IGNORECASE)
_SEXES = ("male", "female")


@dataclass(frozen=True, slots=True)
class Pronouns:
    """Puts names in the place of pronouns."""

    answers: OfAnswers
    linker: Linker

    def meant(self, text: str, focus: Sequence[EntityId]) -> Iterator[Way]:
        """The text with what its pronouns, or "the country", may mean: one of ``focus``, if there is any."""
        memory, referents = self.answers.memory, self.answers.memory.referents
        if not form.is_pronominal(text):
            yield from self._called(text, focus)
        if not form.is_pronominal(text) or form.is_of_two(text) or form.is_among_them(text):
            return
        things = (self.answers.label(one) for one in memory.recent() if referents.may_be(one, "thing"))
        if is_of_person_and_place(text):
            text = next((with_place(text, one) for one in things), text)
        if (ranked := self.answers.with_ranked(text)) is None or (known := shorts.with_thing(ranked, things)) is None:
            return
        text = known
        sex = form.sex_meant(text)
        several = memory.last_set()
        if sex and form.is_plural(text) and several is not None and len(several.ends) <= MOST_JOINED:
            text = _with_names(text, self.answers.pack.labels(several.ends))
        yield from self._of_owned(text, focus)
        for rank, entity in enumerate(self._fitting(text, sex, focus)[:MOST_NAMED]):
            named = with_name(text, entity, self.answers.label(entity))
            if named is not None:
                doubt = LATER * rank + (EARLIER * memory.turns_ago(entity) if not focus else 0.0)
                doubt += BARE * (sex == "thing" and is_table(self.answers.pack) and not referents.is_described(entity))
                doubt += UNKNOWN_SEX * (sex in _SEXES and not referents.is_known_as(entity, sex))
                yield Way(named.text, named.given, self.answers.unless_known(text), doubt=doubt, meant=(entity, sex))

    def _of_owned(self, text: str, focus: Sequence[EntityId]) -> Iterator[Way]:
        """The text with "Ann's account" for "it", after "which of them has an account?"."""
        last = self.answers.memory.last_asked()
        owns = _OWNS_A.search(last.line) if last is not None and len(last.ends) == 1 and not focus else None
        it = _IT.search(text)
        if last is not None and owns is not None and it is not None and last.ends[0] not in last.topics:
            own = "'s" if it[0].lower() == "its" else ""
            said = f"{text[: it.start()]}\0's {owns['noun']}{own}{text[it.end() :]}"
            yield self.answers.naming(said, last.ends[0])

    def _called(self, text: str, focus: Sequence[EntityId]) -> Iterator[Way]:
        """The text with a name for "the country"."""
        referents, noun = self.answers.memory.referents, form.noun_meant(text)
        latest: int | None = None  # turns since the last that spoke of one: no older one is meant
        for entity in [*focus, *self.answers.memory.called(text)]:
            ago = self.answers.memory.turns_ago(entity)
            if latest is not None and ago > latest:
                return
            called = referents.called(entity)
            is_so = noun == "place" and not referents.is_person(entity)
            is_so = is_so or (noun == "person" and any(referents.may_be(entity, sex) for sex in _SEXES))
            if is_so or (not called and noun and referents.may_be(entity, "thing")):  # of an unknown kind
                called = [noun]
            for word in called:
                if (found := form.said(word, text)) is not None:
                    latest = ago
                    yield self.answers.naming(f"{text[: found.start()]}\0{text[found.end() :]}", entity)

    def _fitting(self, text: str, sex: str, focus: Sequence[EntityId]) -> list[EntityId]:
        """What a pronoun may mean, the likeliest first; of the last turn alone, where that spoke of a person."""
        memory, referents = self.answers.memory, self.answers.memory.referents
        seeds = [one for one in seeds_in(self.linker, text) if one.score >= NAMED]
        named_here = {one.entity for one in seeds}
        own = max(len(shorts.before_owner(text)), len(shorts.before_clause(text)))
        if sex in _SEXES and any(one.span[1] <= own and referents.may_be(one.entity, sex) for one in seeds):
            return []  # "did Emily die before her sister?", "how old was Emil when he died?"
        fitting = [
            one
            for one in focus or memory.recent()
            if one not in named_here and referents.may_be(one, sex) and not memory.is_not_asked_for(one, sex)
        ]
        last = memory.last_asked()
        if sex in _SEXES and not focus:
            fitting = referents.like_known(fitting, sex)
        noun = form.noun_meant(last.line) if last is not None and last.is_refused and not focus else ""
        if noun and referents.is_kind(noun):  # "how long is that river" was not known: nor what "it" is since
            fitting = [one for one in fitting if noun in referents.called(one)]
        is_one = last is not None and len(last.ends) == 1 and last.ends[0] in fitting
        if last is not None and is_one and not focus and _THAT_ONE.search(text):
            return [*last.ends]  # "that man" was told last
        if sex in _SEXES and not focus and (only := self._only_one(sex, fitting)) is not None:
            return [only]
        if last is not None and last.is_refused and not focus and PLACE.search(text) and _ASKED_PLACE.search(last.line):
            return []  # where it is was not told
        known = [one for one in fitting if sex in _SEXES and referents.is_known_as(one, sex)]
        if sex in _SEXES and last is not None and last.is_refused and asked_for(last.line).person and not focus:
            fitting = known  # whom it asked for may be meant
        latest = [one for one in fitting if memory.turns_ago(one) == 0]
        latest = [one for one in latest if one in known] or latest
        return self._answered_last(latest) or fitting  # nobody older is "he" then

    def _answered_last(self, latest: Sequence[EntityId]) -> list[EntityId]:
        """What the last turn spoke of; in a table its one answer rather than what is of the same sort.

        There a row may lack what others have: what is not said of the answer is no reason to tell it of another row.
        """
        memory = self.answers.memory
        chosen = memory.turns[-1].ends[:1] if latest and isinstance(memory.turns[-1].query, nodes.Best) else ()
        if len(chosen) == 1 == len(memory.turns[-1].ends) and chosen[0] in latest:
            return [*chosen]  # the highest volcano, not the continent whose it is
        is_answer = bool(latest) and is_table(self.answers.pack) and memory.turns[-1].ends == (latest[0],)
        alike = memory.referents.alike
        return [one for one in latest if not (is_answer and one != latest[0] and alike(one, latest[0]))]

    def _only_one(self, sex: str, fitting: Sequence[EntityId]) -> EntityId | None:
        """The one of the last answers who may be "she"; None where several may, or somebody is spoken of since."""
        memory, referents = self.answers.memory, self.answers.memory.referents
        found = memory.last_set()
        several = [one for one in found.ends[:MOST_TRIED] if referents.may_be(one, sex)] if found is not None else []
        if found is None or len(several) != 1 or len(found.ends) > MOST_TRIED:
            return None
        age = memory.turns[-1].number - found.number
        is_known = referents.is_known_as(several[0], sex)
        since = [one for one in fitting if memory.turns_ago(one) <= age and one not in several]
        since = [one for one in since if memory.turns_ago(one) < age or not is_known or referents.is_known_as(one, sex)]
        return several[0] if not since else None


def _with_names(text: str, names: Sequence[str]) -> str:
    """The text with names in the place of "them", where another pronoun stands beside it.

    >>> _with_names("does it border both of them?", ["India", "China"])
    'does it border both India and China?'
    """
    joined = " and ".join(names)
    return re.sub(r"\b(?:of )?(?:them|those|these|they)\b", lambda _: joined, text, count=1, flags=re.IGNORECASE)
