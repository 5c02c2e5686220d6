"""The question sets that can be read, by name: each from the files that it is published in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets import (
    entityquestions,
    factkg,
    kqapro,
    lcquad,
    ltgen,
    metaqa,
    mintaka,
    own,
    pathquestion,
    popqa,
    qald,
    simplequestions,
    webqsp,
    webquestions,
    wikiwebquestions,
)  # fmt: skip
from kgask.sets.gold import Gold

Load = Callable[[Path, str | None], list[Gold]]
_SETS: dict[str, tuple[str, Load]] = {
    "metaqa": ("MetaQA: films, 1 to 3 hops; qa_*.txt or its folder, split dev, dev_kbexact, ...", metaqa.load),
    "entityquestions": ("EntityQuestions: 24 Wikidata relations, names; folder of P*.json", entityquestions.load),
    "reworded": ("200 questions of EntityQuestions' dev part in our own words; they ship: no path", own.load_reworded),
    "simplequestions": ("SimpleQuestions over Wikidata: Q<TAB>P or R<TAB>Q<TAB>question", simplequestions.load),
    "webquestions": ("WebQuestions over Freebase: JSON, or brmson's folder with --split", webquestions.load),
    "webquestions-fb15k237": (
        "WebQuestions that FB15k-237 answers in two hops; the folder with both, --split val, devtest or both",
        webquestions.over_fb15k237,
    ),
    "webqsp": ("WebQSP over Freebase: WebQSP.*.json with parses", webqsp.load_webqsp),
    "cwq": ("ComplexWebQuestions over Freebase: JSON with SPARQL", webqsp.load_cwq),
    "wikiwebquestions": ("WikiWebQuestions over Wikidata: JSON with SPARQL, no answers", wikiwebquestions.load),
    "kqapro": ("KQA Pro: verify, qualifier, multihop over its own facts; questions_*.jsonl", kqapro.load),
    "mintaka": ("Mintaka over Wikidata: nine kinds of complex question, JSON", mintaka.load),
    "lcquad1": ("LC-QuAD 1 over DBpedia: JSON with SPARQL", lcquad.load_lcquad1),
    "lcquad2": ("LC-QuAD 2 over Wikidata: JSON with SPARQL", lcquad.load_lcquad2),
    "pathquestion": ("PathQuestion (PQ-2H.txt, PQ-3H.txt, PQL-*): question, answers, path", pathquestion.load),
    "popqa": ("PopQA over Wikidata: TSV with page views, which give the bands", popqa.load),
    "qald": ("QALD over DBpedia or Wikidata: JSON, English wordings", qald.load),
    "factkg": ("FactKG: claims over DBpedia, as a JSON export of its pickle", factkg.load),
    "ltgen": ("Long-tail questions and conversations with gold triples: JSON lines", ltgen.load),
    "jsonl": ("Your own questions, or those of kgask eval make: JSON lines", own.load_jsonl),
    "tsv": ("Your own questions as a table: question, answers, topics, ...", own.load_tsv),
}  # fmt: skip
SHIPPED = ("reworded",)  # sets that need no path
NAMES: dict[str, str] = {name: about for name, (about, _) in _SETS.items()}


def load(name: str, path: Path, split: str | None = None) -> list[Gold]:
    """The questions of a set, in the order of its files, none left out; their ids are unique.

    ``split`` picks among the files of a folder. Raises :class:`UsageError` (one line, with file and record) for an
    unknown name, a path that is not there, and whatever is not of the set's form.
    """
    if name not in _SETS:
        near = get_close_matches(name, _SETS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(_SETS)}"
        raise UsageError(f"no question set {name!r}; {hint}")
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    found = _with_unique_ids(_SETS[name][1](path, split))
    if not found:
        raise UsageError(f"{path}: no questions in it")
    for gold in found:
        if not gold.text.strip():
            raise UsageError(f"{path}: {gold.id}: a question without words")
    return found


def _with_unique_ids(questions: Iterable[Gold]) -> list[Gold]:
    """An id that a set gives twice gets "#2" at its second question, "#3" at its third."""
    found: list[Gold] = []
    taken: set[str] = set()
    times: dict[str, int] = {}
    for gold in questions:
        ident = gold.id
        while ident in taken:
            times[gold.id] = times.get(gold.id, 1) + 1
            ident = f"{gold.id}#{times[gold.id]}"
        taken.add(ident)
        found.append(gold if ident == gold.id else replace(gold, id=ident))
    return found
