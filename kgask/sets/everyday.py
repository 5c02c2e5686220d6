"""Everyday questions whose gold is a query over the pack that they are asked of: YAML, a list of ``{q, kind, gold}``.

``gold`` is a query in its text form (``docs/query.md``), a list of them for several questions in one line, or ``none``
where the pack says nothing of it::

    - q: Which river is longer, the Nile or the Congo?
      kind: comparison
      gold: best(entities(<nile|Nile>, <congo|Congo>), value(<length>), most 1)
    - {q: "What is Kenya's favourite dish?", kind: unanswerable, gold: none}
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import ModelError, UsageError
from kgask.sets.rows import lines_of

NO_GOLD = "none"
_FIELDS = ("q", "kind", "gold")


@dataclass(frozen=True, slots=True)
class EverydayQuestion:
    """A question, what kind it is of, and the queries that answer its parts; none where the pack cannot."""

    text: str
    kind: str
    golds: tuple[str, ...]


def load(path: Path) -> list[EverydayQuestion]:
    """The questions in the order of the file; of a folder, those of all its ``.yaml`` files, by name.

    Raises :class:`UsageError`, one line with file and place, for whatever is not of the form, and
    :class:`~kgask.errors.ModelError` where PyYAML is not installed.
    """
    if path.is_dir():
        found = [question for file in sorted(path.glob("*.yaml")) for question in load(file)]
        if not found:
            raise UsageError(f"{path}: no .yaml files in it")
        return found
    return [question_of(row, f"{path}: question {number}") for number, row in enumerate(yaml_rows(path), 1)]


def yaml_rows(path: Path) -> list[Any]:
    """The list that a YAML file holds; raises as :func:`load` does."""
    try:
        import yaml
    except ImportError as error:
        raise ModelError("sets in YAML need PyYAML: pip install 'kgask[eval]'") from error
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, eight times as fast, where it is built in
        rows = yaml.load("\n".join(line for _, line in lines_of(path)), Loader=loader)
    except (yaml.YAMLError, ValueError) as error:  # the second of a date or number that is none
        raise UsageError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    except RecursionError:
        raise UsageError(f"{path}: YAML nested too deep to read") from None
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{path}: expected a list")
    return rows


def question_of(row: Any, place: str) -> EverydayQuestion:
    """A question of its fields; UsageError, with the place, where they are not of the form."""
    if not isinstance(row, dict) or set(row) != set(_FIELDS):
        raise UsageError(f"{place}: expected {', '.join(_FIELDS)}")
    text, kind, gold = (row[name] for name in _FIELDS)
    golds = gold if isinstance(gold, list) else [gold]
    if not all(isinstance(one, str) and one.strip() for one in (text, kind, *golds)) or not golds:
        raise UsageError(f"{place}: q, kind and gold are texts (gold: several in a list; a yes or no in quotes)")
    if NO_GOLD in golds and len(golds) > 1:
        raise UsageError(f"{place}: {NO_GOLD} stands alone")
    return EverydayQuestion(text, kind, () if golds == [NO_GOLD] else tuple(golds))
