"""EntityQuestions (Sciavolino et al. 2021): a file of questions and answers per Wikidata relation, and its triples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.rows import fits, in_data, json_of, lines_of, records, stem, text_at

TEMPLATES = "relation_query_templates.json"
FOLDER = Path("entityquestions")
TRIPLES = FOLDER / "triples_named.tsv.gz"


def load(path: Path, split: str | None) -> list[Gold]:
    """A folder of ``P50.dev.json`` files, the folder above it, or one file.

    The set does not mark topics: they are what its templates leave open (``relation_query_templates.json`` in the
    folder or one of two above). A question that no template fits has none. Keys are names, as the set has no ids.
    """
    files = _files(path, split)
    patterns = _patterns(_templates(path))
    return [gold for file in files for gold in _read(file, patterns.get(stem(file).partition(".")[0], []))]


def templates(file: Path) -> list[tuple[str, str]]:
    """(relation, question with "[X]" for the topic), in the order of the set's file of templates."""
    with fits(str(file)):
        return [(key.partition("_")[0], template) for key, template in json_of(file).items()]


def triples(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """(subject, P-id, object, split) by name; ``data`` holds the public sets."""
    path = in_data(data, TRIPLES)
    for number, line in lines_of(path):
        with fits(f"{path}:{number}"):
            subject, _, obj, relation, split = line.split("\t")
        yield subject, relation, obj, split


def _files(path: Path, split: str | None) -> list[Path]:
    if not path.is_dir():
        return [path]
    found: dict[str, list[Path]] = {}
    for file in sorted([*path.rglob("P*.json"), *path.rglob("P*.json.gz")]):
        found.setdefault(stem(file).partition(".")[2], []).append(file)
    if not found:
        raise UsageError(f"{path}: no P*.json files (EntityQuestions' dev folder is expected)")
    if split is None and len(found) > 1:
        raise UsageError(f"{path}: which split? There is: {', '.join(sorted(found))}")
    name = split if split is not None else next(iter(found))
    if name not in found:
        raise UsageError(f"{path}: no split {name!r}; there is: {', '.join(sorted(found))}")
    return found[name]


def _templates(path: Path) -> Path:
    above = path if path.is_dir() else path.parent
    folders = (above, *above.resolve().parents[:2])
    places = [folder / f"{TEMPLATES}{ending}" for folder in folders for ending in ("", ".gz")]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise UsageError(f"{above / TEMPLATES}: no such file, nor above; it says where the topic of a question stands")
    return found


def _patterns(file: Path) -> dict[str, list[re.Pattern[str]]]:
    """Relation -> what its questions look like, the topic captured."""
    found: dict[str, list[re.Pattern[str]]] = {}
    for relation, template in templates(file):
        with fits(str(file)):
            before, after = map(re.escape, template.split("[X]"))
        found.setdefault(relation, []).append(re.compile(f"{before}(.+){after}"))
    return found


def _read(file: Path, patterns: Sequence[re.Pattern[str]]) -> list[Gold]:
    relation = stem(file).partition(".")[0]
    return [_gold(where, f"{stem(file)}:{number}", relation, row, patterns)
            for where, number, row in records(file, json_of(file))]  # fmt: skip


def _gold(where: str, ident: str, relation: str, row: dict[str, Any], patterns: Sequence[re.Pattern[str]]) -> Gold:
    with fits(where):
        text = text_at(row, "question")
        answers = tuple(dict.fromkeys(map(_name, row["answers"])))
    match = next(filter(None, (pattern.fullmatch(text) for pattern in patterns)), None)
    topic = match[1] if match else None
    return Gold(
        id=ident,
        text=text,
        answers=tuple(GoldAnswer((answer,)) for answer in answers),
        topics=(GoldTopic(match[1], span=match.span(1)),) if match else (),
        relations=(relation,),
        kind=relation,
        hops=1,
        triples=tuple((topic, relation, answer) for answer in answers) if topic else (),
    )


def _name(answer: object) -> str:
    if not isinstance(answer, str) or not answer:
        raise ValueError(f"an answer that is no text: {answer!r}")
    return answer
