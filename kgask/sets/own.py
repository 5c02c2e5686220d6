"""Questions of one's own, as JSON lines or as a table; ``kgask eval make`` writes the first.

JSON lines. ``question`` is all that a line needs::

    {"question": "Who directed Stone Garden?", "answers": ["Ann Ray"]}

Fields, all those of :class:`kgask.sets.gold.Gold`: ``id``, ``question``, ``answers`` and ``topics`` (texts, or objects
with ``name``, ``aliases`` and ``key``), ``relations``, ``kind``, ``hops``, ``triples`` (lists of three), ``band``,
``label`` (true or false, of a claim), ``history`` (lists of two: question, answer) and ``about``, which is not read.
``turns`` makes a conversation: a list of such objects, each kept with the turns before it as history (asking does not
use it yet); what stands outside holds for every turn that does not say otherwise.

Tables have the columns ``question``, ``answers``, ``topics``, ``relations``, ``id``, ``kind``, ``hops``, ``band`` and
``label`` in any order when the first line names them, several texts in a cell separated by ``|``. Without such a line
they are ``question``, ``question<TAB>answers`` or ``question<TAB>topic<TAB>answers``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.machine.files import whole_file
from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.rows import fits, json_lines, lines_of, one_of_folder, stem, text_at

COLUMNS = ("id", "question", "answers", "topics", "relations", "kind", "hops", "band", "label")
FIELDS = (*COLUMNS, "triples", "history")
_UNREAD, _TURNS = "about", "turns"
_MAX_HOPS = 100
_TRUTH = {"true": True, "supported": True, "false": False, "refuted": False, "": None}


def load_jsonl(path: Path, split: str | None) -> list[Gold]:
    """A file of JSON lines, or a folder with one of ``split``."""
    path = one_of_folder(path, (".jsonl", ".json"), split)
    begin = stem(path)
    return [gold for where, number, row in json_lines(path) for gold in golds_of_line(where, f"{begin}:{number}", row)]


def load_tsv(path: Path, split: str | None) -> list[Gold]:
    """A file of tab-separated columns, or a folder with one of ``split``."""
    path = one_of_folder(path, (".tsv", ".txt"), split)
    found: list[Gold] = []
    columns: tuple[str, ...] = ()
    for number, line in lines_of(path):
        where, fields = f"{path}:{number}", line.split("\t")
        if not line.strip():
            continue
        if not columns and "question" in fields:
            columns = tuple(fields)
            _refuse_unknown(where, columns, COLUMNS)
            continue
        columns = columns or _usual_columns(where, fields)
        if len(fields) != len(columns):
            raise UsageError(f"{where}: {len(fields)} fields, {len(columns)} expected ({', '.join(columns)})")
        with fits(where):
            found.append(gold_of(_of_table(dict(zip(columns, fields, strict=True))), f"{stem(path)}:{number}"))
    return found


def load_reworded(_path: Path, _split: str | None) -> list[Gold]:
    """200 questions of EntityQuestions' dev part (Sciavolino et al. 2021) in other words; they ship with kgask."""
    with resources.as_file(resources.files("kgask.sets") / "entityquestions_reworded.tsv") as path:
        return load_tsv(path, None)


def write_jsonl(path: Path, questions: Iterable[Gold], replace: bool = True) -> None:
    """The form that :func:`load_jsonl` reads back to the same questions; fields that are empty are left out.

    The file is written in one rename. Raises UsageError, also for one that is there when ``replace`` is off.
    """
    try:
        with whole_file(path, replace=replace) as file:
            file.writelines(json.dumps(row_of(gold), ensure_ascii=False).encode() + b"\n" for gold in questions)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from error


def row_of(gold: Gold) -> dict[str, Any]:
    """A question as the fields of a line."""
    row = {
        "id": gold.id,
        "question": gold.text,
        "answers": [_named(answer.names, answer.key) for answer in gold.answers],
        "topics": [_named((topic.name,) if topic.name else (), topic.key) for topic in gold.topics],
        "relations": list(gold.relations),
        "kind": gold.kind,
        "hops": gold.hops,
        "triples": [list(triple) for triple in gold.triples],
        "band": gold.band,
        "label": gold.label,
        "history": [list(turn) for turn in gold.history],
    }
    return {name: value for name, value in row.items() if value not in ("", [], None)}


def _named(names: tuple[str, ...], key: str | None) -> str | dict[str, Any]:
    if len(names) == 1 and key is None:
        return names[0]
    named: dict[str, Any] = {"name": names[0]} if names else {}
    if names[1:]:
        named["aliases"] = list(names[1:])
    return named if key is None else named | {"key": key}


