"""Labels as words: one harmless line each, relations as people say them, in both directions."""

from __future__ import annotations

import re
from functools import lru_cache

from kgask.pack.abbreviations import spelled_out

MAX_LABEL_CHARS = 160
KEPT = 4096  # labels of relations whose words are remembered

# Openers and closers of control tokens and chat markup: <|im_start|>, </s>, [INST], <<SYS>>,
# <start_of_turn>, {{ }}.
_MARKUP = re.compile(r"<\||\|>|</?s>|</?[A-Za-z_]+>|\[/?INST\]|<</?SYS>>|\{\{|\}\}|\{%|%\}|#{3,}", re.IGNORECASE)
_HEADED_BY_PREPOSITION = re.compile(r" (?:in|at|on|from|to|for|with|as|of|into|under|after)$")
_IRREGULAR = {"written": "wrote", "drawn": "drew", "sung": "sang", "made": "made", "led": "led", "won": "won"}


def clean_label(text: str, max_chars: int = MAX_LABEL_CHARS) -> str:
    """One line without control characters or model markup, at most ``max_chars`` long.

    Whatever is not printable (newlines, terminal escapes, NUL, bidirectional and zero-width marks) becomes
    a space; the field separator and chat markup are broken up, so that they can no longer
    be mistaken for the prompt's own.
    """
    text = text[: 4 * max_chars]
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    text = _MARKUP.sub(lambda found: " ".join(found.group()), text).replace("|", "/")
    text = " ".join(text.split())
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


@lru_cache(KEPT)
def readable_relation(label: str) -> str:
    """A relation label as words, its case kept, spelled out; every text for a model or a reader begins with these.

    >>> readable_relation("/film/directed_by"), readable_relation("birthPlace"), readable_relation("pH")
    ('directed by', 'birth place', 'pH')
    >>> readable_relation("obs_date")
    'observation date'
    """
    if "/" in label and " " not in label:
        label = label.rstrip("/").rsplit("/", 1)[-1]
    if " " not in label:  # PubMed in a label of several words is a name
        label = "".join(
            f" {char.lower()}" if char.isupper() and before.islower() and first.isalnum() else char  # but pH is a name
            for first, before, char in zip(f"  {label}", f" {label}", label, strict=False)
        )
    return spelled_out(clean_label(label.replace("_", " "))) or "related to"


@lru_cache(KEPT)
def relation_phrase(label: str) -> str:
    """The words of a relation label in lower case and without ``/``: what the planner's encoder is fed."""
    return " ".join(readable_relation(label).replace("/", " ").lower().split())


def inverse_phrase(label: str) -> str:
    """Words for a relation that is walked from object to subject and has no inverse label of its own.

    >>> inverse_phrase("author"), inverse_phrase("directed by"), inverse_phrase("located in")
    ('is author of', 'directed', 'inverse of located in')
    """
    if label.endswith(" by") and len(label.split()) == 2:
        verb = label[:-3]
        return _IRREGULAR.get(verb, verb)
    if label.startswith(("has ", "have ")):
        return f"is {label.split(' ', 1)[1]} of"
    if label.endswith(" of"):
        return f"has {label[:-3]}"
    if _HEADED_BY_PREPOSITION.search(label) or label.endswith(" by"):
        return f"inverse of {label}"
    return f"is {label} of"
