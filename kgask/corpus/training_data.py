"""What a model was trained on, for its card: the sets that the run drew from, after those of what it began with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from kgask.config import MODEL_CARD

PROPERTY_LABELS = "Wikidata property labels (CC0)"
ENTITY_LABELS = "Wikidata entity labels, as names in questions and scenes (CC0)"
OWN = "our own wordings and compositions (kgask/corpus/wordings.txt)"
SIMPLE = "SimpleQuestions-Wikidata, training part (CC BY 3.0)"
KGCONV = "KGConv question templates (CC BY 4.0)"
ENTITY_QUESTIONS = "EntityQuestions question templates (MIT)"
ENTITY_QUESTION_NAMES = "EntityQuestions, names in its training triples (MIT)"
LINKING = {  # folder of a set that link weights are fitted on -> what of it is asked
    "entityquestions": "EntityQuestions, training questions (MIT)",
    "simplequestions_wikidata": SIMPLE,
}
WEBQUESTIONS = "WebQuestions, training part, with paths over FB15k-237 (CC BY 4.0, CC BY)"
SETS = {  # source of an example, as the mix calls it -> the set that it is from
    "simple": SIMPLE,
    "simple_found": SIMPLE,
    "simple_unmasked": SIMPLE,
    "kgconv": KGCONV,
    "entityquestions": ENTITY_QUESTIONS,
    "wikiweb": "WikiWebQuestions, training part (no text of it ships)",
    "webquestions": WEBQUESTIONS,
    "webquestions_unmasked": WEBQUESTIONS,
    "mintaka": "Mintaka, 500 training questions (CC BY 4.0)",
    "own": OWN,
    "off_topic": "our own questions off every topic (kgask/corpus/off_topic.txt)",
}
_WIKISQL = "WikiSQL, training part (BSD-3-Clause)"
_KQAPRO = "KQA Pro, training part (CC BY-SA 4.0; no text of it ships)"
_TABLES = "WikiTableQuestions, training part (CC BY-SA 4.0; no text of it ships)"
_WORDED = "our own questions about the demo pack and small tables of our own (kgask/corpus/worded)"
QUERY_SETS = {  # source of a question with a query -> the set that it is from
    "operators": "our own templates of questions with operators (kgask/corpus/operators)",
    "worded": _WORDED,
    **dict.fromkeys(("wikisql_path", "wikisql_count", "wikisql_value", "wikisql_filter", "wikisql_both"), _WIKISQL),
    **dict.fromkeys(("kqapro_qualifier", "kqapro_verify", "kqapro_multihop"), _KQAPRO),
    "qald": "QALD-7 over Wikidata, training part (MIT)",
    "tempqa": "TempQA-WD, dev part (CC0)",
    "wikiweb_whole": SETS["wikiweb"],
    **dict.fromkeys(("wtq_superlative", "wtq_comparison", "wtq_difference", "wtq_count", "wtq_value"), _TABLES),
}

JUDGED = {  # source of a question with queries to judge -> the set that it is from
    "composed": QUERY_SETS["operators"],
    "worded": _WORDED,
    "claims": "our own claims about the demo pack and small tables of our own (kgask/corpus/worded)",
    "evidence": "InfoTabS, training part (Apache-2.0), and the claims above, over what graphs say of them",
    "near": "wordings of relation paths (the sets above), asked of packs",
    "kqapro": _KQAPRO,
    "wikisql": _WIKISQL,
    "tables": _TABLES,
}
CONDITIONS = "our own conditions, put into questions (kgask/corpus/conditions.txt)"


def merged(*lists: Iterable[str]) -> list[str]:
    """Every entry once, in the order of its first mention."""
    return list(dict.fromkeys(entry for found in lists for entry in found))


def sets_of(sources: Iterable[str]) -> list[str]:
    """The sets of the mix's sources; a source that no set is known for stands under its own name."""
    known, found = SETS | QUERY_SETS, set(sources)
    return merged(entry for name, entry in known.items() if name in found) + sorted(found - set(known))


def base_encoder(name: str) -> str:
    return f"{name}, the encoder that training began with, and what that was trained on"


def of_folder(folder: Path) -> list[str]:
    """The list in a model folder's card; one entry that says so where it has none."""
    try:
        return of_content(json.loads((folder / MODEL_CARD).read_text(encoding="utf-8")), folder.name)
    except (OSError, ValueError):
        return unknown(folder.name)


def of_content(content: object, name: str) -> list[str]:
    """``training_data`` of a card or checkpoint; one entry that says so where it has none."""
    found = content.get("training_data") if isinstance(content, dict) else None
    if isinstance(found, str):
        return [found]
    return [str(entry) for entry in found] if isinstance(found, list) and found else unknown(name)


def unknown(name: str) -> list[str]:
    return [f"what {name} was trained on, which it does not say"]
