"""A turn as a question of its own, written by the user's language model: taken only where it invents no name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgask.chat.turns import Turn
from kgask.link.linker import Linker
from kgask.link.naming import names_in
from kgask.read.gguf.neutral import neutral

Write = Callable[[str], str]  # a prompt in, a line of free text out
MOST_CHARS = 300
SHOWN = 6  # turns that the model is shown
ANSWER_CHARS = 120
_CAPITALISED = re.compile(r"(?<![\w'\u2019-])[A-Z\u00c0-\u00de][\w'\u2019-]*")
_ASKING = frozenset(
    "Who Whom Whose What Which When Where Why How Is Are Was Were Do Does Did Has Have Had Can Could Will Would In On "
    "At Of By From To For With Name List Give Show Tell Count And I".split()
)
PROMPT = (
    "Below are the turns of a conversation. Write the last question again as one that is understood alone: put the "
    "names that are meant in the place of words such as he, she, it, they, there and those, and add what is left "
    "unsaid. Write this one question only.\n{turns}\nLast question: {line}\nThe same question, understood alone:"
)


@dataclass(frozen=True, slots=True)
class Rewriter:
    """Asks a language model (Rigel + LM calls one in the same way, for answers)."""

    write: Write
    linker: Linker

    def question(self, turns: Sequence[Turn], line: str) -> str | None:
        """None where it writes nothing of use, or a name that neither the conversation nor the pack has."""
        told = "\n".join(
            f"Question: {neutral(turn.understood)}\nAnswer: {neutral(_answer(turn))}" for turn in turns[-SHOWN:]
        )
        written = " ".join(self.write(PROMPT.format(turns=told, line=neutral(line))).split())
        if not written.endswith("?") or len(written) > MOST_CHARS:
            return None
        spoken = (f"{turn.line} {turn.understood} {_answer(turn)}" for turn in turns)
        known = " ".join([line, *spoken, *names_in(self.linker, written)])
        words = set(re.findall(r"[\w'\u2019-]+", known)) | _ASKING
        return written if all(_plain(word) in words for word in _CAPITALISED.findall(written)) else None


def _plain(word: str) -> str:
    return re.sub(r"['\u2019]s?\Z", "", word)


def _answer(turn: Turn) -> str:
    text = turn.answer.text if turn.answer is not None else None
    return (text or "unknown")[:ANSWER_CHARS]
