"""Questions that people word alike whatever a relation is called: "when was it set up?" of "incorporated on".

A graph's owner calls a relation by one word, and whoever asks says another that means the same. Where a question is
such a phrase about one thing and says no more, and a single relation of that thing is of its sense, nothing else can be
meant. The judge of queries has met few labels, and is less sure than that.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from kgask.methods.kinship import KIN_WORDS, kin_of
from kgask.methods.relation_facts import is_small
from kgask.pack.labels import readable_relation
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.retrieve.follow import reached_by, relations_of
from kgask.types import DirectedRelationId, EntityId

_LEAD = (
    r"(?:and |so |ok(?:ay)?,? |well,? |hi,? |please |then )*(?:(?:can|could) you tell me |tell me |do (?:you|we) know |"
    r"i (?:want|need) to know |i(?:['\u2019]d| would) like to know |remind me )?"
)
_TAIL = r"(?:,? please|,? then|,? again|,? exactly|,? now| at the moment| these days| currently| today|,? do you know)*"
_FORMS = {
    "IS": r"(?:['\u2019]s|s| is| are| was| were)",
    "~": r"['\u2019]s?",
    "_": r"(?:(?:the|our|its|that|this|an?) )?_",
}
_FORM = re.compile("|".join(_FORMS))
_UNIT = re.compile(  # of "depth m", "running time (min)"
    r" (?:in )?[(\[]?(?:k?m|cm|mm|ft|feet|miles?|kg|g|t|tonnes?|lbs?|l|ml|min|mins|minutes|hours?|hrs?|h|days?|years?|"
    r"yrs?|weeks?|months?|seconds?|secs?|s|eur|usd|gbp|chf|euros?|pounds?|dollars?|[€$£%]|km/h|kmh|kph|mph|knots|pct|percent|"
    r"[gmtk]b(?:ps)?|[mkg]?wh?|v|b?hp|[mg]hz|aa|bp|kda|m2|km2|m3|sqm|ha|acres|ppm|mg|pcs|people|persons)[)\]]?\Z"
)
_MARRIED = re.compile(r"(?:is )?married(?: to)?|wed|(?:has )?spouse|(?:has )?partner")


class Sense(NamedTuple):
    """What people ask, and what relations are called that tell it; patterns of whole texts."""

    asked: re.Pattern[str]  # of a question in which "_" is the thing
    told: re.Pattern[str]  # of a relation that leads from the thing to the answer
    told_of: re.Pattern[str]  # of one that leads from the answer to the thing
    kind: str  # of what the answer is: "date", "number", or "" of neither alone


def is_paraphrase(query: Query, text: str, pack: Pack) -> bool:
    """Whether a question says no more than one of :func:`senses` of one thing, or of what it calls by a relation of
    that ("Ann's husband"), and a query follows the single relation which tells it.

    In ``text`` the name of the thing is masked by "_".
    """
    if isinstance(query, nodes.And) and isinstance(query.left, nodes.Class):
        query = query.right
    match query:
        case nodes.Follow(nodes.Entities((topic,)), relation) if is_small(pack):
            things, text, called = np.array([topic]), _without_kind(text, topic, pack), ""
        case nodes.Follow(nodes.Follow(nodes.Entities((topic,)), first), relation) if is_small(pack):
            things, called = reached_by(pack, np.array([topic]), first), ""
            if (
                _are_nameless(things, pack) and first < pack.n_relations
            ):  # "birth place", of a birth with date and place
                called = f"{readable_relation(pack.relation_labels()[first]).lower()} "
                text = _without_kind(text, topic, pack)
                if any(_telling(sense, _had(np.array([topic]), pack), pack) for sense in _senses_of(text)):
                    return False
            else:
                text = _without_step(text, first, pack)
        case _:
            return False
    return any(_telling(sense, _had(things, pack), pack, called) == [relation] for sense in _senses_of(text))


def _had(things: np.ndarray, pack: Pack) -> list[DirectedRelationId]:
    found: list[int] = np.flatnonzero(relations_of(pack, things)).tolist()
    return found


def _are_nameless(things: np.ndarray, pack: Pack) -> bool:
    """Whether they are nodes that have no name of their own, as events and addresses are in RDF."""
    keys = pack.keys(things.tolist())
    return bool(keys) and all(key.startswith("_:") for key in keys)


def _without_step(text: str, relation: DirectedRelationId, pack: Pack) -> str:
    """A question with "_" for "_'s husband" or "the husband of _", by what a relation is called; without that as ""."""
    label = readable_relation(pack.relation_labels()[relation % pack.n_relations]).lower()
    kin = "spouse" if _MARRIED.fullmatch(label) else kin_of(label, relation, pack)
    words = [word for word, kind in KIN_WORDS.items() if kind == kin]
    called = "|".join(map(re.escape, [*words, *([label] if relation < pack.n_relations else [])]))
    found = re.sub(rf"\b(?:the )?(?:{called}) of (?:the )?_|_['\u2019]s? (?:{called})\b", "_", text, flags=re.I)
    return found if called and found != text else ""


def _without_kind(text: str, topic: EntityId, pack: Pack) -> str:
    """A question without what the thing is beside its name: "the Northwind project", "the novel _"."""
    kinds = [end for way in pack.type_relations for end in reached_by(pack, np.array([topic]), way).tolist()]
    called = "|".join(sorted(map(re.escape, pack.labels(kinds))))
    return re.sub(rf"\b(?:{called}) _|_ (?:{called})\b", "_", text, flags=re.IGNORECASE) if called else text


def _senses_of(text: str) -> list[Sense]:
    text = " ".join(text.split()).rstrip("?!. ")
    return [sense for sense in senses() if sense.asked.fullmatch(text)]


def _telling(sense: Sense, had: list[int], pack: Pack, called: str = "") -> list[int]:
    """Which of some directed relations tell what a sense asks for; ``called`` stands before what each is called."""
    n, labels = pack.n_relations, pack.relation_labels()
    found = []
    for directed in had:
        told = sense.told if directed < n else sense.told_of
        axis = relation_axis(pack, directed) if directed < n else None
        kind = "" if axis is None else "date" if axis in WHEN else "number"
        is_of_kind = kind == sense.kind or (kind, sense.kind) == ("number", "")
        label = f"{called}{readable_relation(labels[directed % n]).lower()}"
        if is_of_kind and (told.fullmatch(label) or (kind == "number" and told.fullmatch(without_unit(label)))):
            found.append(directed)
    return found


def without_unit(label: str) -> str:
    """What a column is called without the unit that it is in: "depth" of "depth m"."""
    return _UNIT.sub("", label)


@cache
def senses() -> tuple[Sense, ...]:
    """All that are known, as ``paraphrases.toml`` beside this module has them."""
    every = tomllib.loads(resources.files(__package__).joinpath("paraphrases.toml").read_text("utf-8"))["sense"]
    return tuple(
        Sense(_asked(one["asked"]), _any(one["told"]), _any(one.get("told_of", [])), _kind_of(one)) for one in every
    )


def _kind_of(sense: Mapping[str, Any]) -> str:
    return "date" if sense.get("is_date") else "number" if sense.get("is_number") else ""


def _asked(patterns: list[str]) -> re.Pattern[str]:
    said = (_FORM.sub(lambda form: _FORMS[form[0]], pattern) for pattern in patterns)
    return re.compile(rf"{_LEAD}(?:{'|'.join(said)}){_TAIL}", re.IGNORECASE)


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns) if patterns else r"(?!)")
