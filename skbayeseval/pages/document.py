"""A page in one file: no scripts, no links, nothing to load."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from skbayeseval._files import written_whole
from skbayeseval.pages.elements import text

__all__ = ["document", "write_page"]


def document(title: str, subtitle: str, *parts: str) -> str:
    """Return a whole page: a title, what it is about, and its sections."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{text(title)}</h1><p>{text(subtitle)}</p></header>\n"
        + "\n".join(filter(None, parts))
        + "\n</main>\n</body>\n</html>\n"
    )


def write_page(path: str | PathLike[str], page: str) -> None:
    """Write a page to a file, which is replaced only when all of it is written."""
    with written_whole(path) as temporary:
        Path(temporary).write_text(page, encoding="utf-8", newline="\n")


_LIGHT = "--ground:#fff;--ink:#1c1e21;--faint:#5b6167;--line:#d5d9dd;--shade:#f4f6f8;--mark:#0072b2"
_DARK = (
    "--ground:#15181b;--ink:#e6e8ea;--faint:#a3aab1;--line:#3b4147;--shade:#1f2327;--mark:#6fb7e6"
)

_STYLE = f"""
:root{{color-scheme:light dark;{_LIGHT}}}
@media (prefers-color-scheme:dark){{:root{{{_DARK}}}
figure:not(.paper) svg{{filter:brightness(1.5)}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--ground);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
overflow-wrap:anywhere}}
main{{max-width:54rem;margin:0 auto;padding:1.5rem 1rem 4rem}}
h1{{font-size:1.7rem;line-height:1.25;margin:0 0 .25rem}}
h2{{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-bottom:.25rem;
border-bottom:1px solid var(--line)}}
header p,.note,caption,dt{{color:var(--faint)}}
header p{{margin:0}}
p{{margin:.6rem 0}}
.verdict{{background:var(--shade);border-left:.3rem solid var(--mark);padding:.4rem 1rem;
margin:1.2rem 0;font-weight:600}}
.verdict p{{margin:.5rem 0}}
.verdict td{{white-space:normal}}
figure{{margin:1rem 0}}
figure svg{{display:block;width:100%;max-width:39rem;height:auto}}
figure.paper svg{{background:#fff;color:#000;border-radius:.3rem}}
.row{{display:flex;flex-wrap:wrap;gap:0 2rem}}
.scroll{{overflow-x:auto;margin:.8rem 0}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem;
overflow-wrap:normal}}
caption{{text-align:left;padding-bottom:.3rem}}
th,td{{padding:.3rem .8rem .3rem 0;text-align:right;font-weight:400}}
th:first-child{{text-align:left;max-width:22rem}}
td{{white-space:nowrap}}
thead th{{border-bottom:1px solid var(--ink);vertical-align:bottom;overflow-wrap:anywhere;
min-width:3rem}}
tbody tr+tr>*{{border-top:1px solid var(--line)}}
dl{{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1.2rem;
margin:.6rem 0}}
dd{{margin:0}}
@media (max-width:30rem){{dl{{grid-template-columns:1fr;gap:0}}dd{{margin-bottom:.5rem}}}}
@media print{{:root{{{_LIGHT}}}body{{font-size:10pt}}main{{max-width:none;padding:0}}
figure,tr,.verdict{{break-inside:avoid}}h2{{break-after:avoid}}
.verdict{{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.scroll{{overflow:visible}}figure svg{{filter:none!important;max-width:12cm}}}}
"""
