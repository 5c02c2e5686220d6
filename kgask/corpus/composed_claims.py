"""Claims composed over a pack, with golds: triples in words, corrupted, denied, in two steps, two in one.

Synthetic: relations are called by their labels. What is corrupted is not in the graph; judge them with
``--closed-world``, for the graph knows no more than that.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np

from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.text import to_text
from kgask.query.words import verbalise
from kgask.retrieve.follow import reached_by

KINDS = ("true", "corrupted subject", "corrupted object", "negated", "two-hop", "conjunction")
ASKED = len("whether ")
TRIES = 50
MOST_ENDS = 3  # of what a claim goes on from: of more, "the" would be untrue


class ClaimMaker:
    """Draws claims about one pack."""

    def __init__(self, pack: Pack, rng: random.Random) -> None:
        self._pack, self._rng = pack, rng
        self._owners = np.repeat(np.arange(pack.n_entities), np.diff(pack.out_indptr))
        self._first_literal = pack.n_entities - pack.n_literals

    def draw(self, n: int) -> Iterator[dict[str, str]]:
        """``n`` claims as rows of a set of claims, of every kind alike."""
        made, kinds = 0, cycle(KINDS)
        while made < n:
            kind = next(kinds)
            found = next((one for _ in range(TRIES) if (one := self._made(kind)) is not None), None)
            if found is not None:
                made += 1
                yield {"kind": kind, **found}

    def _made(self, kind: str) -> dict[str, str] | None:
        if kind == "conjunction":
            one, other = self._holds(False), self._holds(self._rng.random() < 0.5)
            if one is None or other is None:
                return None
            text = f"{self._said(one)}, and {self._said(other)}"
            return self._row(text, nodes.All((one, other)), self._is_so(other))
        if kind == "two-hop":
            return self._two_hop()
        found = self._holds(kind != "true" and kind != "negated", at_object=kind != "corrupted subject")
        if found is None:
            return None
        if kind == "negated":
            return self._row(f"it is not true that {self._said(found)}", nodes.Not(found), False)
        return self._row(self._said(found), found, kind == "true")

    def _holds(self, corrupted: bool, at_object: bool = True) -> nodes.Holds | None:
        """A triple of entities, or one with another subject or object that the graph does not have."""
        subject, relation, end = self._triple()
        if corrupted:
            other, _, far = self._triple_of(relation)
            subject, end = (subject, far) if at_object else (other, end)
        holds = nodes.Holds(nodes.Entities((subject,)), relation, nodes.Entities((end,)))
        return holds if self._is_so(holds) is not corrupted and end < self._first_literal else None

    def _two_hop(self) -> dict[str, str] | None:
        subject, first, middle = self._triple()
        here = reached_by(self._pack, np.array([subject]), first)
        onward = self._rows_of(middle) if middle < self._first_literal and len(here) <= MOST_ENDS else []
        if not onward:
            return None
        row = self._rng.choice(onward)
        second, end = int(self._pack.out_relation[row]), int(self._pack.out_object[row])
        if self._rng.random() < 0.5:
            end = self._triple_of(second)[2]
        holds = nodes.Holds(nodes.Follow(nodes.Entities((subject,)), first), second, nodes.Entities((end,)))
        so = bool(np.isin(end, reached_by(self._pack, here, second)))
        return self._row(self._said(holds), holds, so) if end < self._first_literal and end != subject else None

    def _triple(self) -> tuple[int, int, int]:
        row = self._rng.randrange(self._pack.n_triples)
        return int(self._owners[row]), int(self._pack.out_relation[row]), int(self._pack.out_object[row])

    def _triple_of(self, relation: int) -> tuple[int, int, int]:
        row = self._rng.choice(np.flatnonzero(self._pack.out_relation == relation).tolist())
        return int(self._owners[row]), relation, int(self._pack.out_object[row])

    def _rows_of(self, entity: int) -> list[int]:
        return list(range(int(self._pack.out_indptr[entity]), int(self._pack.out_indptr[entity + 1])))

    def _is_so(self, holds: nodes.Holds) -> bool:
        subject, end = holds.subject, holds.object
        assert isinstance(subject, nodes.Entities) and isinstance(end, nodes.Entities)
        return bool(np.isin(end.ids, reached_by(self._pack, np.array(subject.ids), holds.relation)).any())

    def _said(self, query: nodes.Holds) -> str:
        return verbalise(query, self._pack)[ASKED:]

    def _row(self, text: str, query: nodes.Query, so: bool) -> dict[str, str]:
        verdict = "supported" if so else "refuted"
        return {"claim": text, "verdict": verdict, "gold": to_text(query, self._pack)}


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """As JSON lines of a YAML list, which sets of claims are."""
    path.write_text("".join(f"- {json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
