import errno
import os
import re
import stat
import subprocess
import sys
import threading

import pytest

from skbayeseval import compare_counts
from skbayeseval._files import save_figure, written_whole
from skbayeseval.cli import main

ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


def write(path, text):
    with written_whole(path) as temporary, open(temporary, "w") as file:
        file.write(text)


def test_new_and_replaced(tmp_path):
    write(tmp_path / "file", "old")
    write(str(tmp_path / "file"), "new")
    assert (tmp_path / "file").read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit])
def test_a_failure_keeps_the_old_file(tmp_path, error):
    write(tmp_path / "file", "old")

    def fail(name):
        with written_whole(tmp_path / name) as temporary:
            with open(temporary, "w") as file:
                file.write("ne")
            raise error

    for name in ("file", "new"):
        with pytest.raises(error):
            fail(name)
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_permissions(tmp_path):
    def mode(name):
        return stat.S_IMODE((tmp_path / name).stat().st_mode)

    for name, umask in (("open", 0o022), ("closed", 0o077)):
        former = os.umask(umask)
        try:
            write(tmp_path / name, "")
            (tmp_path / "plain").write_text("")
        finally:
            os.umask(former)
        assert mode(name) == mode("plain") == 0o666 & ~umask
        (tmp_path / "plain").unlink()
    (tmp_path / "open").chmod(0o640)
    write(tmp_path / "open", "again")
    assert mode("open") == 0o640


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="for users without all rights")
def test_a_file_that_may_not_be_written(tmp_path):
    write(tmp_path / "file", "old")
    (tmp_path / "file").chmod(0o444)
    with pytest.raises(PermissionError, match="file"):
        write(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path, there):
    (tmp_path / "folder").mkdir()
    if there:
        write(tmp_path / "folder" / "file", "old")
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_text() == "new"
    assert os.listdir(tmp_path / "folder") == ["file"]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.file"):
        write(tmp_path / "missing" / "file", "")
    with pytest.raises((IsADirectoryError, PermissionError), match=tmp_path.name):
        write(tmp_path, "")
    assert os.listdir(tmp_path) == []


@ON_LINUX
def test_devices_and_pipes_are_written_directly(tmp_path):
    write("/dev/null", "nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, "new")
    reader.join()
    assert read == ["new"]


def test_figures(tmp_path):
    figure = result_of(200).plot().figure_
    assert save_figure(figure, tmp_path / "a.svg") == str(tmp_path / "a.svg")
    assert save_figure(figure, tmp_path / "b") == str(tmp_path / "b.png")
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="Format 'nonsense' is not supported"):
        save_figure(figure, tmp_path / "a.nonsense")
    assert sorted(os.listdir(tmp_path)) == ["a.svg", "b.png"]


# Two processes save again and again; none, one or both are killed. A script, as only a process
# without threads may fork.
SAVING = """
import os, signal, sys, time
import numpy as np
from skbayeseval import compare_counts, load_result
path, rounds = sys.argv[1], int(sys.argv[2])
results = [
    compare_counts((88, 10, 12), (80, 14, 20), random_state=seed, n_draws=50_000)
    for seed in (1, 2)
]
draws = [result.draws for result in results]
rng = np.random.default_rng(0)
for kills in [0, *[1, 2] * rounds]:  # where both are, nobody writes it anew
    started = []
    for result in results:
        started.append(os.fork())
        if not started[-1]:
            for _ in range(10):
                result.save(path)
            os._exit(0)
    time.sleep(rng.uniform(0, 0.1))
    for number in rng.choice(started, kills, replace=False):
        os.kill(number, signal.SIGKILL)
    for number in started:
        os.waitpid(number, 0)
    found = load_result(path).draws
    assert any(np.array_equal(found, one) for one in draws)
    assert kills or os.listdir(os.path.dirname(path)) == ["result.npz"]
"""


@ON_LINUX
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_two_writers_one_of_which_is_killed(tmp_path, rounds):
    path = tmp_path / "result.npz"
    subprocess.run([sys.executable, "-c", SAVING, str(path), str(rounds)], check=True)


def result_of(n_draws):
    return compare_counts((88, 10, 12), (80, 14, 20), random_state=0, n_draws=n_draws)


def saved_as(kind, path):
    """Write a file of a kind by the function or command that users call."""
    result = result_of(200)
    if kind == "save":
        result.save(path)
    elif kind == "report":
        result.report(path, rope=0.01)
    elif kind == "figure":
        save_figure(result.plot().figure_, path)
    else:
        counts = ["counts", "--a", "88", "10", "12", "--b", "80", "14", "20", "--rope", "0.01"]
        return main([*counts, "--draws", "200", kind, str(path), "--gate", "non-inferior"])
    return 0


WRITERS = {
    "save": "file.npz",
    "report": "file.html",
    "figure": "file.svg",
    "--report": "file.html",
    "--plot": "file.png",
}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk(kind, tmp_path, monkeypatch, capsys):
    path = tmp_path / WRITERS[kind]
    path.write_text("old")

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    words = f"{os.strerror(errno.ENOSPC)}: '{path}'"
    if kind.startswith("--"):
        assert saved_as(kind, path) == 2
        assert words in capsys.readouterr().err
    else:
        with pytest.raises(OSError, match=re.escape(words)) as caught:
            saved_as(kind, path)
        assert caught.value.errno == errno.ENOSPC
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_place_without_a_folder_is_refused_before_anything_is_computed(
    kind, tmp_path, monkeypatch, capsys
):
    (tmp_path / "text").write_text("a file")
    result_of(200)  # what draws needs may be imported late

    def computed(*_, **__):
        raise AssertionError("computed")

    for folder, words in (("missing", "No such file or directory"), ("text", "Not a directory")):
        path = tmp_path / folder / WRITERS[kind]
        if kind.startswith("--"):
            with monkeypatch.context() as patch:
                patch.setattr("skbayeseval.cli.program.compare_counts", computed)
                assert saved_as(kind, path) == 2
            said = capsys.readouterr()
            assert said.out == ""
            assert f"{words}: '{path}'" in said.err
            continue
        with monkeypatch.context() as patch:
            patch.setattr("skbayeseval.results.page._document", computed)
            patch.setattr("skbayeseval.results.storage.encode", computed)
            with pytest.raises(OSError, match=words) as caught:
                saved_as(kind, path)
        assert str(path) in str(caught.value)
    assert os.listdir(tmp_path) == ["text"]
