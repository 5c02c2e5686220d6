"""A relation said as a modifier, a verb, a negation or a statement, from its frames or from a file's few forms."""

from __future__ import annotations

import re
from dataclasses import replace

from kgask.corpus.compose_paths import noun_texts
from kgask.corpus.frames import Frames, article, many, plural
from kgask.corpus.operator_files import Entry
from kgask.corpus.wordings import RelationWordings

_ONE = {"are": "is", "were": "was", "have": "has", "do": "does", "go": "goes"}
_BE = ("are", "were", "can")
_PERFECT = re.compile(r"(\w+ed|won|been) ")
_MEMBERS = {  # what several are, and one of them
    "members": "a member", "citizens": "a citizen", "natives": "a native", "children": "a child",
    "students": "a student", "parents": "a parent", "twin": "a twin", "sister": "a sister",
}  # fmt: skip


_NO_NOUNS = re.compile(
    r"(follows|adjoins|replaces|flows|empties|lies|depicts|orbits|revolves|endangered|next$|previous|where|from|until|"
    r"start$|elected|founded|runs|plays|took|won|belongs|features|lives|starred|dissolved|abolished|male or)\b"
)


def labels_of(wording: RelationWordings) -> list[str]:
    """The relation's texts that name what it leads to; none of a relation that has verbs only: *father of*."""
    return [text for text in noun_texts(wording) if text in wording.texts and not _NO_NOUNS.match(text)]


def branch_of(wording: RelationWordings) -> Entry | None:
    """How a relation narrows what it is said of, by its frames and its label; None where its ends are literals."""
    if wording.literal or "S" in wording.range or wording.range == "":
        return None
    mods, verbs, asks = _framed(wording.frames)
    labels = labels_of(wording)
    label = labels[0] if labels else ""
    if label and many(label) == label:
        mods += [f"with {{x}} among their {label}", f"whose {label} include {{x}}"]
        verbs.append(f"have {{x}} among their {label}")
    elif label:
        mods += [f"whose {label} is {{x}}", f"with {{x}} as {label}"]
        verbs.append(f"have {{x}} as {label}")
    nouns = tuple(plural(noun) for noun in wording.frames.subjects[:1])
    keys = tuple(text for label in labels[:3] for text in (f"{label} {{x}}", f"{{x}} {label}"))
    forms = {"mod": tuple(mods), "verb": tuple(verbs), "noun": nouns, "ask": tuple(asks), "key": keys}
    return with_predicates(Entry(((wording.key, False),), wording.domain, "", forms, wording.range))


def _framed(frames: Frames) -> tuple[list[str], list[str], list[str]]:
    """Modifiers, verbs, and questions where the named thing acts: *did {x} direct*."""
    mods, verbs, asks = [], [], []
    for kind, text in frames.lines:
        first, second, *rest = text.split()
        tail = " ".join(rest)
        if kind == "v":
            mods.append(f"{tail} by {{x}}")
            verbs.append(f"were {tail} by {{x}}")
            asks += [f"did {{x}} {first}", f"has {{x}} {tail}"]
        elif kind == "s":
            verbs.append(" ".join(f"{second}/{first} {tail} {{x}}".split()))
        else:
            mods.append(f"{second} {tail} {{x}}")
            verbs.append(f"{ {'was': 'were', 'is': 'are'}[first] } {second} {tail} {{x}}")
    return mods, verbs, asks


def with_predicates(entry: Entry) -> Entry:
    """An entry with all that follows from its forms ``mod`` (after a plural) and ``verb`` (of a plural).

    ``modone`` stands after a singular, ``modnot`` denies; ``verbone``, ``not``
    and ``notone`` are verbs; ``any`` asks whether any {n} do. A past tense is given as *won/win {x}*.
    """
    that = "who" if entry.letters == "P" else "that"
    verbs = [_voices(verb) for verb in entry.forms.get("verb", ())]
    mods = entry.forms.get("mod", ())
    neutral = tuple(mod for mod in mods if not mod.startswith(("that ", "who ")))
    denied = tuple(no for mod in neutral if (no := _denied(mod)))
    forms = {
        **entry.forms,
        "mod": (*mods, *(f"{that} {v[0]}" for v in verbs)),
        "modone": (*neutral, *(f"{that} {v[1]}" for v in verbs)),
        "modnot": (*denied, *(f"{that} {v[2]}" for v in verbs)),
        "modnotone": (*denied, *(f"{that} {v[3]}" for v in verbs)),
        "verb": tuple(v[0] for v in verbs),
        "verbone": tuple(v[1] for v in verbs),
        "not": tuple(v[2] for v in verbs),
        "notone": tuple(v[3] for v in verbs),
        "any": tuple(v[4] for v in verbs),
    }
    return replace(entry, forms={form: texts for form, texts in forms.items() if texts})


