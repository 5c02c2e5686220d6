"""How an endpoint tells what its triples are said with: statement nodes of three kinds, or triples in angle brackets.

- kgask's own view (:mod:`kgask.query.rdf`): ``?st kg:subject ?s ; kg:relation r ; kg:object ?o ; q:P585 ?v``
- a Wikibase: ``?s p:P39 ?st . ?st ps:P39 ?o ; pq:P580 ?v``; of times a value node has the precision
- RDF 1.2: ``?st rdf:reifies <<( ?s r ?o )>> ; ?q ?v``
- RDF-star: ``<< ?s r ?o >> ?q ?v``; what it says of one triple is one statement

https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format, https://www.w3.org/TR/rdf12-concepts/#section-triple-terms
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote

from kgask.query.rdf import VOCABULARY
from kgask.remote.terms import Keys

REIFIES = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies"
_WIKIBASE = "http://wikiba.se/ontology#"
COLUMNS = "?s ?p ?o ?st ?q ?v ?precision"
PROBE = "SELECT ?s WHERE { << ?s ?p ?o >> ?q ?v } LIMIT 1"


class Form(StrEnum):
    """How statements are told."""

    OURS = "kgask"
    WIKIBASE = "wikibase"
    REIFIED = "reified"
    QUOTED = "quoted"
    NONE = ""


def form_of(said: Collection[str], is_wikibase: bool, asked: Callable[[str], bool]) -> Form:
    """The form of a graph with these predicates; ``asked`` says whether a query has rows, False where it fails."""
    if f"{VOCABULARY}subject" in said:
        return Form.OURS
    if is_wikibase:
        return Form.WIKIBASE
    if REIFIES in said:
        return Form.REIFIED
    return Form.QUOTED if asked(PROBE) else Form.NONE


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements of one endpoint; the prefixes are those of relations in triples and in statements."""

    form: Form
    relations: str
    qualifiers: str

    def pattern(self, relation: str) -> str:
        """``?s ?p ?o`` of a relation (its IRI), the statement ``?st``, and ``?q ?v``, what it is said with.

        Statements of triples that are not said themselves (deprecated ones, mere quotations) are left out.
        """
        said = f"?s <{relation}> ?o . "
        return f"{said}{self._stated(relation)} BIND(<{relation}> AS ?p)"

    def _stated(self, relation: str) -> str:
        if self.form == Form.OURS:
            ends = f"<{VOCABULARY}subject> ?s ; <{VOCABULARY}relation> <{relation}> ; <{VOCABULARY}object> ?o"
            return f'?st {ends} ; ?q ?v . FILTER(STRSTARTS(STR(?q), "{self.qualifiers}"))'
        if self.form == Form.REIFIED:
            return f"?st <{REIFIES}> <<( ?s <{relation}> ?o )>> ; ?q ?v . FILTER(?q != <{REIFIES}>)"
        if self.form == Form.QUOTED:
            return f"<< ?s <{relation}> ?o >> ?q ?v ."
        root, name = self.relations.removesuffix("direct/"), relation.removeprefix(self.relations)
        full = 'REPLACE(STR(?q), "/prop/qualifier/", "/prop/qualifier/value/")'
        return (
            f"?s <{root}{name}> ?st . ?st <{root}statement/{name}> ?o ; ?q ?v . "
            f'FILTER(STRSTARTS(STR(?q), "{self.qualifiers}P")) '
            f"FILTER NOT EXISTS {{ ?st <{_WIKIBASE}rank> <{_WIKIBASE}DeprecatedRank> }} "
            f"OPTIONAL {{ ?st ?full ?node . ?node <{_WIKIBASE}timeValue> ?v ; <{_WIKIBASE}timePrecision> ?precision . "
            f"FILTER(STR(?full) = {full}) }}"
        )

    def query(self, relation: str, values: str, most: int) -> str:
        """The statements of a relation; ``values`` is a VALUES clause of ``?s``, or nothing for any of them."""
        return f"SELECT {COLUMNS} WHERE {{ {values} {self.pattern(relation)} }} LIMIT {most}"

    def qualifier(self, iri: str, keys: Keys) -> str | None:
        """The key of the relation that a qualifier's IRI means."""
        return keys.local(iri, self.qualifiers) if self._has_own_iris else keys.relation(iri)

    def iri_of(self, key: str, relation: str) -> str:
        """The IRI of a relation as a qualifier; ``relation`` is that in triples."""
        return f"{self.qualifiers}{quote(key, safe='', errors='replace')}" if self._has_own_iris else relation

    @property
    def _has_own_iris(self) -> bool:
        return self.form in (Form.OURS, Form.WIKIBASE)
