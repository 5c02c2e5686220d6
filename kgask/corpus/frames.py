"""Verb frames: one line of ``wordings.txt`` becomes the many ways to say it.

Three shapes cover most relations of English: the object acts on the subject
(``=v write wrote written``), the subject acts (``=s study studied at``), and
the subject is in a state (``=p was born in``). ``=e film|movie > director``
names what stands at either end. ``{x}`` is the topic; ``+`` asks for the
object, ``-`` for the subject.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FORWARD, INVERSE = "+", "-"
PEOPLE = frozenset("PR")  # type letters of those who are asked for with "who"
_IRREGULAR = {"person": "people", "man": "men", "woman": "women", "child": "children", "wife": "wives",
              "series": "series", "species": "species", "money": "money"}  # fmt: skip

_PARTICIPLES = frozenset(
    "used spoken given won received played attended held lived worked written produced made".split()  # noqa: SIM905
)


def plural(noun: str) -> str:
    """The plural of an English noun; regular but for the few words we use."""
    head, _, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        last = last[:-1] + "ies"
    else:
        last += "es" if last.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{head} {last}".strip()


def many(label: str) -> str:
    """The plural of a relation's text, which may be one already: *kinds of music*."""
    head, of, rest = label.partition(" of ")
    if of:
        return f"{many(head)} of {rest}"
    noun, _, last = head.rpartition(" ")
    if noun and (last in _PARTICIPLES or "," in noun):  # languages spoken, currencies used
        return label if "," in noun else f"{many(noun)} {last}"
    if last in _IRREGULAR.values() or (head.endswith("s") and not head.endswith("ss")):
        return label
    return plural(label)


def singular(noun: str) -> str:
    """Back from :func:`plural`, for the nouns we use."""
    if noun in ("movies", "series", "species"):
        return noun.removesuffix("s") if noun == "movies" else noun
    back = {many: one for one, many in _IRREGULAR.items()}
    if noun in back:
        return back[noun]
    return noun[:-3] + "y" if noun.endswith("ies") else noun.removesuffix("s")


def article(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "aeiou" and not noun.startswith(("uni", "one")) else f"a {noun}"


@dataclass(slots=True)
class Frames:
    """The frame lines of one block."""

    subjects: list[str] = field(default_factory=list)  # nouns, singular
    objects: list[str] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)  # (v, s or p; the rest of the line)

    def add(self, line: str) -> None:
        """One ``=`` line; raises ValueError for a shape that is unknown."""
        kind, text = line[1:2], line[2:].strip()
        if kind == "e":
            self.subjects, self.objects = ([n.strip() for n in part.split("|")] for part in text.split(">"))
        elif kind in ("v", "s", "p") and len(text.split()) >= 2:
            self.lines.append((kind, text))
        else:
            raise ValueError(line)


Said = dict[str, list[str]]  # direction -> texts


def expand(frames: Frames, subject_types: str, literal: str) -> tuple[Said, Said]:
    """Questions and noun phrases, by direction, of all frames of a block."""
    questions: Said = {FORWARD: [], INVERSE: []}
    phrases: Said = {FORWARD: [], INVERSE: []}
    people = subject_types[:1] in PEOPLE
    subjects = frames.subjects or ["person" if people else "thing"]
    objects = frames.objects or ["thing"]
    makers = {"v": _object_acts, "s": _subject_acts, "p": _subject_is}
    for row, (kind, text) in enumerate(frames.lines):
        subject = subjects[min(row, len(subjects) - 1)]  # a film is directed, a book is published
        # Nothing is released "in a date": of several nouns for a literal only the first fits every frame.
        for noun in objects[:1] if literal else objects[:2]:
            made = makers[kind](text.split(), subject, noun, people)
            for table, sides in ((questions, made[:2]), (phrases, made[2:])):
                for direction, texts in zip((FORWARD, INVERSE), sides, strict=True):
                    table[direction].extend(text for text in texts if text not in table[direction])
    return questions, phrases


def _object_acts(words: list[str], subject: str, actor: str, _: bool) -> tuple[list[str], ...]:
    base, past, done = words[0], words[1], " ".join(words[2:])
    many = plural(subject)
    return (
        [f"who {past} {{x}}", f"by whom was {{x}} {done}", f"{{x}} was {done} by whom", f"who was {{x}} {done} by",
         f"which {actor} {past} {{x}}", f"what is the name of the {actor} who {past} {{x}}",
         f"{{x}} was {done} by which {actor}", f"who {past} the {subject} {{x}}"],
        [f"what did {{x}} {base}", f"which {many} did {{x}} {base}", f"what {many} were {done} by {{x}}",
         f"{{x}} {past} which {many}", f"which {subject} was {done} by {{x}}", f"{many} {done} by {{x}}",
         f"what are the {many} {{x}} {past}", f"what {many} has {{x}} {done}", f"name {article(subject)} {{x}} {past}"],
        [f"the {actor} who {past} {{x}}", f"the {actor} that {past} {{x}}", f"the one who {past} {{x}}",
         f"the {actor} by whom {{x}} was {done}", f"whoever {past} {{x}}", f"the {plural(actor)} who {past} {{x}}",
         f"the {actor} of the {subject} {{x}}"],
        [f"{many} {done} by {{x}}", f"{many} that {{x}} {past}", f"the {many} which {{x}} {past}",
         f"the {many} {{x}} {past}", f"{many} that were {done} by {{x}}", f"{article(subject)} {done} by {{x}}",
         f"what {{x}} {past}"],
    )  # fmt: skip