def gold_of(row: dict[str, Any], ident: str) -> Gold:
    """A question from its fields; ``ident`` where it has no id. Raises what :func:`kgask.sets.rows.fits` turns."""
    hops = row.get("hops")
    if hops is not None and (isinstance(hops, bool) or not isinstance(hops, int) or not 0 <= hops <= _MAX_HOPS):
        raise ValueError(f"hops is no number of hops: {hops!r}")
    label = row.get("label")
    if label is not None and not isinstance(label, bool):
        raise ValueError(f"label is neither true nor false: {label!r}")
    return Gold(
        id=str(row.get("id", ident)),
        text=text_at(row, "question"),
        answers=tuple(dict.fromkeys(GoldAnswer(*_names_and_key(one)) for one in _list(row, "answers"))),
        topics=tuple(_topic(one) for one in _list(row, "topics")),
        relations=_texts(row, "relations"),
        kind=_text(row, "kind"),
        hops=hops,
        triples=_triples(row),
        band=_text(row, "band"),
        label=label,
        history=_history(row),
    )


def golds_of_line(where: str, ident: str, row: dict[str, Any]) -> Iterator[Gold]:
    """The question of a line, or the turns of its conversation."""
    _refuse_unknown(where, row, (*FIELDS, _UNREAD, _TURNS))
    if _TURNS not in row:
        with fits(where):
            yield gold_of(row, ident)
        return
    shared = {name: value for name, value in row.items() if name not in (_TURNS, _UNREAD)}
    with fits(where):
        turns = _list(row, _TURNS)
        history = list(_history(shared))
    for number, turn in enumerate(turns, 1):
        here = f"{where}: turn {number}"
        if not isinstance(turn, dict):
            raise UsageError(f"{here}: an object is expected")
        _refuse_unknown(here, turn, (*FIELDS, _UNREAD))
        with fits(here):
            own_id = {"id": f"{shared.get('id', ident)}/{number}"}
            gold = gold_of(shared | own_id | {"history": list(history)} | turn, ident)
        yield gold
        history.append((gold.text, ", ".join(answer.names[0] for answer in gold.answers if answer.names)))


def _refuse_unknown(where: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"{where}: unknown field {name!r} (known: {', '.join(known)})")


def _list(row: dict[str, Any], name: str) -> list[Any]:
    value = row.get(name)
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} is no list: {value!r}")
    return list(value)


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text: {value!r}")
    return value


def _texts(row: dict[str, Any], name: str) -> tuple[str, ...]:
    found = _list(row, name)
    return _row_of_texts(found, len(found), name)


def _row_of_texts(values: Any, length: int, what: str) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or len(values) != length or not all(isinstance(v, str) for v in values):
        raise ValueError(f"{what} is no list of {length} texts: {values!r}")
    return tuple(values)


def _triples(row: dict[str, Any]) -> tuple[tuple[str, str, str], ...]:
    rows = (_row_of_texts(one, 3, "a triple") for one in _list(row, "triples"))
    return tuple((subject, relation, obj) for subject, relation, obj in rows)


def _history(row: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    turns = (_row_of_texts(one, 2, "a turn of the history") for one in _list(row, "history"))
    return tuple((question, answer) for question, answer in turns)


def _names_and_key(one: Any) -> tuple[tuple[str, ...], str | None]:
    if isinstance(one, str) and one:
        return (one,), None
    if isinstance(one, bool):
        return ("yes" if one else "no",), None
    if isinstance(one, int | float):
        return (str(one),), None
    if not isinstance(one, dict) or not set(one) <= {"name", "aliases", "key"} or not one:
        raise ValueError(f"neither a text nor an object with name, aliases, key: {one!r}")
    names = (*((_text(one, "name"),) if one.get("name") else ()), *_texts(one, "aliases"))
    key = _text(one, "key") or None
    if not names and key is None:
        raise ValueError(f"neither name nor key: {one!r}")
    return names, key


def _topic(one: Any) -> GoldTopic:
    names, key = _names_and_key(one)
    if len(names) > 1:
        raise ValueError(f"a topic has one name: {one!r}")
    return GoldTopic(names[0] if names else "", key)


def _usual_columns(where: str, fields: list[str]) -> tuple[str, ...]:
    usual = {1: ("question",), 2: ("question", "answers"), 3: ("question", "topics", "answers")}
    if len(fields) not in usual:
        known = ", ".join(COLUMNS)
        raise UsageError(f"{where}: {len(fields)} columns; a first line with their names is needed ({known})")
    return usual[len(fields)]


def _of_table(cells: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    for name in ("answers", "topics", "relations"):
        row[name] = [text.strip() for text in row.get(name, "").split("|") if text.strip()]
    if "hops" in row:
        row["hops"] = int(row["hops"])
    if row.get("label", "").lower() not in _TRUTH:
        raise ValueError(f"label is neither true nor false: {row['label']!r}")
    return row | {"label": _TRUTH[row.get("label", "").lower()]}
