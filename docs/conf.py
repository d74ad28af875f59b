"""Settings of the documentation's site; `make docs` builds it."""

import os
import re
import sys
import warnings
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx_gallery.sorting import ExplicitOrder

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

from gallery_order import QUESTIONS  # noqa: E402
from inventories import write_inventories  # noqa: E402

import skbayeseval  # noqa: E402
from skbayeseval import __version__  # noqa: E402

project = "skbayeseval"
author = "The skbayeseval developers"
project_copyright = author
release = version = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    # MathJax's own files, so that pages need no network.
    "sphinx-mathjax-offline",
]

exclude_patterns = ["_build", "gallery/*.py", "gallery/*.ipynb", "gallery/*.zip"]
templates_path = ["_templates"]

# Markdown. The same files are read on GitHub, which makes an anchor of every heading.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]

# Blocks without a language show what the code before them prints.
highlight_language = "none"

# The reference
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
default_role = "py:obj"
toc_object_entries_show_parents = "hide"

bibtex_bibfiles = ["../paper.bib"]
bibtex_default_style = "unsrt"
bibtex_reference_style = "author_year"

# Links into the documentation of others, from inventories that are kept here.
intersphinx_mapping = write_inventories(HERE / "_build" / "inventories")

# The gallery
os.environ.setdefault("OMP_NUM_THREADS", "1")
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": ExplicitOrder(QUESTIONS),
    "doc_module": ("skbayeseval",),
    "reference_url": {"skbayeseval": None},
    "backreferences_dir": "generated/examples",
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "remove_config_comments": True,
    "capture_repr": (),
    "show_memory": False,
    # Its pages would load scripts from elsewhere.
    "write_computation_times": False,
    "min_reported_time": 10,
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "skbayeseval"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": "skbayeseval",
        "alt_text": "skbayeseval",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
    },
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_toc_level": 2,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
}
html_sidebars = {"index": [], "getting_started": [], "whats_new": [], "contributing": []}
html_context = {"default_mode": "auto"}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


class LinkPublicNames(SphinxTransform):
    """Link code such as `compare_predictions(y, a, b)` in pages to the reference.

    In tables always, otherwise where a page names it first. As files, pages have no links to the
    reference, which exists on the site only.
    """

    default_priority = 500
    names = frozenset(skbayeseval.__all__) - {"__version__", "metrics"}

    def apply(self) -> None:
        """Wrap literals that begin with a public name into references."""
        if self.env.docname.startswith("generated/"):
            return
        linked = set()
        for literal in list(self.document.findall(nodes.literal)):
            name = re.match(r"\w*", literal.astext())[0]
            parents = []
            node = literal
            while (node := node.parent) is not None:
                parents.append(type(node))
            if name not in self.names or parents[0] in (nodes.reference, addnodes.pending_xref):
                continue
            if nodes.title in parents or (name in linked and nodes.entry not in parents):
                continue
            linked.add(name)
            reference = addnodes.pending_xref(
                "",
                refdomain="py",
                reftype="obj",
                reftarget=f"skbayeseval.{name}",
                refdoc=self.env.docname,
                refexplicit=True,
                refwarn=True,
            )
            literal.replace_self(reference)
            reference += literal


def setup(app):
    """Add the transform."""
    app.add_transform(LinkPublicNames)
