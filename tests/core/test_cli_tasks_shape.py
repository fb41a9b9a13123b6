"""`compoworld tasks` stats, split, curriculum, and the dials of generate."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compoworld_core import generation, plugins
from compoworld_core.cli import run
from compoworld_core.likeness import NEAR
from compoworld_core.run import Run

SERVICES = Path(__file__).parents[1] / "services"
REQUEST = ["--generator", "sample", "--distractors", "0", "--scale", "60"]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The sample services and their generator are installed, and no other service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SERVICES / "installed"))
        patch.setenv("PYTHONPATH", f"{SERVICES}{os.pathsep}{SERVICES / 'installed'}")
        patch.setenv("COMPOWORLD_DISABLE_PLUGINS", "services")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        plugins.current.cache_clear()
        yield
    plugins.current.cache_clear()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four tasks."""
    path = tmp_path_factory.mktemp("made") / "run"
    assert run(["tasks", "generate", "--n", "4", *REQUEST, "--out", str(path)]) == 0
    return path


def answer(capsys: Capture) -> Any:
    return json.loads(capsys.readouterr().out)


def rescored(path: Path, out: Path, *scores: float) -> Path:
    """The run with other scores, in the order of its tasks."""
    shutil.copytree(path, out)
    lines = []
    for line, score in zip(
        (path / "tasks.jsonl").read_text().splitlines(), scores, strict=True
    ):
        task = json.loads(line)
        task["difficulty"]["score"] = score
        lines.append(json.dumps(task))
    (out / "tasks.jsonl").write_text("\n".join(lines) + "\n")
    return out


def ids(path: Path) -> list[str]:
    return [task.id for task in Run.open(path).tasks()]


# -- generate ------------------------------------------------------------------------------


def test_a_task_outside_the_difficulty_is_refused_before_its_proof(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "prove", None)
    words = ["--difficulty", "0:0.01", "--n", "2", "--max-tries", "3"]
    args = ["tasks", "generate", *REQUEST, *words, "--out", str(tmp_path / "run"), "--json"]
    assert run(args) == 1
    found = answer(capsys)
    assert (found["accepted"], found["rejected"]) == (0, {"difficulty": 3})
    assert found["reasons"]["difficulty"] == {"… is above": 3}


def test_ranges_are_part_of_the_request(tmp_path: Path) -> None:
    path = tmp_path / "run"
    words = ["--k", "2:5", "--distractors", "0:3", "--difficulty", "0.1:1", "--n", "1"]
    request = ["--generator", "sample", "--scale", "60"]
    assert run(["tasks", "generate", *request, *words, "--out", str(path)]) == 0
    said = Run.open(path).configuration
    assert (said["k"], said["most_k"], said["walk"]) == (2, 5, [2, 12])
    assert (said["distractors"], said["most_distractors"]) == (0, 3)
    assert said["difficulty"] == [0.1, 1.0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--difficulty", "hard"], "write it as 0.2:0.8"),
        (["--difficulty", "0.8:0.2"], "write it as 0.2:0.8"),
        (["--k", "5:2"], "k from 5 to 2 is no range"),
        (["--k", "few"], "is no range; write it as 7:12"),
        (["--k", "2:6"], "6 services are wanted for each task and there are 5"),
    ],
)
def test_what_is_no_range_is_said(
    tmp_path: Path, capsys: Capture, words: list[str], said: str
) -> None:
    assert run(["tasks", "generate", *REQUEST, *words, "--out", str(tmp_path / "run")]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("aside", "probe"), [(0, "duplicate"), (6, "near-duplicate")])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_two_tasks_of_a_run_are_alike(
    tmp_path: Path, capsys: Capture, aside: int, probe: str, workers: str
) -> None:
    words = ["--n", "9", "--option", f"aside={aside}", "--workers", workers]
    args = ["tasks", "generate", *REQUEST, *words, "--out", str(tmp_path / "run"), "--json"]
    assert run([*args, "--max-tries", "1"]) == 1
    capsys.readouterr()
    assert run([*args, "--max-tries", "3"]) == 1  # goes on, and remembers what is there
    found = answer(capsys)
    assert (found["accepted"], found["rejected"]) == (1, {"unambiguous": 1, probe: 1})


# -- stats ---------------------------------------------------------------------------------


