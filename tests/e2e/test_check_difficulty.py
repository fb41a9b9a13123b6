"""The check of the difficulty score tells a falling rate from one that does not fall."""

import pytest
from check_difficulty import flaws, spearman, tenths  # found by conftest's path


def rates(*means: float) -> list[float]:
    """Twenty tasks a tenth, half of them below and half above the mean."""
    return [mean + (0.05 if n % 2 else -0.05) for mean in means for n in range(20)]


FALLING = (0.9, 0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.3, 0.2, 0.1)


@pytest.mark.parametrize(
    ("means", "count"),
    [
        (FALLING, 0),
        ((*FALLING[:4], 0.62, *FALLING[5:]), 0),  # within the noise
        ((*FALLING[:4], 0.7, *FALLING[5:]), 1),  # one tenth is above the one before
        (tuple(reversed(FALLING)), 10),
        ((0.5,) * 10, 1),
    ],
)
def test_a_rate_must_fall_but_for_noise(means: tuple[float, ...], count: int) -> None:
    assert len(flaws("some", rates(*means))) == count


def test_tenths_hold_all_tasks_in_order() -> None:
    values = [n / 57 for n in range(57)]
    assert [v for part in tenths(values) for v in part] == values
    assert {len(part) for part in tenths(values)} == {5, 6}


def test_equal_values_share_their_rank() -> None:
    assert spearman([3, 2, 2, 1]) == pytest.approx(-0.9487, abs=1e-4)
