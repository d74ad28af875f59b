import pytest

from skbayeseval import compare_counts
from skbayeseval.reproduce import acl2019
from skbayeseval.reproduce.tables import MissingError, Report

AS_IN_2015 = ("as in 2015", "length")

# Two documents in the format of the task; nothing of the corpus itself.
TEXT = """-DOCSTART- -X- O O

Ada NNP I-NP I-PER
Lovelace NNP I-NP I-PER
joined VBD I-VP O
Acme NNP I-NP I-ORG

-DOCSTART- -X- O O

Acme NNP I-NP I-ORG
Initech NNP I-NP B-ORG
Paris NNP I-NP I-LOC

"""


def test_tables_from_the_published_counts():
    tables = [acl2019.table_2(), *acl2019.tables_3_to_5()]
    assert [len(table.inside) for table in tables] == [36, 9, 9, 9]
    assert not any(table.outside for table in tables)


def test_simulation_of_few_data_sets(monkeypatch):
    monkeypatch.setattr(acl2019, "N_TRAINING_SETS", 20)
    table = acl2019.simulation(4)
    lengths = {line.row: line.ours for line in table.lines if line.column == "length"}
    assert lengths["calibrated"] == pytest.approx(0.0854, abs=0.006)
    ratio = (6 * acl2019.WEIGHT) ** 0.5
    assert lengths["as in 2015"] / lengths["calibrated"] == pytest.approx(ratio, rel=0.02)
    (length,) = [line for line in table.outside if (line.row, line.column) == AS_IN_2015]
    assert "0.127" in table.reason(length)


@pytest.fixture
def corpus_file(tmp_path):
    path = tmp_path / "eng.train"
    path.write_text(TEXT)
    return path


def test_corpus_is_read_as_iob2(corpus_file):
    X, y = acl2019.read_corpus(corpus_file)
    assert y == [["B-PER", "I-PER", "O", "B-ORG"], ["B-ORG", "B-ORG", "B-LOC"]]
    assert [len(sentence) for sentence in X] == [4, 3]
    assert acl2019.read_corpus(corpus_file.parent) == (X, y)


def test_features_are_the_papers():
    first = acl2019.features(["a", "b", "c"], ["x", "y", "z"])[0]
    # Of words and of parts of speech: five unigrams, four bigrams, three trigrams.
    assert len(first) == len(set(first)) == 2 * (5 + 4 + 3)
    assert {"w0=a", "w-1=<s>|a", "w0=a|b|c", "p2=z", "p-2=<s>|<s>|x"} <= set(first)


@pytest.mark.parametrize(("path", "message"), [(None, "--conll"), ("nowhere", "cannot be read")])
def test_without_the_corpus(tmp_path, path, message):
    path = path and tmp_path / path
    with pytest.raises(MissingError, match=message):
        list(acl2019.taggers(Report(tmp_path), path))


def test_taggers_end_to_end(tmp_path):
    pytest.importorskip("sklearn_crfsuite")
    path = tmp_path / "eng.train"
    path.write_text(TEXT.replace("-DOCSTART- -X- O O\n\n", "") * 12)
    texts = []
    report = Report(tmp_path, texts.append)
    centres, tests, *_ = acl2019.taggers(report, path)
    assert "12 CRFs on 24 sentences" in texts[0]
    assert len(centres.lines) == 6
    assert [line.column for line in tests.lines] == ["P(H1)", "P(H1), paired"] * 3
    assert all(0 <= line.ours <= 1 for line in tests.lines)


@pytest.mark.parametrize(("task", "n_chunks"), [("NER", 5), ("ORG", 3)])  # in TEXT
def test_bcv_of_taggers_is_that_of_their_counts(tmp_path, task, n_chunks):
    pytest.importorskip("sklearn_crfsuite")
    path = tmp_path / "eng.train"
    path.write_text(TEXT.replace("-DOCSTART- -X- O O\n\n", "") * 6)
    result = acl2019.compare_tag_sets(*acl2019.read_corpus(path), task, max_iterations=3)
    both, only_a, only_b, neither, false_both, false_a, false_b = result.evidence.cells
    assert both + only_a + only_b + neither == 3 * 6 * n_chunks  # each is validated three times
    counts = [
        (both + mine, false_both + false, theirs + neither)
        for mine, theirs, false in ((only_a, only_b, false_a), (only_b, only_a, false_b))
    ]
    expected = compare_counts(*counts, weight=result.weight).bayes_test()
    _, tests = acl2019.tagger_tables(task, result)
    assert tests.lines[4].ours == pytest.approx(expected.p_h1)
