"""Building DeepSpeed's libraries: marks that a kill left, and a compiler that fails."""

from pathlib import Path

import pytest
from compoworld_trainer_grpo import building
from compoworld_trainer_grpo.building import ADAM, COMMUNICATION

from compoworld_core.errors import CompoWorldError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    place = building.folder(COMMUNICATION)
    place.mkdir()
    return place


def test_a_mark_that_a_kill_left_is_removed(place: Path) -> None:
    """Torch would wait for it for ever."""
    (place / "lock").touch()
    (place / "deepspeed_shm_comm.so").touch()
    said: list[str] = []
    building.build(COMMUNICATION, said.append)
    assert not (place / "lock").exists()
    assert said == []


@pytest.mark.parametrize("library", [COMMUNICATION, ADAM], ids=lambda each: each.name)
def test_a_compiler_that_fails_is_an_error_with_its_words(
    library: building.Library, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "false")
    said: list[str] = []
    with pytest.raises(CompoWorldError, match=f"{library.without} trains") as failed:
        building.build(library, said.append)
    assert len(str(failed.value).splitlines()) > 1
    assert ["compiling" in each for each in said] == [True]
