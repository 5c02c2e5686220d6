"""Claims that say when two things were in a relation: what the statements of that triple say of it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

from kgask.link.values import value_spans
from kgask.methods.named_relations import NamedRelations
from kgask.methods.relation_facts import RelationFacts
from kgask.methods.truth_of_values import TruthOfValues
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.retrieve.run import Runner
from kgask.types import Seed

_SINCE = re.compile(r"\b(?:since|from)\b", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|up to)\b", re.IGNORECASE)


class Dated:
    """Adds the year or the period of a claim to what it says of two names, over one pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    @cached_property
    def facts(self) -> RelationFacts:
        return RelationFacts(self._pack)  # which looks at every qualifier: not before a claim needs it

    def of(self, query: TruthNode, text: str, runner: Runner) -> TruthNode | None:
        """Whether the triple held then; None where its statements do not say, or several of their dates may be meant.

        Raises as running a query does.
        """
        match query:
            case nodes.Holds(nodes.Entities((subject,)), relation, nodes.Entities((target,))):
                named = NamedRelations(self.facts)
                one, other = (named.unplanned(Seed(entity, (0, 0), 1.0)) for entity in (subject, target))
            case _:
                return None
        said = value_spans(text, self._pack.manifest.get("axes", ()))
        proposed = [*TruthOfValues(self.facts).of_statements(replace(one, relations=(relation,)), other, said)]
        period = next((one for one in proposed if isinstance(one, nodes.All)), None)
        if period is not None:
            return period
        compared = [one for one in proposed if isinstance(one, nodes.Compare) and one.comparison in ("=", "in")]
        known = [(one, when) for one in compared if (when := runner.result(one.left).quantity) is not None]
        known.sort(key=lambda pair: pair[1].low)
        if len(known) > 1 and not (_SINCE.search(text) or _UNTIL.search(text)):
            return None
        return known[-1 if _UNTIL.search(text) else 0][0] if known else None
