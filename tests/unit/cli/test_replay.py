"""``emv replay``: a line per version, a result for each, and what is refused."""

import pytest

import emv

CHANGES = "+ 1 2\n+ 2 3\n+ 5 6\n- 2 1\n+ 3 5\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "changes.txt"
    path.write_text(CHANGES)
    return path


def test_versions_and_their_results(command, path):
    told = command.json(
        "replay", path, "--run", "components", "--batch", 2, "--undirected", "--device", "python"
    )
    assert (told["batch"], told["directed"], told["algorithm"]) == (2, False, "components")
    versions = told["versions"]
    assert [each["changes"] for each in versions] == [2, 4, 5]
    assert [each["edges"] for each in versions] == [2, 2, 3]
    assert [each["result"]["components"] for each in versions] == [1, 3, 2]
    assert versions[0]["updated"] is None
    assert versions[2]["updated"] == "3 sets were joined along 1 new edge"
    assert versions[2]["result"]["top"][0] == {"vertex": 2, "value": 4}


def test_a_table_of_versions(command, tmp_path):
    path = tmp_path / "timed.txt"
    path.write_text("7 8 100\n8 9 200\n9 7 300\n")
    outcome = command("replay", path, "--batch", 2)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].split() == "version changes time vertices edges applied in".split()
    assert lines[2].split()[:5] == ["2", "3", "300", "3", "3"]
    assert lines[3].startswith("2 versions, applied in")


def test_a_program_waits_for_the_vertex_that_it_starts_from(command, path):
    given = ("replay", path, "--undirected", "--batch", 2, "--run", "bfs", "--device", "python")
    versions = command.json(*given, "--source", 5)["versions"]
    assert "result" not in versions[0]
    assert versions[2]["result"]["reached"] == 4
    assert "no such vertex yet" in command(*given, "--source", 5).out
    assert "'9' is no vertex of the graph" in command.mistake(*given, "--source", 9)


def test_every_version_is_kept_in_a_folder(command, path, tmp_path):
    folder = tmp_path / "g.emv"
    for _ in range(2):  # the second replay begins anew
        outcome = command("replay", path, "--undirected", "--batch", 2, "--out", folder)
        assert (outcome.code, "saved to" in outcome.out) == (0, True)
        assert [emv.read(folder, version=each).num_edges for each in (1, 2, 3)] == [2, 2, 3]
    assert emv.read(folder).labels.tolist() == [1, 2, 3, 5, 6]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), ":4: no edge joins 2 and 1 by then, so it cannot be removed"),
        (("--batch", 0), "--batch 0 is no number of changes, give 1 or more"),
        (("--out", "a.mtx"), "--out a.mtx is no folder of emv's, which alone keep versions"),
        (("--source", 1), "--source is for a program, and --run names none"),
        (("--set", "a=1"), "--set is for a program, and --run names none"),
        (("--run", "bfs"), "bfs needs a vertex to start from, give --source V"),
        (("--run", "jaccard"), "jaccard runs several programs, only 'emv run' takes it"),
        (("--ends", "a,b"), "has no column 'a'"),
    ],
)
def test_mistakes(command, path, given, said):
    assert said in command.mistake("replay", path, *given)


def test_a_file_without_changes(command, tmp_path):
    path = tmp_path / "none.txt"
    path.write_text("# nothing\n")
    assert "holds no change" in command.mistake("replay", path)
