"""All sets in turn, each as one row of the same figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.eval import datasets, off_topic, relations
from kgask.eval.ask_set import run
from kgask.eval.datasets import GoldQuestion
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.sets.gold import sample

# What a row shows; "measured" names the figure that "value" is.
COLUMNS = (
    "questions measured value exact_set topic_linked auroc_of_confidence answered_at_default_threshold "
    "right_of_answered ms_median"
).split()
HOPS = (1, 2, 3)


def _silent(_done: int) -> None:
    """Progress within a set is not shown."""


class Suite:
    """The sets in ``data`` over the packs in ``packs``; opened one at a time."""

    def __init__(self, data: Path, packs: Path, model: str | None, limit: int | None) -> None:
        self._data, self._packs, self._limit = data, packs, limit
        self._model = model or str(config.load_settings().get("model", config.DEFAULT_MODEL))
        self._rows: dict[str, Callable[[], dict[str, Any]]] = {}
        for hop in HOPS:
            self._add(f"MetaQA dev {hop}-hop", "metaqa", partial(self._metaqa, hop))
        self._rows["SimpleQuestions valid"] = self._relations
        self._add("EntityQuestions dev", "entityquestions", self._entityquestions)
        self._add("EntityQuestions reworded", "entityquestions", self._reworded)
        self._add("WebQuestions on FB15k-237", "fb15k237", self._webquestions)
        for pack in ("metaqa", "fb15k237"):
            self._rows[f"off topic, {pack}"] = partial(self._off_topic, pack)

    def _add(self, name: str, pack: str, load: Callable[[], list[GoldQuestion]]) -> None:
        for way, given in (("given", True), ("linked", False)):
            self._rows[f"{name}, {way}"] = partial(self._asked, pack, load, given)

    def names(self) -> list[str]:
        return list(self._rows)

    def measure(self, name: str) -> dict[str, Any]:
        """The :data:`COLUMNS` of one of :meth:`names`; None where a set has no such figure."""
        figures = self._rows[name]()
        return {column: figures.get(column) for column in COLUMNS}

    def _metaqa(self, hop: int) -> list[GoldQuestion]:
        return datasets.bracketed(self._data / "metaqa" / f"{hop}-hop" / "qa_dev_kbexact.txt.gz", self._limit)

    def _entityquestions(self) -> list[GoldQuestion]:
        return datasets.entity_questions(self._data / "entityquestions" / "dev", self._limit)

    def _reworded(self) -> list[GoldQuestion]:
        return datasets.reworded(self._limit)

    def _webquestions(self) -> list[GoldQuestion]:
        return [
            datasets._of(gold)
            for gold in sample(datasets.webquestions(self._data, ("val", "devtest")).questions, self._limit)
        ]

    def _open(self, pack: str) -> Pipeline:
        return Pipeline.open(str(self._packs / pack), model=self._model, reader=None)

    def _asked(self, pack: str, load: Callable[[], list[GoldQuestion]], given: bool) -> dict[str, Any]:
        with self._open(pack) as pipeline:
            figures = run(pipeline, load(), given, _silent).figures()
        return figures | {"measured": "Hits@1", "value": figures["hits_at_1"]}

    def _relations(self) -> dict[str, Any]:
        path = self._data / "simplequestions_wikidata" / "annotated_wd_data_valid.txt.gz"
        planner = RigelPlanner.load(config.find("model", self._model).path)
        figures = relations.measure(planner, relations.simple_questions(path, self._data), _silent)
        return figures | {"measured": "relation top-1", "value": figures["top_1"]}

    def _off_topic(self, pack: str) -> dict[str, Any]:
        with self._open(pack) as pipeline:
            asked = off_topic.questions(self._limit or off_topic.N, 0, off_topic.sampled_names(pipeline, 2000, 0))
            found = off_topic.figures(off_topic.run(pipeline, asked, _silent)[0])
        crashed = f", {found['crashed']} crashed" if found["crashed"] else ""
        return found | {"measured": "refused" + crashed, "value": found["abstained"]}
