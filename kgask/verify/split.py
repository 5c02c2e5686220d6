"""A claim's sub-claims (KG-GPT, section 3.1, sentence segmentation): clauses, relative clauses, names that share one.

"Poe was born in Boston and died in Baltimore" says two things of Poe, "Kenya borders Uganda and Ethiopia" two of Kenya.
A claim is as false as its parts. A matter of form, as :mod:`kgask.verify.form`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgask.link.statements import main_verb, places_of
from kgask.verify.ellipsis import by_and_when, is_and_has, not_only, of_one, shared, years_of_one

MOST_PARTS = 6
MOST_SUBJECT = 8  # words of a clause before its verb
_AUXILIARY = r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would)(?:n['\u2019]t)?"
_PAST = (
    "wrote|won|sang|drew|made|led|took|gave|grew|began|became|fell|left|met|ran|rose|shot|sold|spoke|stood|taught|told|"
    "went|got|held|kept|lost|paid|put|read|rode|sent|spent|thought|wore|bore|built|came|drove|fought|found|flew|lay|"
    "never|also|later"
)
_PRONOUN = r"(?:he|she|it|they|his|her|its|their|the (?:country|city|film|movie|book|novel|man|woman|river|element))"
_VERB = (
    rf"(?:{_AUXILIARY}|{_PAST}|[a-z]{{2,}}ed)\b|[a-z]{{3,}}s\s+"
    r"(?=(?:an?|the|in|on|at|by|to|with|into|from|for|as|under|through|over|against|near|up|out|off|down|back|across|around|\d)\b|[A-Z])"
)
_WHILE = re.compile(r"(?:while|whereas|although|though|just as)\s+(?P<one>[^,]+),\s+(?P<other>.+)", re.I | re.DOTALL)
_BETWEEN = re.compile(
    r"\s*[.;:]\s+(?:and\s+|but\s+)?|\s*,?\s+(?:and|but|while|whereas|yet)\s+(?:also\s+)?|\s*,\s+", re.IGNORECASE
)
_THEN = re.compile(r"(?:finally|then|later|also|eventually|afterwards)\s+", re.IGNORECASE)
_SUBJECT_WITHIN = re.compile(r"\b(?:he|she|it|they)\b", re.IGNORECASE)
_OWN_WITHIN = re.compile(r"(?<=\b(?:is|as) )(?:his|her|its|their)\b|(?<=\b(?:was|are) )(?:his|her|its|their)\b", re.I)
_BOTH_DO = re.compile(
    r"(?:both of (?:them|these|those)|they both|both|each of (?:them|these)|the two)\s+(?=[a-z])", re.IGNORECASE
)
_APPOSED = re.compile(
    rf",\s+(?P<what>(?-i:[a-z])(?!ho\b|hich\b|hose\b)[^,]*),\s+(?P<rest>(?:{_VERB}).*)", re.IGNORECASE | re.DOTALL
)
_WHO = re.compile(r"\s*,\s+(?:who|which)\s+(?P<what>[^,]+)\s*,\s+(?P<rest>.+)", re.DOTALL)
_LAST_WHO = re.compile(r"\s*,\s+(?:who|which)\s+(?P<what>[^,]+)")
_TOGETHER = re.compile(
    r"\b(?:between|same|together|each other|one another|shares?(?!.* with )|than|combined|common|of whom|either|or|"
    r"married|equal|equally|average|total|sum|apart|older|younger|only|neighbou?rs|siblings|brothers|sisters|first|last)\b",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"(?i:neither) (?P<one>.+?) nor (?P<other>[A-Z]\S*(?: [A-Z]\S*)*) (?P<what>.+)", re.DOTALL)
_AFTER = re.compile(r"(?P<what>.+?) neither (?P<one>.+?),? nor (?P<other>.+)", re.IGNORECASE | re.DOTALL)
_ELSE = re.compile(r"\s*[;,]\s*(?:but\s+)?(?:somebody|someone|something) else (?:did|was|is|does|has)\Z", re.IGNORECASE)
_OPENING = re.compile(
    r"(?P<what>(?:born|raised|educated|married|buried|directed|written|discovered|founded|located|based|made|released|"
    r"published|composed|invented|built)\b[^,]*),\s+(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_IT_WAS = re.compile(
    r"\Ait (?:is|was) (?P<place>(?:in|on|at) .+?) that (?P<rest>(?:he|she|it|they)\b.+)", re.I | re.DOTALL
)
_THAT_OF = re.compile(r"(?P<name>[^,]+?),? (?:is |was )?(?:that|those) of (?P<rest>.+)", re.DOTALL)
_OWN = re.compile(r"(?P<name>.+?['\u2019]s) (?P<what>[a-z][a-z ]*?) (?:is|was)\b")
_OWN_TOO = re.compile(r"(?P<name>[^,]+?['\u2019]s) (?P<be>(?:is|was)\b.*)", re.DOTALL)
_ANYBODY = re.compile(
    r"(?:some|an?|any|at least|there|several|many|more|fewer|less|exactly|only|no|one|two|three)\b", re.I
)
_THERE = re.compile(r"\bthere(?:['\u2019]s| is| are| was| were)\b", re.I)
_PARTICIPLE = re.compile(r"(?:[a-z]{2,}ed|born|built|made|written|sung|won|found|set)\b")
_NO_NOUN = re.compile(r"(?:like|unlike|in|on|at|with|without|by|as|from|of|and|or|but|then|too|also|however|for|to)\b")
_WHEN = (
    r"(?:in|on)\s+(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+)?"
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+)?"
    r"(?:\d{1,2},\s+)?\d{3,4}"
)
_HAPPENED = re.compile(
    r"(?P<head>.*\b(?:born|died|passed away|buried|founded|established|built|signed|crowned|killed|married|opened))\s+"
    rf"(?:(?P<first>{_WHEN}),?\s+)?(?P<place>(?:in|at|near)\s+(?:the\s+)?[A-Z][^\d]*?)(?:,?\s+(?P<when>{_WHEN}))?"
)
_JOIN = re.compile(
    r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+as well as\s+|\s+nor\s+)(?:also\s+|partly\s+|even\s+)?"
    r"(?:(?P<place>to|in|from|of|with|by|at|on|into)\s+)?(?:the\s+)?"
)


def sub_claims(text: str, names: Sequence[str]) -> list[str]:
    """The sub-claims of a claim, in order; the claim alone where it says one thing.

    >>> sub_claims("Poe was born in Boston and died in Baltimore", ["Poe", "Boston", "Baltimore"])
    ['Poe was born in Boston', 'Poe died in Baltimore']
    >>> sub_claims("Kenya borders Uganda and Ethiopia", ["Kenya", "Uganda", "Ethiopia"])
    ['Kenya borders Uganda', 'Kenya borders Ethiopia']
    >>> sub_claims("Kenya, which borders Uganda, is in Africa", ["Kenya", "Uganda", "Africa"])
    ['Kenya borders Uganda', 'Kenya is in Africa']
    """
    text = not_only(_ELSE.sub("", text))
    if neither := _NEITHER.fullmatch(text):
        return [f"it is not true that {neither[name]} {neither['what']}" for name in ("one", "other")]
    if after := _AFTER.fullmatch(text):
        return [f"it is not true that {after['what']} {after[name]}" for name in ("one", "other")]
    clauses = [part for clause in _clauses(text, names) for part in _where_and_when(clause)]
    if clauses == [text]:  # which is read as one too
        clauses = is_and_has(text, names) or clauses
    found = [part for clause in clauses for one in _each_year(clause) for part in _each_name(one, names)]
    return found if len(found) <= MOST_PARTS else [text]


def may_be_one(claim: str, names: Sequence[str], has_statements: bool) -> bool:
    """Whether one query may say all of a claim that is divided: what something is and by whom, or, in a statement with
    a qualifier, where or by whom something was done and when."""
    return bool(is_and_has(claim, names)) or (has_statements and len(_where_and_when(claim)) > 1)


def _clauses(text: str, names: Sequence[str]) -> list[str]:
    closed = places_of(text, names)
    if (opening := _OPENING.fullmatch(text)) and (verb := main_verb(opening["rest"], names)):
        subject = opening["rest"][: verb[0]].strip()
        return [f"{subject} was {opening['what'][:1].lower()}{opening['what'][1:]}", *_clauses(opening["rest"], names)]
    if (both := _WHILE.fullmatch(text)) and all(main_verb(both[one], names) for one in ("one", "other")):
        return [part for one in ("one", "other") for part in _clauses(both[one], names)]
    if in_full := shared(text, names):
        return [part for one in in_full for part in _clauses(one, names)]
    if within := _relative(text, closed):
        return [part for one in within for part in _clauses(one, names)]
    for found in _BETWEEN.finditer(text):
        start, end = found.span()
        head, tail = text[:start], text[end:]
        if any(first < end and start < last for first, last in closed) or not head or not tail:
            continue
        verb = main_verb(head, names)
        if verb is None:
            continue
        subject = head[: verb[0]].strip()
        if subject.endswith(","):
            continue
        if (gapped := _THAT_OF.fullmatch(tail)) and " of " in head[verb[0] :]:
            return [head, f"{gapped['name']} {head[verb[0] : head.rindex(' of ')]} of {gapped['rest']}"]
        if (own := _OWN.match(head)) and (too := _OWN_TOO.fullmatch(tail)):
            return [head, f"{too['name']} {own['what']} {too['be']}"]
        if placed := _IT_WAS.match(tail):
            tail = f"{placed['rest']} {placed['place']}"
        before = [head[first:last] for first, last in sorted(places_of(subject, names))]
        if (both := _BOTH_DO.match(tail)) and len(before) > 1:
            return [head, *(f"{name} {of_one(tail[both.end() :])}" for name in before)]
        tail = _THEN.sub("", tail, count=1) if _THEN.match(tail) else tail
        if re.match(rf"{_PRONOUN}\b", tail, re.IGNORECASE):
            named = [head[first:last] for first, last in sorted(places_of(head, names))]
            return [head, *_clauses(_with_subject(tail, subject, named), names)]
        if re.match(_VERB, tail) or _is_verb_too(head, verb, tail, names):
            return [head, *_clauses(f"{subject} {tail}", names)]
        if found[0].strip() == ",":
            continue
        own = _outside(_OWN_WITHIN, tail, places_of(tail, names))
        if own is not None and before and main_verb(tail, names) and not re.search(r",| and ", tail[: own.start()]):
            return [head, *_clauses(f"{tail[: own.start()]}{subject}'s{tail[own.end() :]}", names)]
        pronoun = _outside(_SUBJECT_WITHIN, tail, places_of(tail, names))
        if pronoun is not None and before and main_verb(tail, names):
            return [head, *_clauses(f"{tail[: pronoun.start()]}{subject}{tail[pronoun.end() :]}", names)]
        if _is_clause(tail, names, is_sure=found[0].lstrip().startswith(",")):
            return [head, *_clauses(tail, names)]
    return [text]


def _is_verb_too(head: str, verb: tuple[int, int], tail: str, names: Sequence[str]) -> bool:
    """Whether what follows a name is a verb as the one before is: "comes from Rome and loves opera".

    Behind a noun it may be another one: "has lakes and rivers".
    """
    is_behind_name = any(last == len(head) for _, last in places_of(head, names)) or head[-1].isdigit()
    like = r"[a-z]{3,}s [a-z]" if head[slice(*verb)].endswith("s") else r"[a-z]{3,}s [a-z]+(?:ed|en|ing)\b"
    return is_behind_name and re.match(like, tail) is not None


def _relative(text: str, closed: Sequence[tuple[int, int]]) -> list[str]:
    """ "X, who was born in Y, wrote Z" as two."""
    for first, last in closed if not _OPENING.match(text) else ():
        apposed = _APPOSED.fullmatch(text, last) if first == 0 or text[:first].lower() == "the " else None
        if apposed and not _NO_NOUN.match(apposed["what"]):
            verb = "was" if _PARTICIPLE.match(apposed["what"]) else "is"
            return [f"{text[:last]} {verb} {apposed['what']}", f"{text[:last]} {apposed['rest']}"]
    for pattern in (_WHO, _LAST_WHO):
        for first, last in closed:
            found = pattern.match(text, last)
            if found is None or (pattern is _LAST_WHO and found.end() != len(text)):
                continue
            name, rest = text[first:last], found.groupdict().get("rest")
            return [f"{name} {found['what']}", f"{text[:last]} {rest}" if rest else text[:last]]
    return []


def _with_subject(tail: str, subject: str, named: Sequence[str]) -> str:
    """A clause with the subject in the place of its pronoun; "the country" is what was named last."""
    if tail.lower().startswith("the country") and named:
        subject = named[-1]
    own = re.match(r"(?:his|her|its|their)\b", tail, re.IGNORECASE)
    place = f"{subject}'s" if own else subject
    return re.sub(rf"\A{_PRONOUN}\b", lambda _: place, tail, count=1, flags=re.IGNORECASE)


def _outside(pattern: re.Pattern[str], text: str, closed: Sequence[tuple[int, int]]) -> re.Match[str] | None:
    """The first match that is in no name."""
    every = pattern.finditer(text)
    return next((one for one in every if all(one.end() <= start or end <= one.start() for start, end in closed)), None)


def _is_clause(tail: str, names: Sequence[str], is_sure: bool) -> bool:
    """Whether what follows has a name before a verb of its own; after ", and" (``is_sure``) a name anywhere."""
    verb = main_verb(tail, names)
    if verb is None:
        return False
    subject = tail[: verb[0]]
    is_short = len(subject.split()) <= MOST_SUBJECT and not re.search(r",| and |\bbut\s*\Z", subject)
    return is_short and any(is_sure or first < verb[0] for first, _ in places_of(tail, names))


def _where_and_when(clause: str) -> list[str]:
    """What happened at a place and at a time, as two.

    >>> _where_and_when("Poe was born in Boston on 19 January 1809")
    ['Poe was born in Boston', 'Poe was born on 19 January 1809']
    """
    found = _HAPPENED.fullmatch(clause)
    if found is None or not (found["when"] or found["first"]):
        return by_and_when(clause) or [clause]
    when = found["when"] or found["first"]
    return [f"{found['head']} {found['place']}", f"{found['head']} {when}"]


def _each_year(clause: str) -> list[str]:
    return [clause] if _TOGETHER.search(clause) else years_of_one(clause)


def _each_name(clause: str, names: Sequence[str]) -> list[str]:
    """The clause once for each of several names that stand in one place of it."""
    if _TOGETHER.search(clause) or _ANYBODY.match(clause) or _THERE.search(clause):
        return [clause]
    closed = sorted(places_of(clause, names))
    for at, (first, last) in enumerate(closed):
        row = [(first, last)]
        for start, end in closed[at + 1 :]:
            join = _JOIN.fullmatch(clause, row[-1][1], start)
            if join is None or (join["place"] and not clause[:first].rstrip().lower().endswith(f" {join['place']}")):
                break
            row.append((start, end))
        if len(row) > 1 and " and " in clause[first : row[-1][1]]:
            before, after = clause[:first], clause[row[-1][1] :]
            before = re.sub(r"\bboth\s+(?:the\s+)?\Z", "", before, flags=re.IGNORECASE)
            if not before.strip() and after.startswith(" "):
                after = f" {of_one(after[1:])}"
            return [f"{before}{clause[start:end]}{after}" for start, end in row]
    return [clause]
