"""KGConv (Brabant et al. 2023): question templates for Wikidata relations, and conversations with their facts."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kgask.sets.conversations import FIRST, PRONOUN
from kgask.sets.everyday import EverydayQuestion
from kgask.sets.pack_lines import PackLines
from kgask.sets.rows import fits, in_data, json_lines, json_of, records
from kgask.sets.wikidata import property_labels

TEMPLATES = "kgconv/template_library.json.gz"
CONVERSATIONS = "kgconv/conversations_dev.jsonl.gz"
PRONOUNS = frozenset("it its he his him she her hers they their them".split())
NAMED = "named"
_INVERSE = "-"  # before a property: the answer has it, and what is asked about is its object


def templates(data: Path) -> Iterator[tuple[str, bool, str, str]]:
    """(P-id, whether it is walked from object to subject, text before the topic, text after it)."""
    path = in_data(data, TEMPLATES)
    for where, _, entry in records(path, json_of(path)):
        with fits(where):
            key = entry["template_key"]["p"]
            sides = [(template["left"], template["right"]) for template in entry["templates"]]
        for left, right in sides:
            yield key.lstrip("-"), key.startswith("-"), left, right


def kgconv(data: Path) -> PackLines:
    """The facts of all conversations."""
    lines, called = PackLines(), property_labels(data)
    for where, _, row in json_lines(in_data(data, CONVERSATIONS)):
        with fits(where):
            for turn in row["turns"]:
                (subject, relation, target), labels = turn["triple"], turn["labels"]
                lines.labels[subject], lines.labels[target] = labels[0], labels[2]
                ends = (target, subject) if relation.startswith(_INVERSE) else (subject, target)
                plain = relation.lstrip(_INVERSE)
                lines.relations[plain] = called.get(plain, plain)
                lines.add(ends[0], plain, ends[1])
    return lines


def conversations(path: Path) -> list[list[EverydayQuestion]]:
    """Every second conversation, by its id: of each turn a wording in context, with a pronoun where there is one."""
    found = []
    for where, _, row in json_lines(path):
        with fits(where):
            if zlib.crc32(str(row["id"]).encode()) % 2:
                found.append([_turn(turn, number, str(row["id"])) for number, turn in enumerate(row["turns"])])
    return found


def _turn(turn: dict[str, Any], number: int, name: str) -> EverydayQuestion:
    subject, relation, _ = turn["triple"]
    gold = f"follow(<{subject}>, {'^' * relation.startswith(_INVERSE)}<{relation.lstrip(_INVERSE)}>)"
    rng = random.Random(f"{name} {number}")
    with_pronoun = [one["question"] for one in turn["in_context"] if one["subject_ref"].lower() in PRONOUNS]
    if number == 0:
        return EverydayQuestion(rng.choice(turn["standalone"]), FIRST, (gold,))
    if with_pronoun:
        return EverydayQuestion(rng.choice(with_pronoun), PRONOUN, (gold,))
    return EverydayQuestion(rng.choice(turn["standalone"]), NAMED, (gold,))
