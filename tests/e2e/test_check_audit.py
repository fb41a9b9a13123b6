"""The audit of fresh tasks, on few: `check_audit.py` is run by hand with a thousand."""

import re
from pathlib import Path

import pytest
from check_audit import main  # found by conftest's path

OPEN = {
    "several_candidates", "all_candidates", "unsure_statement", "several_answers",
    "unsure_answer", "wrong_currency", "wrong_unit", "answer_in_wrong_unit",
    "sent_instead_of_drafted", "extra_recipient", "in_markdown", "negated_statement",
    "denied_for_another", "negated_answer",
}  # fmt: skip
"""Kinds that the verifier misjudges now and then; a repair takes its name out."""


def test_the_verifier_judges_fresh_outcomes_as_a_person_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--n", "6", "--seed", "4711", "--scale", "60"]
    main([*few, "--out", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "audited 6 tasks" in shown
    wrong = re.findall(r"^WRONG  (.*)$", shown, re.MULTILINE)
    kinds = [re.fullmatch(r"misjudged: \S+: (\w+) \(\w+\)", line) for line in wrong]
    assert [line for line, kind in zip(wrong, kinds, strict=True) if not kind] == []
    assert {kind.group(1) for kind in kinds if kind} <= OPEN
