"""WebQuestions (Berant et al. 2013) with Freebase topics and relation paths, as brmson publishes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kgask.pack.normalise import normalise
from kgask.sets.fb15k237 import FreebaseGraph
from kgask.sets.files import of_its_form, read_json

FOLDER = "webquestions"


@dataclass(frozen=True, slots=True)
class WebQuestion:
    text: str
    answers: tuple[str, ...]  # names
    topic: str  # words of the Freebase key
    concepts: tuple[tuple[str, str], ...]  # (name, mid) that an entity linker saw in the text
    paths: tuple[tuple[str, ...], ...] = ()  # relation names, as a machine found them; compound ones in parts


def web_questions(data: Path, split: str) -> list[WebQuestion]:
    """A split ("trainmodel", "val", "devtest"); questions without a Freebase key are left out."""
    with of_its_form(data / FOLDER):
        return _read(data / FOLDER, split)


def _read(folder: Path, split: str) -> list[WebQuestion]:
    keys = {row["qId"]: row["freebaseKey"] for row in read_json(folder / "d-freebase" / f"{split}.json.gz")}
    concepts = {row["qId"]: row["freebaseMids"] for row in read_json(folder / "d-freebase-mids" / f"{split}.json.gz")}
    paths: dict[str, list[tuple[str, ...]]] = {}
    for kind in ("rp", "brp"):
        for row in read_json(folder / f"d-freebase-{kind}" / f"{split}.json.gz"):
            paths.setdefault(row["qId"], []).extend(tuple(path) for path, _ in row["relPaths"])
    found = []
    for row in read_json(folder / "main" / f"{split}.json.gz"):
        key = keys.get(row["qId"])
        if key:
            linked = tuple((c["concept"], "/" + c["mid"].replace(".", "/")) for c in concepts.get(row["qId"], ()))
            topic = key.replace("_", " ")
            found.append(
                WebQuestion(row["qText"], tuple(row["answers"]), topic, linked, tuple(paths.get(row["qId"], ())))
            )
    return found


def topics_of(question: WebQuestion, graph: FreebaseGraph) -> list[str]:
    """Mids in the graph that the key names; the linker's concepts decide between namesakes.

    A concept counts when its name begins as the key does, or the other way
    round: the key *cleveland ohio* is the concept *Cleveland*.
    """
    key = normalise(question.topic)
    linked = [mid for name, mid in question.concepts if mid in graph and _same_start(normalise(name), key)]
    named = sorted(mid for mid in graph.named(question.topic) if mid in graph)
    return [mid for mid in named if mid in linked] or named or list(dict.fromkeys(linked))


def _same_start(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and f"{long} ".startswith(f"{short} ")


def answers_of(question: WebQuestion, graph: FreebaseGraph) -> set[str]:
    """Mids that an answer names."""
    return {mid for answer in question.answers for mid in graph.named(answer) if mid in graph}
