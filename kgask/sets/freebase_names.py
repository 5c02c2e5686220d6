"""Relation names of Freebase as words.

A name is ``/domain/type/property``; a compound one joins two by a dot, through
a node without a name: ``/people/person/spouse_s./people/marriage/spouse``. The
property says most; the type stays where the property alone would say too
little, or where two relations would read the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from importlib import resources

# Words that schema authors used for lack of a name: they say nothing to a reader.
_EMPTY = frozenset("topic content default schema extra sandbox random term hint tenure node".split())
_PLURAL = re.compile(r"(?<=[a-z]{3})(ies|s)$")
# A property that reads as a phrase of its own: no type is needed in front of it.
_PHRASE = re.compile(r".* (by|in|of|held|won|lived|founded|directed|produced|released|designed|from|for|to|within)$")


def words_of(part: str) -> list[str]:
    """``spouse_s`` -> ["spouse"]; ``release_date_s`` -> ["release", "date"]."""
    return [word for word in part.split("_") if word and word != "s" and not word.isdigit()]


def stem(word: str) -> str:
    return _PLURAL.sub(lambda match: "y" if match[1] == "ies" else "", word)


def short_words(relation: str) -> list[str]:
    """The words of the properties, none twice."""
    found: list[str] = []
    for part in relation.split("./"):
        for word in words_of(part.rsplit("/", 1)[-1]):
            if stem(word) not in map(stem, found):
                found.append(word)
    return found


def long_words(relation: str) -> list[str]:
    """The type in front of :func:`short_words`, none twice."""
    pieces = relation.split("./")[0].strip("/").split("/")
    owner = [word for word in words_of(pieces[-2] if len(pieces) > 1 else "") if word not in _EMPTY]
    short = short_words(relation)
    kept = [word for word in owner if stem(word) not in map(stem, short)]
    return kept + short


def freebase_labels(relations: Iterable[str]) -> dict[str, str]:
    """A readable label for every relation name, no two alike unless the names say the same."""
    names = list(dict.fromkeys(relations))
    labels = {name: _label(name) for name in names}
    counts = Counter(labels.values())
    labels = {name: label if counts[label] == 1 else " ".join(long_words(name)) for name, label in labels.items()}
    counts = Counter(labels.values())
    return {name: label if counts[label] == 1 else _full(name) for name, label in labels.items()}


def _label(name: str) -> str:
    short = " ".join(short_words(name))
    return short if " " in short and ("./" in name or _PHRASE.fullmatch(short)) else " ".join(long_words(name))


def _full(name: str) -> str:
    """Every part of the name that a person may read, none twice."""
    found: list[str] = []
    for word in (word for part in name.replace(".", "").strip("/").split("/") for word in words_of(part)):
        if stem(word) not in map(stem, found) and word not in _EMPTY:
            found.append(word)
    return " ".join(found)


def freebase_texts(relations: Iterable[str]) -> dict[str, list[str]]:
    """Relation name -> the texts it is known by, the label first."""
    said = _said()
    return {
        name: list(dict.fromkeys([label, *said.get(name, ()), " ".join(short_words(name))]))
        for name, label in freebase_labels(relations).items()
    }


def _said() -> dict[str, list[str]]:
    """What people call the relations that questions ask for most; ours, beside the label made from the name."""
    text = (resources.files("kgask.sets") / "freebase_said.tsv").read_text(encoding="utf-8")
    return {name: said.split("|") for name, said in (line.split("\t") for line in text.splitlines())}
