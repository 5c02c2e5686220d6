"""Evidence -> the prompt that a reader sees.

The prompt that our own reader is trained on: a sequence of pieces (its own control
tokens, and plain text between them) that numbers the lines from 1 in plan order.
Those of other models are in :mod:`kgask.read.gguf.prompts`.

Our own reader is a cross-encoder: question and lines see each other in both directions. A line is::

    <|7|> <|hop2 answer0|> <|score1|> subject <|sep|> relation <|sep|> object

with the plan's marks: the hop, how the line's end fares among the plan's
answers, and the line's own plan score. A subject (and relation) that repeats
the previous line's is written as one ditto token, which halves the prompt.

At each line's number token the model gives its verdict on the line, and at the first token its verdict on
the whole: all of them come from one evaluation. Citing no line is "I don't know".

The training data are made with these same functions, so the shipped reader
meets at answer time what it met in training.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from kgask.read.reply import MAX_LINES

PROMPT_FORMAT = 2
MAX_HOPS = 3
FIELD_CHARS = 72
QUESTION_CHARS = 400

SCORE_FLOORS = (0.9, 0.7, 0.5, 0.3, 0.15, 0.05, 0.01)
ANSWER_FLOORS = (0.9, 0.5, 0.2, 0.05, 0.0)

FIRST, LAST = "[CLS]", "[SEP]"  # the encoder's own: before the question, and after it and after the lines
SEPARATOR, SAME_SUBJECT, SAME_RELATION = "<|sep|>", "<|same subject|>", "<|same relation|>"
N_VERDICTS = 3  # of a line: other, on the way to the answer, answers


class Piece(NamedTuple):
    """Part of a prompt: a control token by name, or plain text that can never become one."""

    text: str
    control: bool = False


class PromptLine(NamedTuple):
    """A line and the plan's opinion of it."""

    subject: str  # where the step starts, clean text
    relation: str
    obj: str  # where it ends
    hop: int  # 1-based
    score: float  # probability of the plan's paths over the triple
    answer_ratio: float | None  # score of the end among the plan's answers / the best one's; None: not an answer


def ways(lines: Sequence[PromptLine]) -> list[tuple[object, ...]]:
    """What tells the way of each line: its hop, its relation, and the relations that lead to where it starts.

    Lines of one way answer a question together or not at all: they differ in entities only.
    """
    leading: dict[tuple[int, str], set[str]] = {}
    for line in lines:
        leading.setdefault((line.hop + 1, line.obj), set()).add(line.relation)
    found: list[tuple[object, ...]] = []
    for line in lines:
        before = leading.get((line.hop, line.subject))
        found.append((line.hop, line.relation, frozenset(before) if before else line.subject))
    return found


def has_marks(lines: Sequence[PromptLine]) -> bool:
    """Whether a plan says anything of these lines; other retrieval methods leave every mark at its best."""
    return any(line.score != 1.0 or line.answer_ratio not in (None, 1.0) for line in lines)


def number_token(line: int) -> str:
    """Control token of the 1-based line number."""
    return f"<|{line}|>"


def score_mark(score: float) -> str:
    """Control token of a plan score: 0 is best, ``len(SCORE_FLOORS)`` worst."""
    return f"<|score{_bucket(score, SCORE_FLOORS)}|>"


def hop_mark(hop: int, answer_ratio: float | None) -> str:
    """Control token of the hop and of how the line's end fares among the plan's answers."""
    rank = "none" if answer_ratio is None else str(min(_bucket(answer_ratio, ANSWER_FLOORS), len(ANSWER_FLOORS) - 1))
    return f"<|hop{min(max(hop, 1), MAX_HOPS)} answer {rank}|>"


def _bucket(value: float, floors: Sequence[float]) -> int:
    """Index of the first floor that ``value`` reaches, ``len(floors)`` when it reaches none."""
    return bisect_left([-floor for floor in floors], -value)


def control_tokens() -> list[str]:
    """Every control token of the format beside the encoder's own, in the order of their ids."""
    fixed = [SEPARATOR, SAME_SUBJECT, SAME_RELATION]
    scores = [f"<|score{index}|>" for index in range(len(SCORE_FLOORS) + 1)]
    ranks = [*(str(index) for index in range(len(ANSWER_FLOORS))), "none"]
    hops = [f"<|hop{hop} answer {rank}|>" for hop in range(1, MAX_HOPS + 1) for rank in ranks]
    return [*fixed, *scores, *hops, *(number_token(line) for line in range(1, MAX_LINES + 1))]


def reader_pieces(question: str, lines: Sequence[PromptLine]) -> list[Piece]:
    """The prompt of our own reader."""
    pieces = [Piece(FIRST, True), Piece(question[:QUESTION_CHARS]), Piece(LAST, True)]
    last: PromptLine | None = None
    for number, line in enumerate(lines[:MAX_LINES], start=1):
        pieces.append(Piece(number_token(number), True))
        pieces.append(Piece(hop_mark(line.hop, line.answer_ratio), True))
        pieces.append(Piece(score_mark(line.score), True))
        pieces.extend(_fields(line, last))
        last = line
    pieces.append(Piece(LAST, True))
    return pieces


def _fields(line: PromptLine, last: PromptLine | None) -> list[Piece]:
    end = Piece(_short(line.obj))
    if last is not None and line.subject == last.subject:
        if line.relation == last.relation:
            return [Piece(SAME_RELATION, True), end]
        return [Piece(SAME_SUBJECT, True), Piece(line.relation), Piece(SEPARATOR, True), end]
    start, separator = Piece(_short(line.subject)), Piece(SEPARATOR, True)
    return [start, separator, Piece(line.relation), separator, end]


def _short(label: str) -> str:
    return label if len(label) <= FIELD_CHARS else label[: FIELD_CHARS - 1] + "…"
