"""``kgask eval``: question sets over packs, figures with intervals, and runs side by side."""

from __future__ import annotations

import click

from kgask.cli.figures import Sections

_RUNS, _SUITES, _CHECKS, _MAKE = (f"kgask.cli.eval_{name}:" for name in ("score", "suites", "checks", "make"))
SECTIONS = {
    "Runs": {
        "run": ("kgask.cli.eval_run:run", "Ask a question set and keep the predictions."),
        "score": (f"{_RUNS}score", "Figures of runs, from their predictions."),
        "compare": (f"{_RUNS}compare", "Two runs over the same questions."),
        "report": (f"{_RUNS}report", "A Markdown and an HTML page of runs."),
    },
    "Many runs": {
        "table": (f"{_SUITES}table", "Methods and readers over the public sets, as in the README."),
        "all": (f"{_SUITES}everything", "Every figure of the planner, one line each."),
        "reading": (f"{_SUITES}reading", "The reader against the plan alone, side by side."),
    },
    "Parts of an answer": {
        "relations": (f"{_CHECKS}relations", "The planner alone on SimpleQuestions."),
        "off-topic": (f"{_CHECKS}off_topic", "Off-topic questions: none may crash, few be answered."),
        "recheck": (f"{_CHECKS}recheck", "Every printed answer and citation, checked again in the pack."),
        "parity": (f"{_CHECKS}parity", "The planner's graph for CUDA against the one for the CPU."),
        "oracle": (f"{_CHECKS}oracle", "What the best path could reach on WebQuestions over FB15k-237."),
    },
    "Question sets and packs": {
        "prepare": (f"{_MAKE}prepare", "Build the pack that a public set is asked over."),
        "make": (f"{_MAKE}make", "Questions and conversations about a pack's long-tail entities."),
        "make-claims": (f"{_MAKE}make_claims", "Synthetic claims about a pack, with their verdicts."),
        "covered": (f"{_MAKE}covered", "The questions of a set that a pack can answer, by its triples alone."),
        "rename": (f"{_MAKE}rename", "A copy of a pack, and of questions, with invented names."),
        "half": (f"{_MAKE}half", "A copy of a pack with a share of its triples."),
        "few": (f"{_MAKE}few", "A few questions to adapt with, and those of other wordings."),
    },
}


@click.group("eval", cls=Sections, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]})
def evaluate() -> None:
    """Measure answers on question sets: run, then score, compare and report.

    Every question counts, answered or not; figures come with 95 % bootstrap intervals over the questions. DATA is the
    folder with the public sets, one folder a set.
    """
