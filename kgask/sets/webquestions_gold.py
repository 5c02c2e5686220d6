"""WebQuestions (Berant et al. 2013), as first published and as brmson publishes it with Freebase topics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.pack.normalise import normalise
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.keys import freebase_key
from kgask.sets.rows import fits, json_of, one_of_folder, records, stem, text_at

_DESCRIPTION = re.compile(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()]+))\)')
_MAIN, _KEYS, _MIDS = "main", "d-freebase", "d-freebase-mids"


def load(path: Path, split: str | None) -> list[Gold]:
    """A file of ``{"utterance", "targetValue", "url"}``, or brmson's folder with ``split`` (trainmodel, val, devtest).

    brmson's topic is the Freebase key of the page, in words; it has a mid where the entity linker beside it saw that
    very name. The relation paths there were found by a machine and are no gold.
    """
    if (path / _MAIN).is_dir():
        return _brmson(path, split)
    file = one_of_folder(path, (".json",), split)
    return [_berant(file, where, number, row) for where, number, row in records(file, json_of(file))]


def _berant(file: Path, where: str, number: int, row: dict[str, Any]) -> Gold:
    with fits(where):
        found = [quoted.replace('\\"', '"') or word for quoted, word in _DESCRIPTION.findall(row["targetValue"])]
        page = str(row.get("url") or "").rstrip("/").rpartition("/")[2].replace("_", " ")
        answers = tuple(GoldAnswer((name,)) for name in dict.fromkeys(found))
        return Gold(f"{stem(file)}:{number}", text_at(row, "utterance"), answers, (GoldTopic(page),) if page else ())


def _brmson(folder: Path, split: str | None) -> list[Gold]:
    main = one_of_folder(folder / _MAIN, (".json",), split)
    keys = _by_question(folder / _KEYS / main.name, "freebaseKey")
    mids = _by_question(folder / _MIDS / main.name, "freebaseMids")
    found = []
    for where, _, row in records(main, json_of(main)):
        with fits(where):
            ident = text_at(row, "qId")
            answers = tuple(GoldAnswer((str(name),)) for name in dict.fromkeys(row["answers"]))
            topics = _topics(keys.get(ident) or "", mids.get(ident) or [])
            found.append(Gold(ident, text_at(row, "qText"), answers, topics))
    return found


def _by_question(file: Path, field: str) -> dict[str, Any]:
    if not file.is_file():
        raise UsageError(f"{file}: no such file; it belongs to {_MAIN}/{file.name}")
    found = {}
    for where, _, row in records(file, json_of(file)):
        with fits(where):
            found[text_at(row, "qId")] = row[field]
    return found


def _topics(key: str, concepts: list[dict[str, Any]]) -> tuple[GoldTopic, ...]:
    if not key:
        return ()
    name = key.replace("_", " ")
    same = {concept["mid"] for concept in concepts if normalise(concept["concept"]) == normalise(name)}
    return (GoldTopic(name, freebase_key(same.pop()) if len(same) == 1 else None),)
