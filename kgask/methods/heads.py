"""Who is asked for by a word of what they are ("which footballer was born in Liverpool?"), and who is found so.

Whoever wrote "Emma" is a novelist, whether or not the graph says so. Of all who were born in a place that is not so: a
query for "those whose place of birth is Liverpool" answers for people only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import TypeGuard

import numpy as np

from kgask.errors import BudgetError
from kgask.link.adjectives import places_of
from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING, RelationWords, is_all_called
from kgask.methods.doubts import relations_in
from kgask.methods.relation_facts import is_small
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.ends import kind_of_ends, share_of_ends
from kgask.query.nodes import Query
from kgask.retrieve.follow import neighbours
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import opposite, undirected

ANY_PLACE = frozenset("point place spot location site area region feature peak summit".split())
MOST_KINDS = 3  # of one thing and its fellows, which may be persons, laureates and writers
SAMPLED = 50  # answers whose types are looked at
LOOK_SECONDS = 0.5
MOSTLY = 0.5  # of what is counted that is of the class asked for
PERSONS = frozenset(("person", "human", "people", "human being"))
_HEAD = re.compile(
    r"\W*(?:(?:tell|show|give) me |name |list )?(?:(?:which|what|how many)(?: of the| other)? (?P<noun>[a-z]{3,}) "
    r"(?:was|were|is|are|had|has|have|died|lived|lives|live|comes?|came|grew|studied|went|attended|speaks?|spoke|won|"
    r"received|got)|(?:who (?:are|were) |list |name |show me )?(?:all )?(?:the )?(?P<born>[a-z]{3,}s)"
    r"(?: who were| that were)? (?:born|buried) (?:in|at))\b",
    re.IGNORECASE,
)
_FIRST_NOUNS = re.compile(
    r"\W*(?:(?:tell|show|give) me |name |list )?(?:which|what|how many)(?: of the| other)? "
    r"(?P<nouns>[a-z]{3,}(?: [a-z]{3,})?)\b(?!['\u2019])",
    re.IGNORECASE,
)
_MORE_OF = re.compile(r"\b(?:more|fewer|most|fewest) (?P<nouns>[a-z]{3,}(?: [a-z]{3,})?)\b(?!['\u2019])", re.I)
_HAS_A = re.compile(
    r"\b(?:(?:have|has|had) (?:ever |never |already )?(?:[a-z]{2,}ed|won|written|made|seen|held|led|built|sung) |"
    r"(?:have|has|having|with|without|got)(?: got)? )(?:an?|any|no|at least one|its own|their own) (?P<noun>[a-z]{3,})"
    r"(?=\W*\Z)",
    re.IGNORECASE,
)
_WHICH_MOST = re.compile(
    r"\W*(?:what|which)(?:['\u2019]s| is| was) the (?:[a-z]{2,}est|most [a-z]+|least [a-z]+) "
    r"(?P<noun>[\w.]+(?: [\w.]+){0,2})",
    re.IGNORECASE,
)
_MOST_OF = re.compile(
    r"\b(?:who|what|which)(?:['\u2019]s| is| was| are| were) (?:the |our )?(?:[a-z]{2,}est|(?:most|least) [a-z]+) "
    r"(?P<noun>[a-z]{3,})(?=\W*\Z| (?:in|of|at|on|by|with|from|that|who|which|we|here|ever)\b)",
    re.IGNORECASE,
)
_NAME_OF = re.compile(r"\b(?:name|title|label) of (?:(?:the|a|an|our|my|this|that) )?(?:\w+ )?\Z", re.IGNORECASE)
_NAMES = frozenset(
    "name names named called title titles titled label labels known nickname alias aka designation".split()
)
_SPOKEN = re.compile(r"\b(?:spoken|speaks?|native) ?(?:languages?)?\b", re.IGNORECASE)
_SPEAKS = re.compile(
    r"\b(?:languages?|spe?aks?|spoken?|speaking|tongues?|fluent\w*|native\w*|know\w*)\b", re.IGNORECASE
)
# Who is meant by no more than that something is so of them; sexes are looked at elsewhere.
ANYBODY = frozenset(
    "person people human humans individual individuals man men woman women celebrity celebrities figure figures "
    "personality personalities one ones star stars child children alumnus alumni student students graduate graduates "
    "pupil pupils member members resident residents inhabitant inhabitants citizen citizens native natives laureate "
    "laureates winner winners folks guy guys boy boys girl girls name names victim victims famous".split()
)


def tells_value_of_most(query: Query, question: str, pack: Pack) -> bool:
    """Whether the lowest value is told where the thing that has it is asked for: "what is the smallest state by area?",
    but not "what is the lowest area of a state?"."""
    found = _WHICH_MOST.match(question) if isinstance(query, nodes.Min | nodes.Max) else None
    if found is None:
        return False
    said = RelationWords(pack).of(relations_in(query))
    return not any(is_all_called(word, said) for word in normalise(found["noun"]).split())


def passes_over_name(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether what something is called is asked for, and something else is answered: "what is the name of P-107?"."""
    match query:
        case nodes.Follow(nodes.Entities((topic,)), relation) if topic in spans:
            start, end = spans[topic]
        case _:
            return False
    if not _NAME_OF.search(question[:start]) or question[end:].strip(" ?.!"):
        return False
    label = normalise(pack.relations()[undirected(relation, pack.n_relations)[0]].label)
    return _NAMES.isdisjoint(label.split())


