import pymc
import pytest

from skbayeseval import compare_many
from tests.engines.cases import cases


def graph_of(case, **options):
    model, evidence = next((m, e) for name, m, e, _ in cases() if name == case)
    labels = (0, 1, 2) if "classes" in case or "hierarchical" in case else (0, 1)
    return model.specification(evidence).build_graph(labels, **options)


def free(graph):
    return {variable.name for variable in graph.free_RVs}


def test_nothing_to_sample():
    y = [0, 1] * 10
    with pytest.raises(
        ValueError, match="no parameters for PyMC to sample: those that prevalence="
    ):
        compare_many(y, {"a": y, "b": y, "c": y}, prevalence=0.1, engine="pymc")


@pytest.mark.parametrize(
    ("form", "case"), [("rows", "paired few"), ("joint", "hierarchical few"), ("x", "labels few")]
)
def test_forms_are_checked(form, case):
    with pytest.raises(ValueError, match="form="):
        graph_of(case, form=form)


@pytest.mark.parametrize(
    ("case", "names"),
    [
        ("paired balanced", {"mu", "theta+", "theta-"}),
        ("unpaired few", {"mu_A", "rho+_A", "rho-_A", "mu_B", "rho+_B", "rho-_B"}),
        ("bcv few", {"pi_A", "pi_B"}),
        ("paired classes few", {"mu", "eta_A", "eta_B"}),
        ("paired recalls few", {"eta_A", "icc_A", "eta_B", "icc_B"}),
    ],
)
def test_graph_is_named_as_the_papers_do(case, names):
    assert free(graph_of(case)) == names


def test_a_graph_of_its_own_inside_another():
    with pymc.Model() as mine:
        for _ in range(2):
            graph = graph_of("paired few")
    assert not mine.named_vars
    assert free(graph) == {"mu", "theta+", "theta-"}