def _subject_acts(words: list[str], subject: str, noun: str, people: bool) -> tuple[list[str], ...]:
    base, past, link = words[0], words[1], " ".join(words[2:])
    tail = f" {link}" if link else ""
    many = plural(subject)
    who, that = ("who", "who") if people else (f"which {many}", "that")
    moved = [f"{link} which {noun} did {{x}} {base}"] if link else [f"name the {noun} that {{x}} {past}"]
    moved_phrase = [f"the {noun} {link} which {{x}} {past}"] if link else [f"what {{x}} {past}"]
    return (
        [f"which {noun} did {{x}} {base}{tail}", f"what {noun} did {{x}} {base}{tail}",
         f"{{x}} {past}{tail} which {noun}", f"what is the {noun} {{x}} {past}{tail}", *moved],
        [f"{who} {past}{tail} {{x}}", f"which {subject} {past}{tail} {{x}}", f"name {many} {that} {past}{tail} {{x}}",
         f"what is the name of {article(subject)} {that} {past}{tail} {{x}}"],
        [f"the {noun} {{x}} {past}{tail}", f"the {noun} that {{x}} {past}{tail}",
         f"{article(noun)} {{x}} {past}{tail}", f"the {plural(noun)} {{x}} {past}{tail}", *moved_phrase],
        [f"{many} {that} {past}{tail} {{x}}", f"{article(subject)} {that} {past}{tail} {{x}}",
         f"the {many} {that} {past}{tail} {{x}}", f"those {that} {past}{tail} {{x}}"],
    )  # fmt: skip


def _subject_is(words: list[str], subject: str, noun: str, people: bool) -> tuple[list[str], ...]:
    verb, state, link = words[0], " ".join(words[1:-1]), words[-1]
    verbs = {"was": "were", "is": "are"}[verb]
    many = plural(subject)
    who, that = ("who", "who") if people else (f"which {subject}", "that")
    return (
        [f"{link} which {noun} {verb} {{x}} {state}", f"which {noun} {verb} {{x}} {state} {link}",
         f"{{x}} {verb} {state} {link} which {noun}", f"{link} what {noun} {verb} {{x}} {state}",
         f"what {noun} {verb} {{x}} {state} {link}"],
        [f"{who} {verb} {state} {link} {{x}}", f"which {many} {verbs} {state} {link} {{x}}",
         f"name {article(subject)} {state} {link} {{x}}", f"{many} {state} {link} {{x}}",
         f"what {many} {verbs} {state} {link} {{x}}"],
        [f"the {noun} {link} which {{x}} {verb} {state}", f"the {noun} {{x}} {verb} {state} {link}",
         f"the {noun} that {{x}} {verb} {state} {link}"],
        [f"{many} {state} {link} {{x}}", f"{many} {that} {verbs} {state} {link} {{x}}",
         f"{article(subject)} {state} {link} {{x}}", f"the {many} {state} {link} {{x}}"],
    )  # fmt: skip


def also(frames: Frames, noun: str, topic: str) -> list[str]:
    """There and back with the verb of the relation: *what else did the author of {topic} write*."""
    said = []
    for kind, text in frames.lines:
        base, past, *done = text.split()
        for agent in _agents(frames) if kind == "v" else ():
            state = " ".join(done)
            said += [
                f"what else did the {agent} of {topic} {base}", f"which other {noun} did {topic}'s {agent} {base}",
                f"the {agent} of {topic} also {past} which {noun}", f"the {agent} of {topic} {past} what else",
                f"what other {noun} were {state} by the same {agent} as {topic}",
                f"{noun} {state} by the same {agent} as {topic}", f"{noun} by the same {agent} as {topic}",
            ]  # fmt: skip
    return said


def together(frames: Frames, noun: str, topic: str) -> list[str]:
    """Back and there with the verb of the relation: *who wrote books together with {topic}*."""
    said = []
    for kind, text in frames.lines:
        base, past, *_ = text.split()
        for agent in _agents(frames) if kind == "v" else ():
            said += [
                f"who {past} {noun} together with {topic}", f"with whom did {topic} {base} {noun}",
                f"who co-{past} {noun} with {topic}", f"who is a co-{agent} of {topic}",
                f"which {many(agent)} worked with {topic}", f"name {article(agent)} that {past} {noun} with {topic}",
            ]  # fmt: skip
    return said


def _agents(frames: Frames) -> list[str]:
    """Nouns for the object that say what it did: authors, no persons."""
    return [noun for noun in frames.objects if noun not in ("person", "company", "man", "woman")][:2]
