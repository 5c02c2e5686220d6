"""A reading situation as training sees it, and how hard such situations are made."""

from __future__ import annotations

from dataclasses import dataclass

from kgask.read.cross_encoder.prompt import PromptLine


@dataclass(frozen=True, slots=True)
class Scene:
    """One example: what the reader sees and the 1-based lines that it should cite (none: refuse)."""

    question: str
    lines: tuple[PromptLine, ...]
    cite: tuple[int, ...]
    way: tuple[int, ...]  # lines of the asked path before its last hop
    kind: str  # "one", "several" or "none"
    hops: int


def citable_of(scene: Scene) -> list[int]:
    """1-based numbers of the lines that end in one of the plan's answers."""
    return [number for number, line in enumerate(scene.lines, start=1) if line.answer_ratio is not None]


@dataclass(frozen=True, slots=True)
class SceneOptions:
    """How hard the scenes are. Shares are probabilities."""

    unanswerable: float = 0.3
    wrong_plan: float = 0.1  # answerable, but the plan prefers another relation
    blind: float = 0.3  # every mark equal and the lines shuffled: only the text tells
    shuffled: float = 0.08  # shuffled, with marks
    astray: float = 0.05  # the question names something else that was taken for the seed: refuse
    renamed: float = 0.03  # the question uses a name of the seed that the lines do not show: answer
    hops: tuple[float, float, float] = (0.6, 0.27, 0.13)
    crowded: float = 0.0  # one hop with 4 to 20 lines beside the gold ones, half of them about the seed
    distractors: int | None = None  # so crowded, always, and with exactly so many
