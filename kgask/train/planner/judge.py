"""Whether an adapted planner is kept: paired tests on questions in wordings that its training did not use."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kgask.corpus.compose import Composer
from kgask.corpus.examples import PathExample
from kgask.corpus.pack_wordings import in_voice
from kgask.corpus.wordings import load_wordings
from kgask.train.encoder import TextBatcher
from kgask.train.planner.model import Rigel

LEVEL = 0.05  # of the tests
N_GENERAL = 300  # composed questions over the relations of all graphs
GENERAL_HOPS = (0.5, 0.3, 0.2)  # shares of one, two and three hops
BATCH = 64


@dataclass(frozen=True, slots=True)
class Paired:
    """The same questions before and after."""

    before: tuple[bool, ...]
    after: tuple[bool, ...]

    @property
    def n(self) -> int:
        return len(self.before)

    @property
    def shares(self) -> tuple[float, float]:
        return sum(self.before) / max(1, self.n), sum(self.after) / max(1, self.n)

    @property
    def p_gain(self) -> float:
        """How likely so many more are right after than before, or yet more, by chance alone."""
        return self._p(gained=True)

    @property
    def p_loss(self) -> float:
        return self._p(gained=False)

    def _p(self, gained: bool) -> float:
        """McNemar's exact test, one-sided: of the questions that changed, as many as these went one way."""
        pairs = list(zip(self.before, self.after, strict=True))
        went = sum(now is gained and was is not gained for was, now in pairs)
        changed = sum(was is not now for was, now in pairs)
        return sum(math.comb(changed, k) for k in range(went, changed + 1)) / 2**changed


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which planner is kept, and why."""

    kept: bool  # the adapted one
    why: str


def judge(pack: Paired, general: Paired, own: Paired | None = None) -> Verdict:
    """The adapted planner is kept where it answers more of the pack's questions than chance gives, and has not
    unlearned others; with ``own`` questions, too few to hold some out, also where it is no worse and answers more of
    these."""
    if general.p_loss < LEVEL:
        return Verdict(False, f"it has unlearned general questions ({_said(general)})")
    if pack.p_gain < LEVEL:
        return Verdict(True, f"it is better ({_said(pack)}, p = {pack.p_gain:.2g})")
    if pack.p_loss < LEVEL:
        return Verdict(False, f"it is worse ({_said(pack)}, p = {pack.p_loss:.2g})")
    if own is not None and own.shares[1] > own.shares[0]:
        return Verdict(True, f"it answers more of your questions, which it learnt ({_said(own)}), and others as before")
    return Verdict(False, f"what it gains is within noise ({_said(pack)}, p = {pack.p_gain:.2g})")


def _said(pair: Paired) -> str:
    return "{:.1%} before, {:.1%} now".format(*pair.shares)


def general_questions(rng_seed: int) -> list[PathExample]:
    """Composed questions over the relations of all graphs, in wordings that are held out."""
    rng = random.Random(f"general:{rng_seed}")
    composer = Composer(in_voice(load_wordings(), held=True), {}, rng)
    return [composer.draw(hops) for hops in rng.choices((1, 2, 3), GENERAL_HOPS, k=N_GENERAL)]


@torch.no_grad()
def general_right(model: Rigel, batcher: TextBatcher, questions: Sequence[PathExample]) -> tuple[bool, ...]:
    """Of each question: every relation of its path is first among those of all graphs, and it ends where it should."""
    model.eval()
    wordings = load_wordings()
    index = {key: row for row, key in enumerate(wordings)}
    directed = model.directed(model.text_vectors(batcher, [wording.texts[0] for wording in wordings.values()]))
    right: list[bool] = []
    for start in range(0, len(questions), BATCH):
        part = questions[start : start + BATCH]
        ids, mask = batcher([question.text for question in part])
        output = model(ids, mask, directed, torch.ones(len(part), len(directed), device=ids.device))
        first, hops = (
            output.relation_log_probs[..., :-1].argmax(-1).tolist(),
            output.hop_log_weights.argmax(-1).tolist(),
        )
        for row, question in enumerate(part):
            path = [index[key] + inverse * len(index) for key, inverse in question.path or ()]
            right.append(first[row][: len(path)] == path and hops[row] == len(path) - 1)
    return tuple(right)
