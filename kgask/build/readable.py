"""A readable label for a key that no source names."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import unquote

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def entity_label(key: str) -> str:
    """The last part of an IRI, decoded; any other key is its own label.

    >>> entity_label("http://example.org/Lady%20Susan"), entity_label("Q42")
    ('Lady Susan', 'Q42')
    """
    return _last_part(key) if "://" in key else key


def relation_label(key: str) -> str:
    """Words of a relation's key.

    >>> relation_label("http://schema.org/birthPlace"), relation_label("directed_by")
    ('birth place', 'directed by')
    >>> relation_label("/film/actor/film./film/performance/film"), relation_label("P50")
    ('actor film performance film', 'P50')
    """
    if "://" in key:
        return _CAMEL.sub(" ", _last_part(key)).lower()
    if key.startswith("/"):
        # Freebase: /domain/type/property, two of them joined by a dot for a compound relation.
        key = " ".join(" ".join(part.split("/")[-2:]) for part in key.split("."))
    return key.replace("_", " ").strip() or key


def spelled_apart(name: str) -> str:
    """ "Glove Puppet" for "GlovePuppet".

    >>> spelled_apart("GlovePuppet"), spelled_apart("Q42"), spelled_apart("PDFFile")
    ('Glove Puppet', 'Q42', 'PDFFile')
    """
    return _CAMEL.sub(" ", name)


def _last_part(iri: str) -> str:
    part = re.split(r"[/#]", iri.rstrip("/#"))[-1]
    with suppress(UnicodeDecodeError):  # not UTF-8 behind the percent signs: show it as written
        part = unquote(part, errors="strict")
    return part.replace("_", " ").strip().replace("\0", "") or iri