def passes_over_head(query: Query | None, answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether persons of some sort are asked for, and all are found who have something, whatever they are."""
    found = _HEAD.match(question)
    base = query.base if isinstance(query, nodes.Count) else query
    noun = (found["noun"] or found["born"]).lower() if found else ""
    if found is None or base is None or noun in ANYBODY or not _is_of_all_who_have(base, pack):
        return False
    called, said = (noun, *singulars(noun)), RelationWords(pack).of(relations_in(base))
    named = [entity for node in base.walk() if isinstance(node, nodes.Entities) for entity in node.ids]
    if any(is_all_called(one, said) for one in called) or not set(called).isdisjoint(_labels(named, pack)):
        return False
    runner = Runner(pack, Budget(LOOK_SECONDS))
    try:
        members = answers if base is query else runner.members(base).possible
        kinds = _labels(runner.types(members[:SAMPLED]).tolist(), pack)
        return bool(kinds & PERSONS) and kinds.isdisjoint(called) and not have_all(members, called, runner)
    except BudgetError:
        return False


def goes_by_tongue(query: Query, question: str, pack: Pack) -> bool:
    """Whether persons are found by what they speak, for an adjective of where they are from: "German chemists", or what
    is called so is denied by a relation that never leads to it: French is nobody's occupation."""
    if _SPEAKS.search(question) or pack.source is not None:
        return False
    labels, n = pack.relation_labels(), pack.n_relations
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities(ids), relation) if relation >= n and _SPOKEN.search(labels[relation - n]):
                ends: dict[SetNode, tuple[int, ...]] = {node: ids}
            case nodes.Holds(nodes.Entities(ids), relation, nodes.Entities(others)):
                ends = {nodes.Having(relation): ids, nodes.Having(opposite(relation, n)): others}
            case _:
                continue
        nations = {had: those for had, those in ends.items() if _are_of_nation(those, pack)}
        if nations and _SPOKEN.search(labels[relation % n]) is not None:
            return True
        runner = Runner(pack, Budget(LOOK_SECONDS))
        with suppress(BudgetError):
            if any(not np.isin(those, runner.members(had).possible).any()
                   for had, those in nations.items() if isinstance(had, nodes.Having)):  # fmt: skip
                return True
    return False


