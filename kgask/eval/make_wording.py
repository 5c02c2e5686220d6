"""What a made question says: the wordings that the trainer knows for a pack's relations, or plain ones."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from kgask.corpus.pack_wordings import UNKNOWN, word_pack
from kgask.corpus.voices import names_other_kind
from kgask.corpus.wordings import FORWARD, INVERSE, RelationWordings, load_wordings
from kgask.eval.forms import forms_of
from kgask.pack.labels import relation_phrase
from kgask.pack.records import RelationText
from kgask.pack.store import Pack
from kgask.read.gguf.neutral import neutral

Write = Callable[[str], str]  # a prompt in, free text out: a language model of the user
MAX_WRITTEN = 200  # characters of a question that a model writes
PERSON = "P"
ELLIPSIS = 0.4  # share of follow-ups about a thing that name the relation alone
_ASKS = re.compile(r"\b(who|whose|whom|what|which|when|where|how|why)\b|^(is|was|are|were|did|does|do|and)\b", re.I)
# A text that is no noun: "And the directed by?" is no question.
_NO_NOUN = re.compile(r"^(is|was|has|have|are) |\b(by|in|at|to|on|for|with|from|who|where|when|of|it)$|^\w+ed\b")
PROMPT = (
    "Write one short question in English about {topic}. It asks for the {relation} and its answer is {answer}. The "
    "question names {topic} and does not name the answer. Write the question only.\n"
)
PROMPT_INVERSE = (
    "Write one short question in English about {topic}. It asks what has {topic} as its {relation}, and its answer is "
    "{answer}. The question names {topic} and does not name the answer. Write the question only.\n"
)


class Wording:
    """Words questions about one pack; deterministic by the ``rng`` it is given."""

    def __init__(self, pack: Pack, rng: random.Random, write: Write | None = None) -> None:
        self._pack = pack
        self._rng = rng
        self._write = write
        wordings = load_wordings()
        self._words = word_pack(pack, wordings, rng)
        self._forms = forms_of("make_wordings.txt")
        self._relations = pack.relations()
        self._sure = [_sure_texts(relation, wordings) for relation in self._relations]
        self.refused = 0  # questions of the writer that did not name the topic, named the answer, or ran on

    def question(self, entity: int, relation: int, inverse: bool, names: list[str]) -> str:
        """A question that names its topic; by the writer where there is one and what it writes will do.

        ``names`` are the labels of the entity, then of the answers.
        """
        topic, *answers = names
        if self._write is not None:
            form = PROMPT_INVERSE if inverse else PROMPT
            shown = ", ".join(map(neutral, answers))
            prompt = form.format(topic=neutral(topic), relation=neutral(self.label(relation)), answer=shown)
            written = " ".join(self._write(prompt).split())
            if len(written) <= MAX_WRITTEN and topic in written and not any(name in written for name in answers):
                return written
            self.refused += 1
        return self._filled(self._template(entity, relation, inverse), topic)

    def follow_up(self, entity: int, relation: int, inverse: bool) -> str:
        """A question on about the entity of the first turn, without its name."""
        is_person = self._words.letter(self._pack, entity) == PERSON
        noun = self._noun(relation)
        if noun and not inverse and (is_person or self._rng.random() < ELLIPSIS):
            return self._filled(self._rng.choice(self._forms["more"]).replace("{r}", noun), "")
        return self._filled(self._template(entity, relation, inverse), "this person" if is_person else "it")

    def about_answer(self, entity: int, relation: int, inverse: bool) -> str:
        """A question about the one answer of the turn before, without its name."""
        letter = self._words.letter(self._pack, entity)
        noun = next((words for known, words in self._that() if known == letter), dict(self._that())[UNKNOWN])
        return self._filled(self._template(entity, relation, inverse), f"that {noun}")

    def label(self, relation: int) -> str:
        return relation_phrase(self._relations[relation].label)

    def _noun(self, relation: int) -> str:
        """The first of a relation's texts that is a noun, "" where none is."""
        return next((text for text in self._known(relation).texts if not _NO_NOUN.search(text)), "")

    def _known(self, relation: int) -> RelationWordings:
        return self._words.by_key[self._relations[relation].key]

    def _that(self) -> list[tuple[str, str]]:
        return [(letter, noun) for letter, _, noun in (text.partition(" ") for text in self._forms["that"])]

    def _template(self, entity: int, relation: int, inverse: bool) -> str:
        """With {x} for the topic."""
        letter = self._words.letter(self._pack, entity)
        sure = self._sure[relation]
        known = [
            text for text in self._known(relation).questions[INVERSE if inverse else FORWARD]
            if text in sure and not (letter != UNKNOWN and _names_another(text, letter, inverse, self._known(relation)))
        ]  # fmt: skip
        if known:
            return self._rng.choice(known)
        noun = self._noun(relation)
        kind = ("back" if inverse else "plain") + ("" if noun else " verb")
        return self._rng.choice(self._forms[kind.replace(" ", "-")]).replace("{r}", noun or self.label(relation))

    def _filled(self, template: str, topic: str) -> str:
        if topic == "it":
            template = template.replace("{x}'s", "its")
        text = template.replace("{x}", topic).strip()
        if text[-1] not in "?.!":
            text += "?" if _ASKS.search(text) else "."
        # A name keeps its first letter: "will.i.am" is not "Will.i.am".
        return text if topic and text.startswith(topic) and topic[0] != "i" else text[0].upper() + text[1:]


def _sure_texts(relation: RelationText, wordings: dict[str, RelationWordings]) -> frozenset[str]:
    """Questions that are surely about a relation: of the known one of its key, else of those called as it is.

    The trainer borrows wordings more freely, as a wrong one costs it little; here it would be a wrong question.
    """
    own = wordings.get(relation.key)
    called = _plain(relation.label)
    known = [own] if own else [each for each in wordings.values() if called in map(_plain, each.texts)]
    return frozenset(text for each in known for texts in each.questions.values() for text in texts)


def _plain(text: str) -> str:
    return re.sub(r"^(has|is|was|have|are) ", "", relation_phrase(text))


def _names_another(template: str, letter: str, inverse: bool, known: RelationWordings) -> bool:
    """Whether a template names a kind of thing that neither the topic nor what is asked for can be."""
    asked = known.ends(inverse)[1]
    return names_other_kind(template.replace("{x}", ""), letter + ("" if asked == UNKNOWN else asked))
