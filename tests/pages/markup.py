"""A reader of HTML that is strict about its form."""

from html.parser import HTMLParser

VOID = {"br", "hr", "img", "meta", "link", "input"}


class Markup(HTMLParser):
    """The elements, ids, references and text of a page; raises where tags do not match."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.ids, self.references, self.words = [], [], [], []
        self._open = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href"):
                self.references.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())
