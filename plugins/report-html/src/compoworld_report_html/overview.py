"""Overview: how the policies did, and how the tasks came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from compoworld_report_html.collection import Collection, Series
from compoworld_report_html.markup import Markup, Node, element


def header(found: Collection, title: str) -> Markup:
    """The title, and what the page is about in a sentence."""
    return element(
        "header", element("h1", title), element("p", " · ".join(_facts(found)), class_="lead")
    )


def _facts(found: Collection) -> Iterator[str]:
    if found.total_tasks:
        yield f"{found.total_tasks} task{'s' * (found.total_tasks != 1)}"
        yield f"{len(found.names)} services"
        lengths = [len(task.walk) for task in found.tasks]
        if lengths:
            yield f"walks of {min(lengths)} to {max(lengths)} visits"
    rollouts = sum(series.total.rollouts for series in found.series)
    if rollouts:
        yield f"{rollouts} rollouts"


def policy_table(found: Collection) -> Markup | None:
    """A row per policy: pass rate, uniform score, reward."""
    if not found.series:
        return None
    head = [element("th", name) for name in ("Policy", "Pass rate", "Uniform", "Reward")]
    counts = ("Rollouts", "Errors", "Calls each")
    head += [element("th", name, class_="number") for name in counts]
    return _section(
        "Policies",
        element(
            "div",
            element(
                "table",
                element("thead", element("tr", head)),
                element("tbody", [_policy(series) for series in found.series]),
                class_="policies",
            ),
            class_="scroll",
        ),
        element(
            "p",
            "A rollout passes where all criteria and gates hold. Uniform is the mean share of"
            " criteria that hold; reward is what the run was scored with. A rollout that ended"
            " in an error counts as 0.",
            class_="note",
        ),
    )


def _policy(series: Series) -> Markup:
    total = series.total
    return element(
        "tr",
        element("th", series.label, scope="row"),
        element("td", _bar(total.mean("passed")), f"{total.mean('passed'):.1%}", class_="wide"),
        element("td", _bar(total.mean("uniform")), f"{total.mean('uniform'):.3f}"),
        element("td", _bar(total.mean("reward")), f"{total.mean('reward'):.3f}"),
        element("td", total.rollouts, class_="number"),
        element("td", total.errors, class_="number"),
        element("td", f"{total.mean('calls'):.1f}", class_="number"),
    )


def _bar(share: float) -> Markup:
    full = max(0.0, min(1.0, share)) * 100
    inner = element("span", "", class_="fill", style=f"width:{full:.1f}%")
    return element("span", inner, class_="bar", aria_hidden="true")


def generation(found: Collection) -> Markup | None:
    """How many tries were accepted, what refused the others, and which services are used."""
    if not found.tries and not found.names:
        return None
    accepted = sum("task" in each for each in found.tries)
    refused = Counter(str(each.get("probe")) for each in found.tries if "task" not in each)
    columns: list[Node] = []
    if found.tries:
        text = f"{accepted} of {len(found.tries)} tries accepted"
        text += "; refused by:" if refused else "."
        columns.append(
            element(
                "div", element("h3", "Tries"), element("p", text, class_="note"),
                _counts(refused.most_common(), "refused by") if refused else None,
            )
        )  # fmt: skip
    if found.names:
        used = sorted(found.names.items(), key=lambda pair: (-pair[1], pair[0]))
        columns.append(
            element("div", element("h3", "Services in walks"), _counts(used, "service"))
        )
    return _section("Tasks made", element("div", columns, class_="columns"))


def _counts(pairs: list[tuple[str, int]], what: str) -> Markup:
    most = max(count for _, count in pairs)
    rows = [
        element(
            "tr", element("th", name, scope="row"),
            element("td", _bar(count / most)), element("td", count, class_="number"),
        )
        for name, count in pairs
    ]  # fmt: skip
    return element("table", element("tbody", rows), class_="counts", aria_label=what)


def _section(title: str, *children: Node) -> Markup:
    return element("section", element("h2", title), *children)
