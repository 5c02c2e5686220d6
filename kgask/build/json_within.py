"""What all objects within the objects of a JSON file tell together: which names are things', what is said of a link.

``{"title": "Soup", "ingredients": [{"name": "onion", "amount": 1}]}``: the onion is a thing of its own, and where other
soups take another amount, the amount is said of what links the soup to it. In ``{"product": "kettle", "price": 58}``
the price is the kettle's where all kettles cost that, and of ``{"description": "Logo", "hours": 3}`` the text is the
name. A stage that stands within several days is one thing; the acts of a day would be those of all days, so each day
has its own as well.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from kgask.build.json_document import IDS
from kgask.build.plain_values import looks_like_value
from kgask.build.tables import readable, singular
from kgask.errors import BuildError
from kgask.pack.literals import parse_literal
from kgask.pack.quantities import is_unit

_CODE = re.compile(r"\s*\S*\d\S*\s*")
OWN_IDS = ("id", "no", "nr", "number", "code", "ref")  # behind the kind of a thing
_LOGINS = ("login", "username", "handle", "slug", "sku", "isbn", "ticker")
LABELS = ("label", "name", "title")
_AMOUNTS, _UNITS = ("amount", "quantity", "qty", "value"), ("unit", "units", "uom")
MOST_DEPTH = 20  # of objects within objects
_SOLD_BY = frozenset("tsp tbsp cup pinch clove slice piece pc bunch can tin bag box bottle packet pack sprig".split())
_LONGEST_TITLE = 80  # characters
_FEWEST_ALIKE = 2  # things that are met again with the same number, which then is theirs

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Within:
    """Of the objects within the objects of a file."""

    names: frozenset[str] = frozenset()  # by which one alone is called: {"service": "mail"}
    shared: frozenset[tuple[str, str]] = frozenset()  # kind and name of things within several, that hold things
    linked: frozenset[tuple[str, str]] = frozenset()  # kind and property: numbers that are said of the link to a thing
    owned: frozenset[tuple[str, str]] = frozenset()  # the same of unnamed ones: numbers of the one thing that they hold
    held: frozenset[tuple[str, str]] = frozenset()  # kind and property: the one text of unnamed ones, met again
    titles: frozenset[tuple[str, str]] = frozenset()  # the same where no two have the same

    @classmethod
    def of(cls, every: Any) -> Within:
        """What ``every`` object of a file tells."""
        met = _Met()
        _walk(every, "", "", MOST_DEPTH, met)
        return cls(
            frozenset(name for name, n in met.names.items() if n == 1),
            frozenset(one for one, owners in met.owners.items() if len(owners) > 1),
            frozenset(
                one for one, by_name in met.numbers.items() if any(len(set(all_)) > 1 for all_ in by_name.values())
            ),
            frozenset(one for one, by_name in met.held.items() if _is_theirs(by_name.values())),
            frozenset(one for one, n in met.only_texts() if max(n.values()) > 1),
            frozenset(one for one, n in met.only_texts() if max(n.values()) == 1 < len(n)),
        )

    def of_link(self, relation: str, value: Said) -> frozenset[str]:
        """The properties of a thing within a thing that are said of the link between them."""
        kind = kind_of(relation)
        found = {path for path in value if (kind, path) in self.linked}
        return frozenset(found | ({path for path in value if path in _UNITS} if found & set(_AMOUNTS) else set()))

    def of_held(self, relation: str, value: Said) -> dict[str, Any]:
        """The numbers of an unnamed object that are those of the one thing that it holds."""
        return {path: one for path, one in value.items() if (kind_of(relation), path) in self.owned}

    def text_held(self, relation: str, value: Said) -> str:
        """The property with the one text of an unnamed object, which others have too; or ""."""
        return next((path for path in value if (kind_of(relation), path) in self.held), "")

    def title(self, relation: str, value: Said) -> str:
        """The property with the one text of an unnamed object, which no other has; or ""."""
        paths = (path for path, one in value.items() if isinstance(one, str) and one.strip())
        return next((path for path in paths if (kind_of(relation), path) in self.titles), "")


class Outer(NamedTuple):
    """To what besides a thing the things within it belong, and their numbers that stand beside them."""

    owners: tuple[str, ...] = ()
    held: Mapping[str, Any] = {}
    text: str = ""  # the property whose text is a thing as well


NOTHING = Outer()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing stands within another."""

    owner: str
    place: str
    called: str
    relation: str
    depth: int
    owners: tuple[str, ...]  # to what the owner's things belong besides it

    def member(self, number: int) -> Place:
        return replace(self, place=f"{self.place}/{number}", called=f"{self.called} {number}")

    def names(self, value: Mapping[str, Any], called: str, title: str) -> Collection[str]:
        """The properties that name a thing which is called so."""
        own = own_within(self.relation, value) or title
        return (*LABELS, own) if own and value[own] == called and not name_of(value) else LABELS


