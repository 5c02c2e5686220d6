"""What the things that were spoken of are: of which kind and sex, and what they are called together."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kgask.chat.asked import asked_for, sexes_told
from kgask.chat.form import asks_for_people
from kgask.chat.given_names import SEX_OF
from kgask.methods.accounted import RelationWords
from kgask.methods.relation_facts import RelationFacts, is_small, is_table
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query.relation_words import plural
from kgask.retrieve.follow import reached_by
from kgask.types import EntityId, opposite

_PERSONS = frozenset({"person", "human", "people", "human being", "man", "woman"})
_KIN = frozenset("spouse husband wife father mother child son daughter sibling brother sister".split())
_BORN = _KIN | frozenset(
    ("date of birth", "place of birth", "born", "gender", "sex or gender", "birth date", "born on", "born in",
     "birthday", "date of death", "occupation", "profession", "married to")
)  # fmt: skip
_OF_MANY = frozenset(
    "country nation state city town village company organisation organization team club band group museum university "
    "party tribe firm institution".split()
)
_GROUPS = frozenset("band team club group company firm label choir orchestra squad crew".split())
_WHAT_PARENT = re.compile(r"\bwhat\b.*\bparents?\b", re.IGNORECASE)  # of a flower
_WHERE = re.compile(
    r"\W*(?:and |so )*(?:(?:in |on |at )?(?:which|what) (?:town|city|country|place|village|street|region|state)|"
    r"where)\b",
    re.IGNORECASE,
)
_TITLES = dict.fromkeys("mr sir lord king prince baron duke uncle father brother señor herr monsieur".split(), "male")
_TITLES |= dict.fromkeys(
    "mrs ms miss lady dame madam madame queen princess baroness duchess countess aunt mother sister frau".split(),
    "female",
)
_OTHER_SEX = {"male": "female", "female": "male"}
_OTHER_WORDS = {"film": ("movie",), "musical group": ("band", "group"), "person": ("man", "woman", "guy")}


class Referents:
    """Knows what entities of one pack are."""

    def __init__(self, pack: Pack) -> None:
        self.told: dict[EntityId, str] = {}  # sexes that the conversation told; "thing" of places
        self.people: set[EntityId] = set()  # who answered "who": persons, where the graph does not tell
        self.pack, self._facts = pack, RelationFacts(pack)
        self.words = RelationWords(pack)
        self.relation_words = self.words.of(range(pack.n_relations))
        self._leads, self._is_small = pack.type_relations, is_small(pack)
        self._instances = [opposite(relation, pack.n_relations) for relation in self._leads]
        self._of_spouses = [at for at, text in enumerate(pack.relations()) if text.label.lower() == "spouse"]
        labels = [readable_relation(text.label).lower().removeprefix("has ") for text in pack.relations()]
        self._of_persons = [at for at, label in enumerate(labels) if label in _BORN]
        self._of_persons += [opposite(at, pack.n_relations) for at, label in enumerate(labels) if label in _KIN]
        self._tells_persons = bool(self._of_persons) or any(pack.exact(sorted(_PERSONS)).values())

    def forget(self) -> None:
        """Forget what the conversation told."""
        self.told.clear()
        self.people.clear()

    def kinds(self, entity: EntityId) -> list[str]:
        """What an entity is an instance of, in lower case."""
        ends = [int(end) for relation in self._leads for end in reached_by(self.pack, np.array([entity]), relation)]
        return [label.lower() for label in self.pack.labels(ends)]

    def is_kind(self, word: str) -> bool:
        """Whether something of the pack is an instance of what a word names."""
        norm = normalise(word)
        found = {hit.entity for hit in self.pack.exact([norm]).get(norm, [])}
        return any(len(reached_by(self.pack, np.array([one]), lead)) for one in found for lead in self._instances)

    def is_bare_kind(self, text: str) -> bool:
        """Whether a turn is a noun alone, of what there is many: "University?" asks for somebody's."""
        noun = text.strip(" ?.!")
        return noun.isalpha() and not noun.lower().endswith("s") and self.is_kind(noun)

    def is_entity(self, entity: EntityId) -> bool:
        """Whether it is no number, date or text."""
        return entity < self.pack.n_entities - self.pack.n_literals

    def is_person(self, entity: EntityId) -> bool:
        """By its kind, or by what is said of persons only."""
        kinds = set(self.kinds(entity))
        if _PERSONS & kinds or (entity in self.people and not kinds):
            return True
        return bool(self._facts.of_entity(entity)[self._of_persons].any())

    def is_group(self, entity: EntityId) -> bool:
        """Whether "they" rather means it than others of its kind: a band, no country."""
        return not _GROUPS.isdisjoint(word for kind in self.kinds(entity) for word in kind.split())

    def has_members(self, entity: EntityId) -> bool:
        """Whether "they" may mean one of its kind: the people of a country or a company."""
        return not _OF_MANY.isdisjoint(word for kind in self.kinds(entity) for word in (kind, *kind.split()))

    def may_be(self, entity: EntityId, sex: str) -> bool:
        """Whether "he" (male), "she" (female) or "it" (thing) may mean it; "" leaves it open."""
        if not sex:
            return True
        if self._is_small and any(len(reached_by(self.pack, np.array([entity]), lead)) for lead in self._instances):
            return False  # a kind of things, none of them
        if entity in self.told:
            return self.told[entity] == sex
        if not self._tells_persons:  # a table of employees: whoever has a row may be "she"
            is_thing = sex == "thing"
            if not is_thing and (named := self._by_name(entity)):
                return named == sex
            return entity not in self.people if is_thing else entity in self.people or self.is_described(entity)
        if sex == "thing":
            return not self.is_person(entity)
        known = self.sexes(entity)
        return self.is_person(entity) and (not known or sex in known)

    def like_known(self, entities: Sequence[EntityId], sex: str) -> list[EntityId]:
        """Those of whom something is said that is also said of one who is known to be "she", where one is and the
        graph does not tell who is a person: no game, when "she" lives in Leeds."""
        known = [one for one in entities if self.told.get(one) == sex]
        if not known or self._tells_persons:
            return [*entities]
        n, of, sure = self._facts.n_relations, self._facts.of_entity, {*known, *self.people}
        return [one for one in entities if one in sure or (of(known[0])[:n] & of(one)[:n]).any()]

    def is_described(self, entity: EntityId) -> bool:
        """Whether the graph says anything of it, rather than only of others that lead to it."""
        return bool(self._facts.of_entity(entity)[: self._facts.n_relations].any())

    def is_known_as(self, entity: EntityId, sex: str) -> bool:
        """Whether the conversation or the graph says that an entity is of this sex."""
        return self.told.get(entity) == sex or sex in self.sexes(entity) or self._by_name(entity) == sex

    def _by_name(self, entity: EntityId) -> str:
        """The sex that a title or given name tells: of "Madame Goose"."""
        words = normalise(self.pack.labels([entity])[0]).split()
        return _TITLES.get(words[0]) or SEX_OF.get(words[0], "") if len(words) > 1 else ""

    def learn(
        self, text: str, meant: tuple[EntityId, str] | None, topics: Sequence[EntityId], ends: Sequence[EntityId]
    ) -> None:
        """What a turn tells of sex: whom "he" meant (``meant``), whose husband somebody is (``text``)."""
        if meant is not None and meant[1] in ("male", "female"):
            self.told[meant[0]] = meant[1]
        for entities, sex in zip((topics, ends), sexes_told(text), strict=True):
            if sex:
                self.told |= dict.fromkeys(entities, sex)
        if _WHERE.match(text):
            self.told |= {one: "thing" for one in ends if one not in self.told}
        is_told = is_table(self.pack) and asked_for(text).person  # of what owns something elsewhere it is not
        is_told = is_told and _WHAT_PARENT.search(text) is None
        if is_told or (not self._tells_persons and asks_for_people(text)):
            self.people.update(ends)

    def take_as(self, entity: EntityId, sex: str) -> None:
        """Whom "he" was taken to mean in a question that was refused is no "she" from then on."""
        if sex in _OTHER_SEX:
            self.told.setdefault(entity, sex)

    def sexes(self, entity: EntityId) -> set[str]:
        """What the graph says of an entity's sex, in lower case; else what that of whom it is married to tells, or its
        given name."""
        found = self._facts.sexes_of(np.array([entity]))
        spouses = [reached_by(self.pack, np.array([entity]), one) for one in self._of_spouses] if not found else []
        theirs = self._facts.sexes_of(np.concatenate(spouses)) if any(map(len, spouses)) else set()
        found = found or {_OTHER_SEX[sex] for sex in theirs if sex in _OTHER_SEX}
        return found or ({named} if (named := self._by_name(entity)) and self.is_person(entity) else found)

    def alike(self, one: EntityId, other: EntityId) -> bool:
        """Whether both are of one kind, or of none that is known."""
        ones, others = self.kinds(one), self.kinds(other)
        return bool(set(ones) & set(others)) or not (ones or others)

    def together(self, entities: Sequence[EntityId]) -> str:
        """What several are called: the kind of most of them, in the plural; "things" where none is known."""
        found = [kind for entity in entities[:50] for kind in self.kinds(entity)]
        if not found:
            return "people" if entities and self.is_person(entities[0]) else "things"
        kind = max(dict.fromkeys(found), key=found.count)
        return "people" if kind in _PERSONS else plural(kind)

    def called(self, entity: EntityId) -> list[str]:
        """What "the ..." may say for it: "the country"."""
        kinds = self.kinds(entity)
        more = [word for kind in kinds for word in (*_OTHER_WORDS.get(kind, ()), *kind.split()[1:][-1:])]
        return [*kinds, *more]

    def namesakes(self, label: str, kind: str) -> list[EntityId]:
        """What else has this name and is of the kind that a text says: "the US state"."""
        norm, said = normalise(label), {*normalise(kind).split(), normalise(kind).replace(" ", "")}
        found = [hit.entity for hit in self.pack.exact([norm]).get(norm, [])]
        names = {one: {normalise(name).replace(" ", "") for name in self.called(one)} for one in dict.fromkeys(found)}
        return [one for one, called in names.items() if self.is_entity(one) and called & said]
