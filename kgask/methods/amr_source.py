"""Where a question's AMR comes from: a file in Penman notation, or a parser that the user has installed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kgask.errors import MethodError, ModelError, UsageError
from kgask.machine.files import open_regular
from kgask.methods.amr_graph import AmrGraph, PenmanError, read_graph
from kgask.pack.normalise import normalise
from kgask.plan.providers import first_line
from kgask.types import Question

PARSER = "parser"  # --amr parser
_SENTENCE = re.compile(r"#\s*::snt\s+(.+)")
_SHOWN = 80  # characters of a question in a message


class AmrSource(Protocol):
    """Gives the AMR of questions."""

    def graph(self, question: Question) -> AmrGraph:
        """Raises UsageError or ModelError, one line, when it has none."""
        ...


def open_source(source: str) -> AmrSource:
    """``parser``, or the path of an AMR file."""
    return AmrParser() if source == PARSER else AmrFile.open(Path(source))


@dataclass(frozen=True, slots=True)
class _Block:
    """One graph of a file, with the questions that it is of."""

    line: int  # where the graph begins
    text: str


@dataclass(frozen=True, slots=True)
class AmrFile:
    """Graphs by question, compared without case, accents and punctuation; the first graph of a question counts.

    A graph is read when its question is asked for: a corpus has tens of thousands.
    """

    path: Path
    _blocks: dict[str, _Block] = field(repr=False)

    @classmethod
    def open(cls, path: Path) -> AmrFile:
        """Read a file of graphs, each under one or more lines ``# ::snt QUESTION``; raises UsageError."""
        try:
            with open_regular(path) as file:
                lines = file.read().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        except OSError as error:
            raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
        blocks: dict[str, _Block] = {}
        for sentences, block in _blocks_of(lines, path):
            for sentence in sentences:
                blocks.setdefault(normalise(sentence), block)
        if not blocks:
            raise UsageError(f"{path}: no AMR in it; each needs a line '# ::snt QUESTION' above its graph")
        return cls(path, blocks)

    def __len__(self) -> int:
        return len(self._blocks)

    def __contains__(self, text: str) -> bool:
        return normalise(text) in self._blocks

    def graph(self, question: Question) -> AmrGraph:
        for text in (question.text, question.asked):
            block = self._blocks.get(normalise(text)) if text else None
            if block is not None:
                return self._read(block)
        shown = question.text[:_SHOWN]
        raise MethodError(
            f"{self.path}: no AMR of {shown!r}; add one under a line '# ::snt {shown}', "
            f"or let a parser make it: --amr {PARSER}"
        )

    def _read(self, block: _Block) -> AmrGraph:
        try:
            return read_graph(block.text)
        except PenmanError as error:
            raise MethodError(f"{self.path}:{block.line + error.line - 1}: broken AMR: {error}") from None


def _blocks_of(lines: list[str], path: Path) -> Iterator[tuple[list[str], _Block]]:
    """(questions, graph): a graph ends at a blank line, a comment, or the end of the file."""
    sentences: list[str] = []
    graph: list[str] = []
    begins = asked = 0
    for number, line in enumerate([*lines, ""], 1):
        is_comment = line.lstrip().startswith("#")
        if graph and (is_comment or not line.strip()):
            if not sentences:
                raise UsageError(f"{path}:{begins}: a graph without a question; put '# ::snt QUESTION' above it")
            yield sentences, _Block(begins, "\n".join(graph))
            sentences, graph = [], []
        if is_comment:
            found = _SENTENCE.match(line.strip())
            if found:
                sentences.append(found[1].strip())
                asked = number
        elif line.strip():
            begins = begins if graph else number
            graph.append(line)
    if sentences:
        raise UsageError(f"{path}:{asked}: no graph under this question")


class AmrParser:
    """amrlib with the model that its user has put into place; torch, and seconds a question on a CPU."""

    def __init__(self) -> None:
        self._model: Any = None

    def graph(self, question: Question) -> AmrGraph:
        if self._model is None:
            self._model = _load_parser()
        try:
            parsed = self._model.parse_sents([question.text], add_metadata=False)[0]
        except Exception as error:  # noqa: BLE001 - whatever a foreign model raises
            raise MethodError(f"amrlib cannot parse this question ({first_line(error)})") from error
        if parsed is None:
            raise MethodError(f"amrlib makes no AMR of {question.text[:_SHOWN]!r}; give one in a file: --amr FILE")
        try:
            return read_graph(parsed)
        except PenmanError as error:
            raise MethodError(f"amrlib makes a broken AMR of {question.text[:_SHOWN]!r} ({error})") from None


def _load_parser() -> Any:
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"  # kgask never fetches
    try:
        import amrlib
    except ImportError as error:
        raise ModelError(
            f"--amr {PARSER} needs amrlib and its parse model: pip install amrlib, then see its README; "
            "or write the AMRs into a file: --amr FILE"
        ) from error
    try:
        return amrlib.load_stog_model()
    except Exception as error:  # noqa: BLE001 - whatever a missing or foreign model makes it raise
        raise ModelError(f"amrlib has no parse model that it can load ({first_line(error)})") from error
