"""A few questions to adapt with, and the questions of all other wordings to measure on (MetaQA's files)."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from kgask.errors import UsageError
from kgask.machine.files import check_output, write_whole
from kgask.sets.rows import lines_of

_TOPIC = re.compile(r"\[[^\]]+\]")


def write_few(files: Sequence[Path], out: Path, rng_seed: int, force: bool = False) -> dict[str, int]:
    """One question of every type to ``out/few.txt``; all questions of other wordings to ``out/rest-N.txt``.

    ``N`` counts the files from 1. The types stand beside each file
    (``qa_dev_qtype.txt`` beside ``qa_dev.txt``, gzipped or not). Returns how
    many lines each file got. Raises :class:`UsageError` where a file of types
    is missing or of another length, and for what may not be written (see :func:`kgask.machine.files.check_output`).
    """
    written = ["few.txt", *(f"rest-{number}.txt" for number in range(1, len(files) + 1))]
    for name in written:
        check_output(out / name, force, files)
    sets = [_typed_lines(path) for path in files]
    by_type: dict[str, list[str]] = {}
    for rows in sets:
        for kind, line in rows:
            by_type.setdefault(kind, []).append(line)
    rng = random.Random(rng_seed)
    few = [rng.choice(lines) for _, lines in sorted(by_type.items())]
    wordings = {_wording(line) for line in few}
    rest = ([line for _, line in rows if _wording(line) not in wordings] for rows in sets)
    parts = dict(zip(written, (few, *rest), strict=True))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, lines in parts.items():
            write_whole(out / name, "".join(f"{line}\n" for line in lines), replace=force)
    except OSError as error:
        raise UsageError(f"{error.filename or out}: cannot be written ({error.strerror})") from error
    return {name: len(lines) for name, lines in parts.items()}


def _wording(line: str) -> str:
    return _TOPIC.sub("[]", line.partition("\t")[0]).lower()


def _typed_lines(path: Path) -> list[tuple[str, str]]:
    name, _, rest = path.name.partition(".txt")
    beside = path.with_name(f"{name}_qtype.txt{rest}")
    if not beside.is_file():
        raise UsageError(f"{beside}: no such file; it says the type of each question of {path.name}")
    types, lines = ([line for _, line in lines_of(file)] for file in (beside, path))
    if len(types) != len(lines):
        raise UsageError(f"{beside}: {len(types)} types for {len(lines)} questions")
    return list(zip(types, lines, strict=True))
