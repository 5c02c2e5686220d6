"""Whether a claim says what a query goes by: something between two names, the same of both, a relation, a number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgask.link.mentions import FUNCTION_WORDS
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.retrieve.places import place_relations
from kgask.types import Seed, opposite

_DESCRIBES = re.compile(
    r"['\u2019]s?\b|\b(?:of|who|whom|whose|whoever|that|which|where|an?|the|its|his|her|their)\b", re.I
)
_TWICE = re.compile(
    r"\bgrand|\b(?:who|whom|whose|which|that|two|second)\b|\bof\b.+\bof\b|['\u2019]s\b.+(?:['\u2019]s|\bof)\b|\bof\b.+['\u2019]s\b",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"\b(?:same|is|was|are|were|be|been|also|too|both|shar\w+|common|as well|where|who|whoever|which|that|like|alike|"
    r"equals?|coincides?)\b",
    re.IGNORECASE,
)


def goes_beyond(query: TruthNode, text: str, pack: Pack) -> bool:
    """Whether a query goes over a thing that a claim does not describe, the same relation twice where it is said once,
    or takes two described things for one where nothing says so."""
    n = pack.n_relations
    match query:
        case nodes.Holds(nodes.Entities(), one, nodes.Follow(nodes.Entities(), other)):
            if one == other:
                return _SAME.search(text) is None
            return opposite(other, n) not in place_relations(pack) and _DESCRIBES.search(text) is None
        case nodes.Holds(nodes.Follow(nodes.Entities(), one), other, nodes.Entities()):
            if one == other:
                return _TWICE.search(text) is None
            return other not in place_relations(pack) and _DESCRIBES.search(text) is None
    return False


def is_number_of_name(query: TruthNode, text: str, plain: str) -> bool:
    """Whether a number or a year of a query stands in a name of the claim alone; ``plain`` is without its names."""
    for node in query.walk():
        match node:
            case nodes.Number(number) if number.is_integer():
                said = str(int(number))
            case nodes.Date(said):
                said = said[:4]
            case _:
                continue
        if re.search(rf"\b{said}\b", text) and not re.search(rf"\b{said}\b", plain):
            return True
    return False


def takes_preposition(query: TruthNode, text: str, seeds: Sequence[Seed]) -> bool:
    """Whether a query has what is named with a small word before a name: "in Africa" is no book "In Africa"."""
    named = {entity for node in query.walk() if isinstance(node, nodes.Entities) for entity in node.ids}
    said = (text[slice(*seed.span)].split() for seed in seeds if seed.entity in named)
    return any(len(words) > 1 and words[0] in FUNCTION_WORDS and words[1][0].isupper() for words in said)


def has_capital(text: str, span: tuple[int, int]) -> bool:
    """Whether a span is written as a name is: the capital that a claim begins with says nothing ("The man who ...")."""
    said = text[slice(*span)]
    return said[0].isupper() and (span[0] > 0 or said[1:] != said[1:].lower() or " " not in said)