def test_stats_show_the_mix_of_each_kind(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "stats", str(made), "--json"]) == 0
    found = answer(capsys)
    assert {
        "tasks", "visits", "steps", "calls", "criteria", "words", "services", "carried",
        "carried_kinds", "patterns", "registers", "certificates", "tried", "rejected",
        "acceptance", "domains", "shapes", "revisits", "degree", "k", "lengths", "difficulty",
        "difficulty_deciles", "distractors", "likeness",
    } <= set(found)  # fmt: skip
    assert found["domains"] == {"samples": 4}
    assert found["k"] == {"5": 4}
    assert found["shapes"] == {"one loop": 4}
    assert sum(found["difficulty_deciles"].values()) == 4
    assert 0 < found["likeness"]["similarity"] < NEAR
    assert len(found["likeness"]["tasks"]) == 2


def test_stats_name_the_most_alike_pair(made: Path, capsys: Capture) -> None:
    assert run(["tasks", "stats", str(made)]) == 0
    shown = capsys.readouterr().out
    assert "4 tasks from 8 tries" in shown
    assert "most alike: 0." in shown


# -- curriculum ----------------------------------------------------------------------------


def test_a_curriculum_goes_from_easy_to_hard(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    path = rescored(made, tmp_path / "run", 0.7, 0.2, 0.9, 0.4)
    first, second, third, fourth = ids(path)
    out = tmp_path / "out"
    assert run(["tasks", "curriculum", str(path), "--out", str(out), "--json"]) == 0
    found = answer(capsys)
    assert (found["tasks"], found["easiest"], found["hardest"]) == (4, 0.2, 0.9)
    assert ids(out) == [second, fourth, first, third]


def test_a_curriculum_is_a_run_whose_tasks_prove(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert run(["tasks", "curriculum", str(made), "--out", str(tmp_path / "out")]) == 0
    shutil.copytree(tmp_path / "out", tmp_path / "moved")
    assert run(["tasks", "verify", str(tmp_path / "moved")]) == 0
    assert "4 proven, 0 failed" in capsys.readouterr().out


def test_a_half_written_curriculum_goes_on(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ["tasks", "curriculum", str(made), "--out", str(out)]
    assert run(args) == 0
    whole = (out / "tasks.jsonl").read_bytes()
    (out / "tasks.jsonl").write_bytes(whole[: len(whole) // 2])
    assert run(args) == 0
    assert (out / "tasks.jsonl").read_bytes() == whole


def test_a_curriculum_without_links_copies_the_bases(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert run(["tasks", "curriculum", str(made), "--out", str(tmp_path / "out")]) == 0
    assert run(["tasks", "verify", str(tmp_path / "out")]) == 0


def test_a_curriculum_takes_a_range_of_scores(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    path = rescored(made, tmp_path / "run", 0.7, 0.2, 0.9, 0.4)
    args = ["tasks", "curriculum", str(path), "--out", str(tmp_path / "out")]
    assert run([*args, "--difficulty", "0.3:0.8", "--json"]) == 0
    assert answer(capsys)["tasks"] == 2
    assert run([*args, "--difficulty", "0.91:1"]) == 2
    assert "holds scores from 0.20 to 0.90" in capsys.readouterr().err
    assert run(args) == 2
    assert "holds another run" in capsys.readouterr().err


# -- split ---------------------------------------------------------------------------------


def test_a_split_makes_runs_that_prove(made: Path, tmp_path: Path, capsys: Capture) -> None:
    lines = (made / "tasks.jsonl").read_text().splitlines()
    path = tmp_path / "run"
    shutil.copytree(made, path)
    task = json.loads(lines[0])
    task["provenance"]["patterns"] = ["rule"]
    (path / "tasks.jsonl").write_text("\n".join([json.dumps(task), *lines[1:]]) + "\n")
    out = tmp_path / "out"
    words = ["--by", "patterns", "--train", "0.7", "--validation", "0", "--test", "0.3"]
    assert run(["tasks", "split", str(path), *words, "--out", str(out), "--json"]) == 0
    found = answer(capsys)
    assert found["counts"] == {"train": 3, "validation": 0, "test": 1}
    assert (found["held"], found["proof"]["holds"]) == ({"test": ["rule"]}, True)
    assert run(["tasks", "verify", str(out / "train")]) == 0
    assert run(["tasks", "verify", str(out / "test")]) == 0
    assert run(["tasks", "split", str(path), *words, "--out", str(out)]) == 0
    assert "proof from the folders alone: holds" in capsys.readouterr().out


def test_a_split_that_cannot_be_says_what_would_fit(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    args = ["tasks", "split", str(made), "--by", "services", "--out", str(tmp_path / "out")]
    assert run(args) == 2
    assert "would be empty: of 4 tasks" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
