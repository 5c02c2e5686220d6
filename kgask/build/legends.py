"""What notes below a table say of its codes: "SH = Samir Haddad, PV = Petra Vogt"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from kgask.build.writer import PackBuilder

_PAIR = re.compile(r"(?<![\w.])([\w+/-]{1,6}) = ([^=;,.\n]{2,40}?)(?=\s*(?:[;,.]|\Z))")
_FLAGS = frozenset("y n x yes no".split())


def call_by_legend(notes: Iterable[str], columns: Mapping[str, Sequence[str]], builder: PackBuilder) -> int:
    """Call each code by what a note says that it is, where one column alone has it; how many there are."""
    said = [pair for note in notes for pair in codes_in(note)]
    found = [(code, name) for code, name in said if sum(code in values for values in columns.values()) == 1]
    for code, name in found:
        builder.label(code, name)
        builder.alias(code, code)
    return len(found)


def codes_in(note: str) -> list[tuple[str, str]]:
    """
    >>> codes_in("SH = Samir Haddad, PV = Petra Vogt"), codes_in("Cat.: A = adult; J = junior"), codes_in("x = paid")
    ([('SH', 'Samir Haddad'), ('PV', 'Petra Vogt')], [('A', 'adult'), ('J', 'junior')], [])
    """
    return [(code, name.strip()) for code, name in _PAIR.findall(note) if code.lower() not in _FLAGS]
