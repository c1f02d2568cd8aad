"""The pages `docs/rulebooks/<rulebook>.md`: a register as a table."""

from __future__ import annotations

from collections import Counter

from cutcard.rulebooks.register.entries import KINDS, register

CASES = "../../../host/cutcard/cases/library"  # from docs/reference/rulebooks

_MEANS = {
    "money": "about money",
    "procedure": "about procedure",
    "equipment": "about equipment",
    "discretion": "at the discretion of the house",
    "outside": "outside the product",
}


def register_page(name: str) -> str:
    title, lines = register(name)
    count: Counter[str] = Counter(line.kind for line in lines for _ in line.numbers)
    kinds = ", ".join(f"{count[kind]} {_MEANS[kind]}" for kind in KINDS if count[kind])
    page = [
        f"# {title}: the rules and their implementation",
        "",
        f"{count.total()} rules: {kinds}. Generated from "
        f"`host/cutcard/rulebooks/register/{name}.toml` by "
        f"`cutcard rulebook register {name} --markdown`. "
        "The summaries are ours; the text of the rulebook prevails.",
        "",
        "| rule | kind | summary | implementation | case |",
        "|---|---|---|---|---|",
    ]
    for line in lines:
        where = f"`{line.by.removeprefix('cutcard.')}`" if line.by else ""
        case = f"[{line.case}]({CASES}/{line.case})" if line.case else ""
        page.append(f"| {', '.join(line.rules)} | {line.kind} | {line.says} | {where} | {case} |")
    return "\n".join(page) + "\n"
