"""What was asked, as it is read: without the brackets of what is marked, with its slips mended, once where it asks
whether and which, without what it says of how the answer shall look, with
names whole that share a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kgask.link.apostrophes import with_apostrophe
from kgask.link.apposed import without_apposed
from kgask.link.clock import with_clock
from kgask.link.denied import undenied
from kgask.link.left_year import with_year
from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.link.nations import with_border
from kgask.link.preamble import without_preamble
from kgask.link.reworded import reworded
from kgask.link.shared_words import with_shared_words
from kgask.link.side_by_side import with_both_of
from kgask.link.spelling import mended
from kgask.link.whether import which_of
from kgask.link.wishes import without_wish
from kgask.types import Question


def read_question(text: str, linker: Linker, is_word: Callable[[str], bool]) -> Question:
    """``is_word`` tells the words of the language: what is none may be misspelt. Who marks names makes no slips."""
    question = read_marks(text)
    if question.marks:
        return question
    said = with_both_of(reworded(which_of(without_wish(without_preamble(question.text)))), linker.relation_names)
    said = with_apostrophe(said, linker.pack)
    said = with_border(without_apposed(said, linker), linker.pack)
    said = undenied(said, linker.relation_names)
    said = with_clock(with_year(with_shared_words(said, linker.pack), linker.pack), linker.pack)
    read = without_slips(said, linker, is_word)
    return question if read == question.text else replace(question, text=read, asked=question.asked or text)


def without_slips(text: str, linker: Linker, is_word: Callable[[str], bool]) -> str:
    """The text with slips mended in words that are part of no name: "heigth"."""
    return mended(text, lambda: [one.span for one in linker.link(Question(text))], linker.plain_words, is_word)
