"""Possessives as people type them: "pierre curies wife" is Pierre Curie's."""

from __future__ import annotations

import re

from kgask.pack.store import Pack

_OF_ONE = (
    "wife husband spouse partner mother father mum dad son daughter sister brother parents children kids widow boss "
    "manager birthday nationality"
)
_POSSESSIVE = re.compile(rf"\b(?P<name>[a-z]{{2,}}[a-rt-z])s (?=(?:{'|'.join(_OF_ONE.split())})\b)", re.IGNORECASE)


def with_apostrophe(text: str, pack: Pack) -> str:
    """The question with an apostrophe where a name of the pack stands before somebody's kin, and the word as it is
    typed is in none; any other as it is."""

    def said(found: re.Match[str]) -> str:
        name = found["name"]
        counts = pack.names.word_counts([name.lower(), f"{name.lower()}s"])
        is_name = counts.get(name.lower(), 0) > 0 and not counts.get(f"{name.lower()}s", 0)
        return f"{name}'s " if is_name else found[0]

    return _POSSESSIVE.sub(said, text)
