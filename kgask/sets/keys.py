"""Ids of public graphs in the one form that packs have them: Q42, P50, /m/0c9c0, /people/person/children, IRIs."""

from __future__ import annotations

import re
from urllib.parse import unquote

_WIKIDATA = re.compile(r"https?://www\.wikidata\.org/(?:(?:entity|wiki)/(?:Property:)?[QPL]|prop/(?:[a-z/-]+/)?P)\d+")
_FREEBASE = re.compile(r"(?:https?://rdf\.freebase\.com/ns/|ns:)?([a-z][a-z_0-9]*(?:\.[A-Za-z_0-9]+)+)")
_DBPEDIA = re.compile(r"https?://(?:[a-z]+\.)?dbpedia\.org/resource/(.+)")


def graph_key(iri: str) -> str:
    """An IRI as the key that a pack of its graph has: Wikidata's and Freebase's short ids, others as they are.

    >>> graph_key("http://www.wikidata.org/prop/direct/P50"), graph_key("http://rdf.freebase.com/ns/m.0c9c0")
    ('P50', '/m/0c9c0')
    """
    wikidata = _WIKIDATA.fullmatch(iri)
    if wikidata:
        return re.split("[/:]", iri)[-1]
    return freebase_key(iri) if "freebase.com/ns/" in iri else iri


def freebase_key(name: str) -> str:
    """A Freebase name with dots, or its IRI, as the path that our packs have; anything else as it is.

    >>> freebase_key("m.0c9c0"), freebase_key("people.person.children")
    ('/m/0c9c0', '/people/person/children')
    """
    match = _FREEBASE.fullmatch(name)
    return "/" + match[1].replace(".", "/") if match else name


def readable_name(key: str) -> str:
    """The name that a DBpedia resource carries in its IRI; "" for an id that says nothing to a reader."""
    match = _DBPEDIA.fullmatch(key)
    return unquote(match[1], errors="replace").replace("_", " ") if match else ""
