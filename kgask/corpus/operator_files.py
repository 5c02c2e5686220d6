"""The files of the operator corpus: templates of whole questions, and what fills their slots.

Both kinds have heads in brackets and lines below. A template's head is ``[NAME KIND WEIGHT LETTERS]`` (without letters
it is for all types); below stand the steps of its query (``= {class} BY {measure} MOST``) and one wording a line. A
lexicon's head is ``[KEY LETTERS KIND]``: a path of relation keys (``^P47`` for the way back, ``P57/P19`` for two), the
type letters of what it is said of, and ``number`` or ``date`` where it leads to one. Its lines are forms,
``most: largest | biggest``, under any name: ``{measure:most}`` takes the form *most* of a measure that has it, and a
form may hold slots itself (``above: with more than {v} inhabitants``). The slots are described in ``basics.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources

from kgask.corpus.examples import Step
from kgask.corpus.query_examples import KINDS
from kgask.errors import BuildError
from kgask.query.postfix import OPERATORS

FOLDER = resources.files("kgask.corpus") / "operators"
LEXICONS = (
    "measures",
    "links",
    "branches",
    "facts",
    "qualifiers",
    "classes",
)  # files of slots; all others are templates
SLOT = re.compile(r"\{([a-z]+)(\d*)(?::([a-z]+))?\}")


@dataclass(frozen=True, slots=True)
class Entry:
    """What can fill a slot: a path of steps and the ways to say it."""

    path: tuple[Step, ...]
    letters: str  # types of what it is said of
    literal: str  # "number" or "date" where it leads to one
    forms: Mapping[str, tuple[str, ...]]
    ends: str = ""  # types of what it leads to, where known

    @property
    def key(self) -> str:
        return self.path[-1][0]


@dataclass(frozen=True)
class Line:
    """One wording of a template."""

    text: str

    @cached_property
    def wanted(self) -> dict[str, set[str]]:
        """Slot name -> the forms that the wording takes of it."""
        found: dict[str, set[str]] = {}
        for kind, number, form in SLOT.findall(self.text):
            found.setdefault(kind + number, set()).add(form)
        return found


@dataclass(slots=True)
class Template:
    """Wordings of one query."""

    name: str
    kind: str
    weight: float
    letters: str = ""  # types that it is for; all where empty
    steps: tuple[str, ...] = ()
    lines: list[Line] = field(default_factory=list)


def load_lexicon(name: str) -> list[Entry]:
    """Entries of one file of slots; raises :class:`BuildError` with the line on a slip."""
    entries: list[tuple[list[str], dict[str, tuple[str, ...]]]] = []
    for at, line in lines_of(f"{name}.txt"):
        if line.startswith("["):
            entries.append((line.strip("[]").split(" "), {}))
        elif entries and ":" in line:
            form, _, texts = line.partition(":")
            entries[-1][1][form.strip()] = tuple(text.strip() for text in texts.split("|") if text.strip())
        else:
            raise BuildError(f"{at}: expected [KEY LETTERS KIND] or FORM: TEXT | TEXT")
    return [Entry(path_of(head[0]), head[1], (head + [""])[2], forms) for head, forms in entries]


def load_templates() -> list[Template]:
    """All templates of all files but those of slots; raises :class:`BuildError` with the line on a slip."""
    templates: list[Template] = []
    for file in sorted(file.name for file in FOLDER.iterdir() if file.name.endswith(".txt")):
        if file.removesuffix(".txt") not in LEXICONS:
            for at, line in lines_of(file):
                _read_line(at, line, templates)
    for template in templates:
        if not template.steps or not template.lines:
            raise BuildError(f"template {template.name} has no steps or no wording")
    return templates


def path_of(keys: str) -> tuple[Step, ...]:
    """``^P57/P19`` as directed relations."""
    return tuple((key.removeprefix("^"), key.startswith("^")) for key in keys.split("/"))


def lines_of(file: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate((FOLDER / file).read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{file}:{number}", line.strip()


def _read_line(at: str, line: str, templates: list[Template]) -> None:
    """Opens a template, or adds a line to the last one."""
    if line.startswith("["):
        name, kind, weight, *letters = line.strip("[]").split(" ")
        if kind not in KINDS:
            raise BuildError(f"{at}: unknown kind {kind!r}")
        templates.append(Template(name, kind, float(weight), "".join(letters)))
    elif not templates:
        raise BuildError(f"{at}: expected [NAME KIND WEIGHT]")
    elif line.startswith("="):
        if templates[-1].steps:
            raise BuildError(f"{at}: {templates[-1].name} has its steps already")
        templates[-1].steps = tuple(line[1:].split())
        unknown = [
            s for s in templates[-1].steps if not _STEP_SLOT.fullmatch(s) and s not in OPERATORS and not _KEY.match(s)
        ]
        if unknown:
            raise BuildError(f"{at}: {unknown[0]!r} is no slot, operator or relation key")
    else:
        _check_slots(at, line, templates[-1])
        templates[-1].lines.append(Line(line))


_STEP_SLOT = re.compile(rf"\^?{SLOT.pattern}")
_KEY = re.compile(r"\^?(P\d+|kgask:[\w-]+)$")


def _check_slots(at: str, line: str, template: Template) -> None:
    """What steps need is said by a slot or inside one: each of the steps' slots but numbers stands in the wording."""
    said = {kind + number for kind, number, _ in SLOT.findall(line)}
    needed = {kind + number for step in template.steps for kind, number, _ in SLOT.findall(step)}
    missing = {slot for slot in needed - said if slot.rstrip("0123456789") not in INNER}
    if missing:
        raise BuildError(f"{at}: the steps need {{{min(missing)}}}")


INNER = frozenset(("x", "y", "v", "d", "n", "range", "rank"))  # slots that may stand in the form of another