def joined(first: Entry, then: Entry) -> Entry:
    """Two relations as one: *whose director was born in {x}*."""
    label = first.forms["noun"][0]
    that = "who" if first.ends == "P" else "that"
    said = then.forms["verbone"]
    mods = [f"whose {label} {verb}" for verb in said] + [f"with {article(label)} {that} {verb}" for verb in said]
    verbs = [f"have {article(label)} {that} {verb}" for verb in said]
    forms = {"mod": tuple(mods), "verb": tuple(verbs)}
    return with_predicates(Entry((*first.path, *then.path), first.letters, "", forms, then.ends))


def _voices(verb: str) -> tuple[str, str, str, str, str]:
    """Of several, of one, both denied, and asked of any {n}."""
    first, _, rest = verb.partition(" ")
    if "/" in first:
        past, base = first.split("/")
        denied, asked = f"did not {base} {rest}", f"did any {{n}} {base} {rest}"
        return f"{past} {rest}", f"{past} {rest}", denied, denied, asked
    one = _ONE.get(first) or ("can" if first == "can" else plural(first))
    if first in _BE or (first == "have" and _PERFECT.match(rest)):
        noun, _, tail = rest.partition(" ")
        single = (
            f"{_MEMBERS[noun]} {tail}".replace("towns", "town").replace("cities", "city") if noun in _MEMBERS else rest
        )
        return verb, f"{one} {single}", f"{first} not {rest}", f"{one} not {single}", f"{first} any {{n}} {rest}"
    return verb, f"{one} {rest}", f"do not {verb}", f"does not {verb}", f"do any {{n}} {verb}"


def _denied(mod: str) -> str | None:
    """*not directed by {x}*, *whose capital is not {x}*, *without {x} as capital*."""
    if mod.startswith("whose "):
        for said, denied in ((" is {x}", " is not {x}"), (" include {x}", " do not include {x}")):
            if mod.endswith(said):
                return mod.removesuffix(said) + denied
        return None
    if mod.startswith("with "):
        return f"without {mod[5:]}"
    return f"not {mod}"


def facts_of(wording: RelationWordings) -> list[Entry]:
    """Statements that {x} has the relation to {y}: after *is*, whole, and after *did*."""
    if wording.literal or "S" in wording.range:
        return []
    be, plain, did = [], [], []
    for kind, text in wording.frames.lines:
        first, second, *rest = text.split()
        tail = " ".join(rest)
        if kind == "v":
            be.append(f"{{x}} {tail} by {{y}}")
            plain += [f"{{y}} {second} {{x}}", f"{{x}} was {tail} by {{y}}"]
            did.append(f"{{y}} {first} {{x}}")
        elif kind == "s":
            plain.append(" ".join(f"{{x}} {second} {tail} {{y}}".split()))
            did.append(" ".join(f"{{x}} {first} {tail} {{y}}".split()))
        else:
            be.append(f"{{x}} {second} {tail} {{y}}")
            plain.append(f"{{x}} {first} {second} {tail} {{y}}")
    keys: list[str] = []
    for label in labels_of(wording)[:4]:
        keys += [f"{{y}} {label} {{x}}", f"{{y}} {label} of {{x}}", f"{{x}} {label} {{y}}"]
        if many(label) == label:
            be.append(f"{{y}} among the {label} of {{x}}")
            plain += [f"{{y}} is among the {label} of {{x}}", f"the {label} of {{x}} include {{y}}"]
            did.append(f"{{x}} have {{y}} among its {label}")
            continue
        be += [f"{{y}} the {label} of {{x}}", f"the {label} of {{x}} {{y}}", f"{{y}} {{x}}'s {label}"]
        be.append(f"{{y}} {article(label)} of {{x}}")
        plain += [f"{{y}} is the {label} of {{x}}", f"the {label} of {{x}} is {{y}}", f"{{x}}'s {label} is {{y}}"]
        did.append(f"{{x}} have {{y}} as {label}")
    forms = {"is": tuple(be), "plain": tuple(plain), "inf": tuple(did), "key": tuple(keys)}
    entry = Entry(((wording.key, False),), wording.domain, "", {form: texts for form, texts in forms.items() if texts})
    return [entry]
