import pytest

from skbayeseval.sequences import read_conll


def test_sentences(tmp_path):
    path = tmp_path / "tags"
    path.write_text(
        "-DOCSTART- -X- O O\n\nÉva NNP I-NP B-PER\nsleeps VBZ I-VP O\n\n\n \nRome\tNNP\tO\tB-LOC",
        encoding="utf-8",
    )
    found = read_conll(path)
    assert found.tags == [["B-PER", "O"], ["B-LOC"]]
    assert found.tokens == [
        [["Éva", "NNP", "I-NP"], ["sleeps", "VBZ", "I-VP"]],
        [["Rome", "NNP", "O"]],
    ]


def test_tags_alone(tmp_path):
    path = tmp_path / "tags"
    path.write_text("B-PER\r\nO\r\n\r\nO\r\n", encoding="utf-8")
    assert read_conll(path) == ([[[], []], [[]]], [["B-PER", "O"], ["O"]])


def test_nothing_to_read(tmp_path):
    path = tmp_path / "tags"
    path.write_text("\n-DOCSTART- O\n", encoding="utf-8")
    with pytest.raises(ValueError, match="tags contains no sentences"):
        read_conll(path)
    with pytest.raises(FileNotFoundError):
        read_conll(tmp_path / "absent")
