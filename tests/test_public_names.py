"""The public surface of the package, name by name, so that no change of it goes unseen.

`python -m tests.test_public_names` writes the list again; the changelog tells users what changed.
"""

import importlib
import inspect

from tests.conftest import ROOT

LIST = ROOT / "tests" / "data" / "public_names.txt"
PACKAGES = ("", ".display", ".judgement", ".metrics", ".models")
# Users call methods of these; those of models and displays are called by the package.
WITH_MEMBERS = ("skbayeseval", "skbayeseval.judgement")


def parameters(call):
    """Return the names of the parameters, as a signature has them, without defaults."""
    names = []
    kinds = [each.kind for each in inspect.signature(call).parameters.values()]
    for position, (name, each) in enumerate(inspect.signature(call).parameters.items()):
        earlier = {each.VAR_POSITIONAL, each.KEYWORD_ONLY}.intersection(kinds[:position])
        if each.kind is each.KEYWORD_ONLY and not earlier:
            names.append("*")
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        names.append(f"{stars}{name}")
    return (
        f"({', '.join(name for name in names if name not in ('self', 'cls') and name[0] != '_')})"
    )


def described(package, name, value):
    """Yield a line for a public object, and one for each public member of a class."""
    name = f"{package}.{name}"
    yield name + (parameters(value) if callable(value) else "")
    if not (inspect.isclass(value) and package in WITH_MEMBERS):
        return
    members = {
        member: inspect.getattr_static(value, member)
        for parent in value.__mro__
        if parent.__module__.startswith("skbayeseval")
        for member in vars(parent)
        if not member.startswith("_")
    }
    for member, static in sorted(members.items()):
        plain = getattr(static, "__func__", static)
        yield f"{name}.{member}" + (parameters(plain) if inspect.isfunction(plain) else "")


def surface():
    """Return all lines, sorted."""
    lines = set()
    for package in PACKAGES:
        module = importlib.import_module(f"skbayeseval{package}")
        for name in module.__all__:
            lines.update(described(module.__name__, name, getattr(module, name)))
    return sorted(lines)


def test_the_public_surface_is_as_listed():
    listed = LIST.read_text(encoding="utf-8").splitlines()
    found = surface()
    assert [line for line in listed if line not in found] == [], "no longer there"
    assert [line for line in found if line not in listed] == [], "not yet listed"


if __name__ == "__main__":
    LIST.parent.mkdir(exist_ok=True)
    LIST.write_text("\n".join(surface()) + "\n", encoding="utf-8")