def _are_of_nation(entities: Sequence[int], pack: Pack) -> bool:
    """Whether any of them is called as the adjective of a place that the pack knows."""
    places = {place for label in _labels(entities, pack) for place in places_of(label)}
    return bool(places) and any(pack.exact(places).values())


def _is_of_all_who_have(query: Query, pack: Pack) -> TypeGuard[SetNode]:
    """Whether it is for all of which something named is so, perhaps among all of which anything is."""
    parts = query.parts if isinstance(query, nodes.And) else (query,)
    is_led = [
        isinstance(one, nodes.Follow) and isinstance(one.base, nodes.Entities) and one.relation >= pack.n_relations
        for one in parts
    ]
    others = (one for one, is_it in zip(parts, is_led, strict=True) if not is_it)
    return any(is_led) and all(isinstance(one, nodes.Having) for one in others)


def have_all(members: np.ndarray, called: Collection[str], runner: Runner) -> bool:
    """Whether all of them have something of that name: an occupation."""
    hits = runner.pack.exact({*called})
    said = (neighbours(runner.pack, [hit.entity], inverse=True) for every in hits.values() for hit in every)
    return any(set(members.tolist()) <= those for those in said)


def _labels(entities: Sequence[int], pack: Pack) -> set[str]:
    return {normalise(label) for label in pack.labels(entities)}


