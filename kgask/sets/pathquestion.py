"""PathQuestion and PathQuestion-Large (Zhou et al. 2018): questions whose whole path is given."""

from __future__ import annotations

import re
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.rows import lines_of, one_of_folder, shortened, stem

_END = "<end>"
_BEFORE_MARK = re.compile(r"\s+(?=[?.,!]|'s\b)")


def load(path: Path, split: str | None) -> list[Gold]:
    """``PQ-2H.txt``: ``question<TAB>answer(answer/answer/)<TAB>topic#relation#entity#relation#answer#<end>#answer``.

    Also with the answer set in a fourth column. Names are keys, read with spaces for their underscores.
    """
    path = one_of_folder(path, (".txt",), split)
    found = []
    for number, line in lines_of(path):
        if line.strip():
            found.append(_gold(f"{path}:{number}", f"{stem(path)}:{number}", line.split("\t")))
    return found


def _gold(where: str, ident: str, fields: list[str]) -> Gold:
    if len(fields) < 3:
        raise UsageError(f"{where}: expected 'question<TAB>answer(answer/answer/)<TAB>topic#relation#...#answer'")
    path = _path(fields[2], where)
    entities, relations = path[::2], path[1::2]
    answers = _answers(fields[1].strip(), fields[3] if len(fields) > 3 else "", entities[-1])
    return Gold(
        id=ident,
        text=_BEFORE_MARK.sub("", " ".join(fields[0].replace("_", " ").split())),
        answers=tuple(GoldAnswer((_name(key),), key) for key in answers),
        topics=(GoldTopic(_name(entities[0]), entities[0]),),
        relations=tuple(relations),
        kind=f"{len(relations)}-hop",
        hops=len(relations),
        triples=tuple(zip(entities, relations, entities[1:], strict=False)),
    )


def _path(written: str, where: str) -> list[str]:
    """Entity, relation, entity, ... without the mark of the end and what follows it."""
    parts = written.strip().split("#")
    parts = parts[: parts.index(_END)] if _END in parts else parts
    if len(parts) < 3 or len(parts) % 2 == 0 or not all(parts):
        shown = shortened(written.strip())
        raise UsageError(f"{where}: expected a path 'topic#relation#entity#...#answer', not {shown!r}")
    return parts


def _answers(written: str, column: str, end: str) -> list[str]:
    """The set that holds the answer before the bracket; where there is none, the end of the path."""
    for match in re.finditer(r"\(", written):
        names = [name for name in written[match.end() :].removesuffix(")").split("/") if name]
        if written[: match.start()] in names:
            return list(dict.fromkeys(names))
    names = [name for name in column.strip().split("/") if name]
    return list(dict.fromkeys(names)) or [written or end]


def _name(key: str) -> str:
    return key.replace("_", " ")
