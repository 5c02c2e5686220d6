"""MetaQA (Zhang et al. 2018): ``text with [topic]<TAB>answer|answer``, types of question in a file beside it.

A third column says the relation path instead: ``directed_by -starred_actors``, "-" before an inverse step.
"""

from __future__ import annotations

import re
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets.gold import INVERSE, Gold, GoldAnswer, GoldTopic
from kgask.sets.rows import lines_of, stem

_TOPIC = re.compile(r"\[([^\[\]]+)\]")
_HOPS = re.compile(r"(?<![0-9])([123])[-_]?hop")
_PREFIX = "qa_"
_TYPES = "_qtype"
# A type such as actor_to_movie_to_year says which relations are followed: these run from the film.
_RELATIONS = {
    "actor": "starred_actors", "director": "directed_by", "writer": "written_by", "genre": "has_genre",
    "tags": "has_tags", "tag": "has_tags", "imdbrating": "has_imdb_rating", "imdbvotes": "has_imdb_votes",
    "language": "in_language", "year": "release_year",
}  # fmt: skip


def load(path: Path, split: str | None) -> list[Gold]:
    """A file or a folder, of one hop or of all; ``split`` is what follows ``qa_``: dev, dev_kbexact, dev_ntm.

    The published folders ``vanilla`` and ``ntm`` beside ``N-hop/qa_dev_qtype.txt`` are read too.
    """
    if not path.is_dir():
        return _read(path)
    return [gold for file in _files(path, split) for gold in _read(file)]


def _files(folder: Path, split: str | None) -> list[Path]:
    """The files of one split; :class:`UsageError` when there are several splits and none is named."""
    by_split: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob(f"{_PREFIX}*.txt*")):
        if file.name.endswith((".txt", ".txt.gz")) and not stem(file).endswith(_TYPES) and file.parent.name != "audio":
            by_split.setdefault(_split_of(file), []).append(file)
    if not by_split:
        raise UsageError(f"{folder}: no {_PREFIX}*.txt file here (MetaQA's are called qa_dev.txt)")
    there = ", ".join(sorted(by_split))
    if split is None and len(by_split) > 1:
        raise UsageError(f"{folder}: which split? There is: {there}")
    name = split or next(iter(by_split))
    if name not in by_split:
        raise UsageError(f"{folder}: no split {name!r}; there is: {there}")
    return by_split[name]


def _split_of(file: Path) -> str:
    name = stem(file).removeprefix(_PREFIX)
    return f"{name}_ntm" if file.parent.name == "ntm" else name


def _read(file: Path) -> list[Gold]:
    hops = _hops_of(file)
    types = _types_of(file)
    place = f"{hops}-hop/" if hops else ""
    found = []
    for number, line in lines_of(file):
        text, *columns = line.split("\t")
        topic = _TOPIC.search(text)
        if topic is None or len(columns) not in (1, 2):
            raise UsageError(f"{file}:{number}: expected 'text with [topic]<TAB>answer|answer'")
        if types is not None and number > len(types):
            raise UsageError(f"{file}:{number}: the file of types beside it has {len(types)} lines only")
        kind = types[number - 1] if types is not None else ""
        relations = _relations(kind, f"{file}:{number}")
        if len(columns) == 2:
            relations = tuple(re.sub("^-", INVERSE, step) for step in columns[1].split())
        found.append(Gold(
            id=f"{place}{_PREFIX}{_split_of(file)}:{number}",
            text=_TOPIC.sub(r"\1", text),
            answers=tuple(GoldAnswer((name,)) for name in dict.fromkeys(columns[0].split("|")) if name),
            topics=(GoldTopic(topic[1], span=(topic.start(), topic.start() + len(topic[1]))),),
            relations=relations,
            kind=kind or (f"{hops}-hop" if hops else ""),
            hops=len(relations) or hops,
        ))  # fmt: skip
    if types is not None and len(types) != len(found):
        raise UsageError(f"{file}: {len(found)} questions, but {len(types)} lines in the file of types beside it")
    return found


def _hops_of(file: Path) -> int | None:
    """From the nearest part of the path that says it."""
    for part in reversed(file.resolve().parts):
        match = _HOPS.search(part)
        if match:
            return int(match[1])
    return None


def _types_of(file: Path) -> list[str] | None:
    """The lines of the file of types; None where there is none. Paraphrases share that of their originals."""
    name = stem(file)
    folders = [file.parent, *([file.parent.parent] if file.parent.name in ("vanilla", "ntm") else [])]
    for wanted in dict.fromkeys((name, name.removesuffix("_ntm"))):
        for folder in folders:
            for ending in (".txt", ".txt.gz"):
                types = folder / f"{wanted}{_TYPES}{ending}"
                if types.is_file():
                    return [line.strip() for _, line in lines_of(types)]
    return None


def _relations(kind: str, where: str) -> tuple[str, ...]:
    """``actor_to_movie_to_year`` -> ("^starred_actors", "release_year")."""
    ends = kind.split("_to_") if kind else []
    steps = []
    for start, end in zip(ends, ends[1:], strict=False):
        outward = start == "movie"
        name = _RELATIONS.get(end if outward else start)
        if name is None or (not outward and end != "movie"):
            raise UsageError(f"{where}: unknown type of question {kind!r}")
        steps.append(name if outward else f"{INVERSE}{name}")
    return tuple(steps)
