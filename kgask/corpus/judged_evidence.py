"""Claims with what a graph says of what they name, and the verdict: what the judge of claims learns from.

People's claims about infoboxes (InfoTabS) and our own; and triples in words, corrupted, denied, with other years. The
verdict of the latter is what the open world says (:mod:`kgask.verify.world`).
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kgask.answer.pipeline import Pipeline
from kgask.corpus.composed_claims import ClaimMaker
from kgask.corpus.judged import EVIDENCE, JudgedQuery, JudgedQuestion
from kgask.errors import BudgetError, QueryError
from kgask.methods.relation_likeness import RelationLikeness
from kgask.methods.text_encoder import TextEncoder
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.query.text import parse
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.sets import infotabs
from kgask.sets.claims import GoldClaim
from kgask.verify.evidence import Evidence
from kgask.verify.form import bare
from kgask.verify.verdict import REFUTED, SUPPORTED, UNKNOWN, Said
from kgask.verify.world import World

SECONDS = 4.0
HELD_OUT = 20  # one infobox in so many
_SAID: dict[bool | None, Said] = {True: SUPPORTED, False: REFUTED, None: UNKNOWN}
_VERDICTS: dict[str, Said] = {one: one for one in (SUPPORTED, REFUTED, UNKNOWN)}


class EvidenceMaker:
    """Puts claims about one pack and what it says together."""

    def __init__(self, pipeline: Pipeline, encoder: TextEncoder, rng: random.Random) -> None:
        self._pack, self._rng = pipeline.pack, rng
        self._evidence = Evidence(pipeline.pack, pipeline.linker, RelationLikeness(encoder, pipeline.pack))

    def worded(self, golds: Iterable[GoldClaim]) -> Iterator[JudgedQuestion]:
        """People's claims about the pack."""
        for one in golds:
            yield self._told(one.text, _VERDICTS[one.verdict])

    def of_infoboxes(self, path: Path, held_out: bool) -> Iterator[JudgedQuestion]:
        """InfoTabS' claims about a pack of its infoboxes, which are given; those of one in twenty are held out."""
        keys = self._pack.keys(range(self._pack.n_entities))
        ids = {key: one for one, key in enumerate(keys)}
        for table, one in infotabs.claims(path):
            if (zlib.crc32(table.encode()) % HELD_OUT == 0) is held_out:
                yield self._told(one.text, _VERDICTS[one.verdict], (ids[table],))

    def composed(self, n: int) -> Iterator[JudgedQuestion]:
        """Triples in words."""
        for row in ClaimMaker(self._pack, self._rng).draw(n):
            query = parse(row["gold"], self._pack)
            assert isinstance(query, TruthNode)
            try:
                truth = World(Runner(self._pack, Budget(SECONDS))).decide(query).truth
            except (QueryError, BudgetError):
                continue
            yield self._told(row["claim"], _SAID[truth])

    def dated(self, n: int) -> Iterator[JudgedQuestion]:
        """Triples in words with the years that their qualifiers say, or with others."""
        rows = self._rng.sample(range(self._pack.n_triples), min(self._pack.n_triples, 20 * n))
        said = self._pack.statements(rows)
        usable = [row for row in rows if len(said.get(row, ())) == 1 and self._years(said[row][0])]
        for row in usable[:n]:
            years, (subject, relation, end) = self._years(said[row][0]), self._pack.triples(np.array([row]))
            holds = nodes.Holds(nodes.Entities((int(subject[0]),)), int(relation[0]), nodes.Entities((int(end[0]),)))
            moved = self._rng.choice((0, 0, 0, *range(-12, 13))) if self._rng.random() < 0.8 else 0
            when = " to ".join(str(int(year) + moved) for year in sorted(years))
            before = self._rng.choice(("in", "since", "as of")) if len(years) == 1 else "from"
            text = f"{verbalise(holds, self._pack).removeprefix('whether ')} {before} {when}"
            if len(years) <= 2 and not (before == "since" and moved > 0):
                yield self._told(text, REFUTED if moved else SUPPORTED)

    def _years(self, statement: Sequence[tuple[int, int]]) -> list[str]:
        """The years that a statement's dates say."""
        found = self._pack.literals([value for _, value in statement])
        texts = [one.text[:4] for one in found if one is not None and one.kind == "date"]
        return [text for text in texts if text.isdigit()]

    def _told(self, claim: str, verdict: Said, about: tuple[int, ...] = ()) -> JudgedQuestion:
        text = bare(claim)
        lines = self._evidence.of(text, about)
        return JudgedQuestion(
            text, EVIDENCE, tuple(JudgedQuery(one.words, one.outcome, None) for one in lines), verdict
        )