def answers_other_class(query: Query | None, answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether some of a class are asked for, and what is found is of another that the question names behind it: "which
    cities have an airport" asks for no airports."""
    found = _FIRST_NOUNS.match(question)
    if found is None or query is None or ANYBODY & {*found["nouns"].lower().split()}:
        return False
    kinds = {node.type for node in query.walk() if isinstance(node, nodes.Class)} or _kind_found(query, pack)
    if not kinds:
        return False
    asked, behind = _class_asked(found["nouns"], pack), normalise(question[found.start("nouns") :])
    is_said = any(re.search(rf"\b{re.escape(label.lower())}", behind) for label in pack.labels(sorted(kinds)))
    if not asked or asked & kinds or not is_said:
        return False
    runner = Runner(pack, Budget(LOOK_SECONDS))
    try:
        members = np.concatenate([runner.members(nodes.Class(one)).possible for one in sorted(asked)])
    except BudgetError:
        return False
    return bool(len(members)) and not np.isin(answers[:SAMPLED], members).any()


def counts_other_class(query: Query, question: str, pack: Pack) -> bool:
    """Whether things of another class are counted than the question says there are more or most of: seasons whose
    champion she was for "more races than"."""
    nouns = [found["nouns"] for found in _MORE_OF.finditer(question)]
    asked = [kinds for one in nouns if ANYBODY.isdisjoint(one.lower().split()) and (kinds := _class_asked(one, pack))]
    if len(asked) != 1:
        return False
    counted = [node.base.relation for node in query.walk()
               if isinstance(node, nodes.Count) and isinstance(node.base, nodes.Follow)]  # fmt: skip
    sizes = [node.path[-1] for node in query.walk() if isinstance(node, nodes.SizeOf)]
    counted += sizes
    ends = [kind for relation in counted if (kind := kind_of_ends(pack, relation)) is not None]
    runner = Runner(pack, Budget(LOOK_SECONDS))
    shares = [share for one in sizes if (share := share_of_ends(pack, one, asked[0])) is not None]
    is_other = bool(ends and not asked[0].issuperset(ends)) or any(share < MOSTLY for share in shares)
    measured = {one for node in query.walk() if isinstance(node, nodes.Best) and isinstance(node.by, nodes.ValueOf)
                for one in node.by.path}  # fmt: skip
    if measured and not is_small(pack):  # the most cities are not the most inhabitants
        said = RelationWords(pack).of(measured)
        is_other = is_other or not any(
            is_all_called(one, said) for word in " ".join(nouns).lower().split() for one in (word, *singulars(word))
        )
    return is_other and any(len(runner.members(nodes.Class(one)).certain) for one in sorted(asked[0]))


def is_of_no_such_class(query: Query, answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether the most of a class is asked for, and nothing found is of it: no doctor is "the oldest patient"; or the
    most of what nothing is called, among things of several kinds: no mountain is "the tallest building in Asia"."""
    found = _MOST_OF.search(question)
    if found is None or not isinstance(query, nodes.Best) or not len(answers):
        return False
    runner = Runner(pack, Budget(LOOK_SECONDS))
    try:
        if not is_small(pack) and _mixes_kinds(query, found["noun"].lower(), runner):
            return True
        asked = [runner.members(nodes.Class(one)).possible for one in sorted(entities_called(found["noun"], pack))]
    except BudgetError:
        return False
    members = np.concatenate(asked or [answers[:0]])
    return bool(len(members)) and not np.isin(answers[:SAMPLED], members).any()


def _mixes_kinds(query: nodes.Best, noun: str, runner: Runner) -> bool:
    """Whether what is ordered is of several kinds, and neither these nor its relations are called by a noun. In
    somebody's own graph a noun may well mean all of them: boats and rafts that are vessels."""
    if any(isinstance(node, nodes.Class) for node in query.walk()) or noun in ANYBODY | CARRY_NOTHING | ANY_PLACE:
        return False
    said = RelationWords(runner.pack).of(relations_in(query))
    if any(is_all_called(one, said) for one in (noun, *singulars(noun))):
        return False
    kinds = runner.types(runner.members(query.base).possible[:SAMPLED]).tolist()
    labels = {word for label in runner.pack.labels(kinds) for word in normalise(label).split()}
    return len(kinds) > MOST_KINDS and labels.isdisjoint((noun, *singulars(noun)))


def entities_called(noun: str, pack: Pack) -> set[int]:
    hits = pack.exact({noun.lower(), *singulars(noun.lower())})
    return {hit.entity for every in hits.values() for hit in every}


def _kind_found(query: Query, pack: Pack) -> set[int]:
    """What nearly all are that a relation leads to, or that are counted so."""
    found = query.base if isinstance(query, nodes.Count) else query
    kind = kind_of_ends(pack, found.relation) if isinstance(found, nodes.Follow) else None
    return set() if kind is None else {kind}


def _class_asked(nouns: str, pack: Pack) -> set[int]:
    """What the first of these words that names something names: "drivers" of "French drivers"."""
    for noun in nouns.lower().split():
        if singulars(noun) and (found := entities_called(noun, pack)):
            return found
    return set()


def passes_over_had(query: Query | None, question: str, pack: Pack) -> bool:
    """Whether some are asked for that have a thing of a class, and a query has nothing of that class: all cities are no
    answer for those "with an airport"."""
    found = _HAS_A.search(question) if query is not None else None
    if found is None or query is None:
        return False
    if isinstance(query, nodes.Some) and isinstance(query.base, nodes.And):
        sides = {type(query.base.left), type(query.base.right)}
        if sides == {nodes.Entities, nodes.Class}:
            return True  # whoever has an airport is none
    forms = (found["noun"].lower(), *singulars(found["noun"].lower()))
    kinds = {hit.entity for hits in pack.exact(forms).values() for hit in hits}
    runner = Runner(pack, Budget(LOOK_SECONDS))
    if not any(len(runner.members(nodes.Class(one)).possible) for one in sorted(kinds)):
        return False
    said = RelationWords(pack).of(relations_in(query))
    named = {node.type for node in query.walk() if isinstance(node, nodes.Class)}
    named |= {one for node in query.walk() if isinstance(node, nodes.Entities) for one in node.ids}
    ways = (way for one in relations_in(query) for way in (one, opposite(one, pack.n_relations)))
    named |= {end for way in ways if (end := kind_of_ends(pack, way)) is not None}
    return kinds.isdisjoint(named) and not any(is_all_called(form, said) for form in forms)
