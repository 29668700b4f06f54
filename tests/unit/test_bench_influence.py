"""Times of cascades, small."""

import pytest

from bench import influence


@pytest.mark.paper("S121")
def test_cores_are_timed_and_agree(capsys):
    assert influence.main(["cores", "--scale", "7", "--seeds", "5", "--rounds", "1"]) == 0
    sizes = capsys.readouterr().out.splitlines()[2].replace(",", "").split()
    assert float(sizes[2]) == pytest.approx(float(sizes[4]), rel=0.3)


@pytest.mark.paper("S119")
def test_steps_are_timed_by_every_loop(capsys):
    assert influence.main(["steps", "--scale", "7", "--seeds", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["step", "told", "auto", "C", "T", "E"]
    assert len(lines) > 4
