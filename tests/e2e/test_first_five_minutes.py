"""What the README shows is what happens."""

from pathlib import Path

from pages import blocks, run_page
from sandbox import ROOT

from compoworld_core import Service, compose
from compoworld_core.testing import check_service

README = ROOT / "README.md"


def test_the_first_five_minutes_run_as_written(tmp_path: Path) -> None:
    run_page(README, tmp_path, "The first five minutes")
    for file in ("first/tasks.jsonl", "partial/trajectories.jsonl", "sft.jsonl"):
        assert (tmp_path / "runs" / file).stat().st_size > 0


def test_the_service_of_the_readme_has_25_lines_and_keeps_the_laws(tmp_path: Path) -> None:
    ((_, text),) = blocks(README, "A service")
    assert len([line for line in text.splitlines() if line.strip()]) <= 25
    service = run_page(README, tmp_path, "A service").service
    assert isinstance(service, Service)
    assert [str(failure) for failure in check_service(service)] == []
    env = compose(service, seed=1, scale=20)
    todo = next(iter(env.states["todo"].table("todos")))
    assert env.call("todo.complete_todo", {"todo_id": todo.id}).data["done"] is True
