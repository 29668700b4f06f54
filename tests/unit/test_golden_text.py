"""The fixture that compares texts with files."""

from golden_text import GoldenText, golden_path


def test_missing_file_is_not_equal_and_names_the_remedy(tmp_path):
    golden = GoldenText(tmp_path / "none.txt", update=False)
    assert golden != "text"
    assert "--update-golden" in "\n".join(golden.explain("text"))
    assert not golden.path.exists()


def test_equal_only_to_the_stored_text(tmp_path):
    path = tmp_path / "kernel.txt"
    path.write_text("a\nb\n")
    golden = GoldenText(path, update=False)
    assert golden == "a\nb\n"
    assert golden != "a\nb"
    assert "-b" in golden.explain("a\nc\n")


def test_update_writes_the_file(tmp_path):
    path = tmp_path / "new" / "kernel.txt"
    assert GoldenText(path, update=True) == "text"
    assert path.read_text() == "text"


def test_parameters_of_a_test_are_in_the_name():
    path = golden_path("test_program", "test_text[bfs-no direction]")
    assert path.parts[-3:] == ("golden", "test_program", "test_text-bfs-no-direction.txt")


def test_fixture_compares_with_the_file_of_its_test(golden):
    assert golden == "a text that a test keeps\n"
