"""With what the IRIs of a pack begin, where its keys are none (:mod:`kgask.query.rdf`)."""

from __future__ import annotations

import re

IRI_PREFIX = "iri_prefix"  # in the manifest, where it is not the default
DEFAULT_PREFIX = "urn:kgask:"
_PART = r"(?:[\w!$&'()*+,;=:@/?~.-]|%[0-9A-Fa-f]{2})"
ABSOLUTE = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9._~-]+(?::[0-9]{{1,5}})?(?:[/?]{_PART}*)?"
    rf"|urn:[A-Za-z0-9][A-Za-z0-9-]{{1,31}}:{_PART}+)(?:#{_PART}*)?"
)


def is_prefix(text: str) -> bool:
    """Whether the IRIs of a pack can begin so."""
    return text == DEFAULT_PREFIX or (text[-1:] in ("/", "#", ":") and ABSOLUTE.fullmatch(f"{text}Q1") is not None)
