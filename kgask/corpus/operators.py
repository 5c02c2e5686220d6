"""Questions with all operators, composed from templates: which of them is largest, how many, both, neither, whether.

A template gives the postfix steps of a query and many wordings of it (files in ``operators/``); its slots are filled
by type, so that what is compared has what it is compared by. Everything that could be pointed at becomes an operand,
also class words that carry nothing, since a reader of questions sees them too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

from kgask.corpus.compose import Composer
from kgask.corpus.examples import MASK, Step, tidy
from kgask.corpus.operator_dress import beside, dressed
from kgask.corpus.operator_files import Line, Template, load_templates
from kgask.corpus.operator_sets import SetFilling
from kgask.corpus.operator_slots import PRIVATE, SUBSTITUTE, TYPED, Token, UnfitError, kind_of
from kgask.corpus.operator_words import ClassWords, Lexicons
from kgask.corpus.query_examples import Operand, QueryExample
from kgask.corpus.wordings import RelationWordings

SOURCE = "operators"
UNTYPED = 0.15  # share of questions over a graph without types, where there is no class to point at
DECOYS = 0.05  # share of the questions with a name or number before them that has nothing to do with them
MARKED = 0.75  # share of the questions whose idle class words are operands too

LETTERS = {
    "P": 10, "C": 10, "F": 8, "B": 7, "L": 4, "I": 5, "V": 4, "K": 3, "J": 4, "O": 6, "M": 5, "W": 4, "E": 5, "U": 4,
    "X": 5, "H": 4, "T": 3, "N": 3, "A": 2, "D": 2, "Y": 4, "Q": 3, "Z": 3, "R": 2, "b": 4, "v": 3, "r": 3,
}  # fmt: skip

_A = re.compile("\\ba ([\ue000-\ue0ff]|[a-z]+)")
_VOWEL = re.compile("(?!uni|use|eu|one)[aeiou]|hour|honour")


class OperatorComposer:
    """Draws questions with operators; the same random stream draws the same questions.

    ``one_hop`` and ``names`` are what :class:`~kgask.corpus.compose.Composer` takes, for the paths in them.
    ``lexicons``, ``words`` and ``letters`` (type letters with their weights) are those of one pack.
    """

    def __init__(
        self,
        wordings: dict[str, RelationWordings],
        one_hop: dict[Step, list[str]],
        rng: random.Random,
        names: Sequence[str] = (),
        templates: Sequence[Template] | None = None,
        lexicons: Lexicons | None = None,
        words: ClassWords | None = None,
        letters: Mapping[str, int] = LETTERS,
    ) -> None:
        self.rng, self._shares = rng, letters
        self.templates = list(templates) if templates is not None else load_templates()
        self._weights = [template.weight for template in self.templates]
        self._lexicons, self._words = lexicons or Lexicons(wordings), words or ClassWords()
        self._paths = Composer(wordings, one_hop, rng, names)

    def use(self, rng: random.Random) -> None:
        """Draw from another random stream from now on."""
        self.rng = self._paths.rng = rng

    def draw(self) -> QueryExample:
        """One question of any template."""
        while True:
            template = self.rng.choices(self.templates, self._weights)[0]
            try:
                return self.draw_from(template)
            except UnfitError:
                continue

    def draw_from(self, template: Template) -> QueryExample:
        """One question of this template; raises :class:`UnfitError` where a draw does not fit together."""
        line = self.rng.choice(template.lines)
        letter = self._letter(template, line)
        typed = self.rng.random() >= UNTYPED
        filling = SetFilling(self._lexicons, self._words, self._paths, self.rng, letter, typed)
        text, steps = filling.fill(template, line)
        text = dressed(with_articles(text, filling.operands), self.rng)
        text = tidy(self._with_decoy(text, filling) if self.rng.random() < DECOYS else text)
        end = () if steps[-1] == "NONE" else ("END",)
        marked = self._words.idle(text) if typed and self.rng.random() < MARKED else []
        kind = "intersection" if template.kind == "path" and "AND" in steps else template.kind
        return assembled(text, filling.operands, marked, (*steps, *end), kind)

    def _with_decoy(self, text: str, filling: SetFilling) -> str:
        """Something that could be pointed at in what is said before the question."""
        said, kind = beside(self.rng)
        words = {"entity": MASK, "number": str(self.rng.randint(1, 40)), "date": str(self.rng.randint(1990, 2025))}
        return said.format(chr(PRIVATE + filling.operand(words[kind], kind))) + text

    def _letter(self, template: Template, line: Line) -> str:
        letters = [letter for letter in template.letters or self._shares if letter in self._shares]
        if not letters:
            raise UnfitError("no such things")
        if not any(kind_of(slot) in TYPED for slot in line.wanted):
            return self.rng.choice(letters)
        return self.rng.choices(letters, [self._shares[letter] for letter in letters])[0]


def with_articles(text: str, operands: list[tuple[str, str]]) -> str:
    """*an island* where a wording says *a* before whatever comes."""

    def article(found: re.Match[str]) -> str:
        word = operands[ord(found[1]) - PRIVATE][0] if SUBSTITUTE.match(found[1]) else found[1]
        return f"an {found[1]}" if _VOWEL.match(word) else found[0]

    return _A.sub(article, text)


def assembled(
    text: str, operands: list[tuple[str, str]], marked: list[tuple[int, int]], steps: tuple[Token, ...], kind: str
) -> QueryExample:
    """The question with its operands' words put in, and all operands numbered in the order of the text.

    ``marked`` are further class words, as characters of the text before.
    """
    found = [(*match.span(), ord(match[0]) - PRIVATE) for match in SUBSTITUTE.finditer(text)]
    found += [(*span, -1) for span in marked]
    said, last = "", 0
    spans: list[Operand] = []
    numbers: dict[int, int] = {}  # of an operand as it was filled in -> in the order of the text
    for start, end, number in sorted(found):
        words, what = (text[start:end], "class") if number < 0 else operands[number]
        said += text[last:start]
        numbers.setdefault(number, len(spans))
        spans.append(Operand(len(said), len(said) + len(words), what))
        said, last = said + (words if what == "entity" else words.lower()), end
    resolved = tuple(numbers[step] if isinstance(step, int) else step for step in steps)
    return QueryExample(said + text[last:], tuple(spans), resolved, kind, SOURCE)
