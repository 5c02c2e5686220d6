"""Possessives as people type them: "pierre curies wife" is Pierre Curie's, "kings head" is the King's Head."""

from __future__ import annotations

import re

from kgask.pack.normalise import normalise
from kgask.pack.store import Pack

_OF_ONE = (
    "wife husband spouse partner mother father mum dad son daughter sister brother parents children kids widow boss "
    "manager birthday nationality"
)
_POSSESSIVE = re.compile(rf"\b(?P<name>[a-z]{{2,}}[a-rt-z])s (?=(?:{'|'.join(_OF_ONE.split())})\b)", re.IGNORECASE)
_ENDS_IN_S = re.compile(r"(?<![\w'\u2019])[^\W\d_]{2,}[^\W\d_s]s(?![\w'\u2019])")
LONGEST = 4  # words before and behind, of a name


def with_apostrophe(text: str, pack: Pack) -> str:
    """The question with an apostrophe where a name of the pack stands before somebody's kin, and the word as it is
    typed is in none; any other as it is."""

    def said(found: re.Match[str]) -> str:
        name = found["name"]
        counts = pack.names.word_counts([name.lower(), f"{name.lower()}s"])
        is_name = counts.get(name.lower(), 0) > 0 and not counts.get(f"{name.lower()}s", 0)
        return f"{name}'s " if is_name else found[0]

    return _in_names(_POSSESSIVE.sub(said, text), pack)


def _in_names(text: str, pack: Pack) -> str:
    """The question with an apostrophe in what is the name of something only with it: "hags tooth" of Hag's Tooth."""
    words = [word.span() for word in re.finditer(r"[\w'\u2019.-]+", text)]
    meant: dict[str, str] = {}  # names as they are written, normalised, and by them the text as it is meant
    for place in _ENDS_IN_S.finditer(text):
        at, end = words.index(next(word for word in words if word[0] <= place.start() < word[1])), place.end() - 1
        for first in range(max(at - LONGEST, 0), at + 1):
            for last in range(at, min(at + LONGEST + 1, len(words))):
                start, stop = words[first][0], words[last][1]
                as_meant = normalise(f"{text[start:end]}'{text[end:stop]}")
                if last > first and as_meant != normalise(text[start:stop]):
                    meant[as_meant] = f"{text[:end]}'{text[end:]}"
    named = pack.exact(meant) if meant else {}
    found = (name for name, hits in named.items() if any({*"'\u2019"}.intersection(hit.name) for hit in hits))
    return meant.get(next(found, ""), text)
