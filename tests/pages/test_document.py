import os

import pytest

from skbayeseval._html import document, write_page
from tests.pages.markup import Markup


def test_a_page_is_whole_and_plain():
    page = document("a < b", "c & d", "<section>e</section>")
    found = Markup(page)
    assert page.startswith("<!DOCTYPE html>")
    assert "a < b c & d e" in found.text
    assert {"script", "link", "img"} & set(found.tags) == set()
    assert found.references == []
    assert "prefers-color-scheme" in page
    assert "@media print" in page


def test_a_page_replaces_a_file_at_once(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("before")
    write_page(path, "Größe ≫")
    assert path.read_text(encoding="utf-8") == "Größe ≫"

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        write_page(path, "after")
    assert path.read_text(encoding="utf-8") == "Größe ≫"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_page(tmp_path / "no" / "page.html", "")