@dataclass(slots=True)
class _Met:
    names: Counter[str] = field(default_factory=Counter)
    owners: defaultdict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    numbers: defaultdict[tuple[str, str], defaultdict[str, list[Any]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    held: defaultdict[tuple[str, str], defaultdict[str, list[Any]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    texts: defaultdict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unnamed: Counter[str] = field(default_factory=Counter)  # kinds

    def only_texts(self) -> Iterator[tuple[tuple[str, str], Counter[str]]]:
        """Kind and property of the one text that every unnamed thing of a kind has, and how often each is met."""
        return ((one, n) for one, n in self.texts.items() if n.total() == self.unnamed[one[0]])


def _walk(said: Any, relation: str, owner: str, depth: int, met: _Met) -> None:
    if not depth:
        return
    if isinstance(said, list):
        for at, one in enumerate(said):
            _walk(one, relation, f"{owner}/{at}" if not relation else owner, depth - 1, met)
        return
    if not isinstance(said, dict):
        return
    own = own_within(relation, said) if relation else ""
    if own:
        met.names[said[own]] += 1
    name = name_of(said)
    if relation and name:
        _meet(said, kind_of(relation), name, owner, met)
    elif relation and len(inner := [one for one in said.values() if isinstance(one, dict) and name_of(one)]) == 1:
        for path, one in said.items():
            if is_number(one) and path not in inner[0]:
                met.held[kind_of(relation), path][name_of(inner[0])].append(one)
    elif relation and not inner and not own:
        met.unnamed[kind_of(relation)] += 1
        if len(texts := [path for path, one in said.items() if _is_text(path, one)]) == 1:
            text = said[texts[0]].strip()
            met.texts[kind_of(relation), texts[0]][text] += 1
            for path, one in said.items():
                if is_number(one):
                    met.held[kind_of(relation), path][text].append(one)
    for path, one in said.items():
        if isinstance(one, list | dict):
            _walk(one, path, f"{owner}/{name or (said[own] if own else relation)}", depth - 1, met)


def _meet(said: Said, kind: str, name: str, owner: str, met: _Met) -> None:
    if any(isinstance(one, dict) or (isinstance(one, list) and any(isinstance(x, dict) for x in one))
           for one in said.values()):  # fmt: skip
        met.owners[kind, name].add(owner)
    for path, one in said.items():
        if is_number(one):
            met.numbers[kind, path][name].append((one, next((said[unit] for unit in _UNITS if unit in said), "")))


def _is_theirs(numbers: Iterable[list[Any]]) -> bool:
    """Whether a number is the same wherever one thing is met, and differs between things."""
    every = list(numbers)
    again = [all_ for all_ in every if len(all_) > 1]
    return (
        len(again) >= _FEWEST_ALIKE
        and all(len(set(all_)) == 1 for all_ in again)
        and len({all_[0] for all_ in every}) > 1
    )


def _is_text(path: str, value: Any) -> bool:
    """Whether a property may tell what an unnamed thing is: no code does."""
    is_short = isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST_TITLE
    return is_short and path not in _UNITS and not looks_like_value(value.strip()) and not _CODE.fullmatch(value)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def kind_of(relation: str) -> str:
    """Of what kind things are that stand under a property: ``line`` under ``lines``."""
    return singular(readable(relation))


def name_of(said: Said) -> str:
    """The id or name of an object; "" for one that has neither."""
    return next((str(said[name]) for name in (*IDS, *LABELS) if said.get(name) not in (None, "")), "")


def is_id(path: str, kind: str) -> bool:
    """Whether a property tells things of a kind apart by its name: ``order_no`` of orders."""
    return readable(path) in {f"{kind} {name}" for name in OWN_IDS}


def mark(space: str, number: str) -> str:
    """What a thing is called that has nothing but an id: "SO-4107", "order 17"."""
    return f"{space} {number}" if number.isdecimal() else number


def own_within(relation: str, value: Said) -> str:
    """The property of a thing within a thing that is called as such things are, or by a code: ``service`` of
    ``services``, else the ``number`` "2024-017"; or ""."""
    texts = {readable(key): key for key, one in value.items() if isinstance(one, str) and one.strip()}
    codes = (name for name in OWN_IDS if name in texts and not value[texts[name]].strip().isdecimal())
    return texts.get(kind_of(relation)) or texts.get(next(codes, ""), "")


def measured(said: Said) -> Iterator[tuple[str, Any]]:
    """The properties of an object, an amount with the unit that stands beside it: ``{"amount": 250, "unit": "g"}``."""
    unit = next((path for path in _UNITS if isinstance(said.get(path), str) and _is_unit(said[path].strip())), None)
    amount = next((path for path in _AMOUNTS if is_number(said.get(path))), None)
    for path, one in said.items():
        if unit is None or amount is None or path not in (unit, amount):
            yield path, one
        elif path == amount:
            yield path, parse_literal("number", str(one), said[unit].strip())


def _is_unit(text: str) -> bool:
    """Whether a text is what something is measured or sold by, and no flat 4B, and no block A."""
    is_measure = is_unit(text) and not (len(text) == 1 and text.isupper())
    return is_measure or text.lower().removesuffix("s") in _SOLD_BY


def ungrouped(said: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The properties of an object, and in their place those of an object within it that is nothing by itself: that has
    neither an id nor a name. ``"impact": {"homes_destroyed": 6}`` is "impact homes destroyed"."""
    for path, value in said.items():
        if not isinstance(value, dict) or not value or any(value.get(name) for name in (*IDS, *LABELS)):
            yield path, value
        elif depth > MOST_DEPTH:
            raise BuildError(f"objects nested more than {MOST_DEPTH} deep")
        else:
            for own, inner in ungrouped(value, depth + 1):
                yield f"{readable(path)} {readable(own)}", inner


def codes_of(objects: Sequence[Said], space: str, are_all: bool) -> tuple[str, ...]:
    """``code`` or the like, where objects without an id are told apart by it: by "2024-017", not by 17; or what stands
    first in all of them and is called as an id of what their file is about: ``letter_id`` of "letters export".

    Of some of many (not ``are_all``) no other is known to tell them apart.
    """
    if any(name in one for one in objects for name in IDS):
        return ()
    first = {next(iter(one), "") for one in objects}
    own = [name for name in first if len(first) == 1 and _is_own_id(name, space)]
    others = (name for name in (*OWN_IDS, *_LOGINS) if are_all and name != "id")
    return telling([*own, *others], objects)[:1]


def _is_own_id(name: str, space: str) -> bool:
    kind, _, last = readable(name).rpartition(" ")
    of_file = {form for word in space.split() for form in (word, singular(word))}
    return last in OWN_IDS and bool(kind) and of_file.issuperset(kind.split())


def telling(names: Iterable[str], objects: Sequence[Said]) -> tuple[str, ...]:
    """The properties of which each of some objects has a text of its own."""
    said = {name: [one.get(name) for one in objects] for name in names}
    return tuple(
        name
        for name, values in said.items()
        if values and len(set(map(str, values))) == len(values)
        and all(isinstance(one, str) and one.strip() and not one.strip().isdecimal() for one in values)
    )  # fmt: skip
