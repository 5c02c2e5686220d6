"""Planners, judges, encoders and readers with a changed file."""

from __future__ import annotations

import random
from pathlib import Path

import classify
from changes import change, linked
from children import run
from classify import Verdict
from samples import QUESTIONS
from seal import seal_model
from world import Case, World, build_sample


class Models(World):
    """A model with a changed file; in every second case its card is made to fit."""

    def __init__(self, folder: Path, shipped: str, option: str, check: bool = True) -> None:
        from kgask.config import shipped_root

        super().__init__(folder)
        self.model, self.option, self.check = shipped_root("model") / shipped, option, check
        self.pack = build_sample(folder)
        questions = self.lines("questions.txt", QUESTIONS[:2])
        reader = () if option == "--reader" else ("--no-reader",)
        method = ("--method", "similarity") if option == "--encoder" else ()
        self.words = ("ask", "--questions", questions, "--json", "-p", str(self.pack), *reader, *method)
        self.base = self.said(*self.words)

    def case(self, rng: random.Random, place: Path) -> Case:
        names = sorted(path.name for path in self.model.iterdir() if path.is_file())
        often = [name for name in names if name.endswith((".json", ".onnx", ".gguf"))]
        name, model = rng.choice([*names, *often, *often]), place / "model"
        linked(self.model, model, [name])
        before = (model / name).read_bytes()
        found = Case(f"{name}: {change(rng, model / name)}", files=[model / name])
        is_file = (model / name).is_file() and not (model / name).is_symlink()
        if is_file and (model / name).read_bytes() == before:
            return found
        sealed = rng.random() < 0.4 and is_file and name != "model.json" and seal_model(model)
        found.change += " (card made to fit)" * sealed
        ended = run([*self.words, self.option, str(model)], place)
        # What a card says beside hashes is no answer: thresholds, notes.
        is_another = sealed or name == "model.json"
        found.verdicts.append(Verdict(classify.of_answers(self.base, ended, is_another), ended))
        if rng.random() < 0.3:
            words = ["add", str(model / name), "--name", "mine"] if name.endswith(".gguf") else ["show", str(model)]
            ended = run(["models", *words], place, KGASK_HOME=str(place / "home"))
            found.verdicts.append(Verdict(classify.broken(ended) or classify.OTHER, ended))
        return found
