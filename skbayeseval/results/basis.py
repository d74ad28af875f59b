"""What a result stands on and applies to, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.few_counts import few_that_carry, what_is_scarce
from skbayeseval.results.numbers import join_words
from skbayeseval.results.text import FEW_UNITS, words_of_sizes
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["cautions", "what_it_applies_to", "what_was_tested", "where_probabilities_come_from"]


def what_was_tested(
    posterior: Posterior, names: Sequence[str], record: CrossValidation | None
) -> Iterator[str]:
    """Yield sentences on which classifiers were tested on what."""
    evidence = posterior.evidence
    all_names = join_words(names) if len(names) <= 8 else f"{len(names)} classifiers"
    were = "was" if len(names) == 1 else "were"
    groups = f" in {evidence.n_groups:,} groups" if evidence.n_groups else ""
    sizes = list(dict.fromkeys(round(counts.total) for counts in posterior.counts))
    if record is not None:
        yield (
            f"{all_names} {were} trained and tested on {record.n_splits} splits of the same data"
            f"{_test_size(record)}, each time with about {record.train_size:,.0f} instances for "
            "training."
        )
        if groups:
            yield f"The instances are{groups}, and groups, not instances, count as independent."
        if posterior.weights is not None or posterior.weight != 1 or evidence.is_of_splits:
            yield "Splits of the same data resemble each other, which is allowed for."
    elif evidence.is_of_splits:
        yield f"{all_names} {were} compared by their scores on {evidence.describe()}."
        if evidence.train_share is not None:
            yield "The correlation is what splits of the same data are taken to have in common."
    elif evidence.family == "chunks" and evidence.is_paired:
        found = round(float(posterior.counts[0].true[posterior.counts[0].positive]))
        yield f"{all_names} {were} tested on the same sentences, with {found:,} chunks to find."
    elif len(names) == 1:
        kind = "instances" if posterior.has_true_negatives else "counts"
        yield f"{all_names} {were} tested on {sizes[0]:,} {kind}{groups}."
    elif evidence.is_paired:
        yield f"{all_names} {were} tested on the same {sizes[0]:,} instances{groups}."
    else:
        each = " each" if len(sizes) == 1 else ""
        yield (
            f"{all_names} {were} compared by their counts of right and wrong predictions "
            f"({join_words([f'{size:,}' for size in sizes])} counts{each}); it is not known which "
            "instances both got right."
        )
    if record is None and posterior.weight != 1 and not evidence.is_of_splits:
        yield f"Each count is taken for {posterior.weight:.2g} of an independent one."


def _test_size(record: CrossValidation) -> str:
    if record.test_size is None:
        return ""
    return f" ({record.train_size + record.test_size:,.0f} instances)"


def what_it_applies_to(
    posterior: Posterior, record: CrossValidation | None, models: str
) -> Iterator[str]:
    """Yield a sentence on which models and which instances the result applies to."""
    evidence = posterior.evidence
    if record is not None and record.estimand == "fitted":
        yield (
            f"This applies to the {record.n_splits} models of each kind that were fitted here, on "
            "average, and to instances like those of the data; other training data could give "
            "models that compare differently."
        )
    elif record is not None and record.estimand == "full":
        yield (
            f"This applies to training on all {record.n_instances:,} instances, or as many like "
            f"these. It was extrapolated from training on {words_of_sizes(record)} instances."
        )
    elif record is not None:
        yield (
            f"This applies to training on {record.train_size:,.0f} instances like these; models "
            "trained on all of the data, or on more, may score and compare differently."
        )
    elif evidence.train_share is not None:
        yield (
            f"This applies to training on {evidence.train_share:.0%} of the data; models trained "
            "on all of it may score and compare differently."
        )
    elif evidence.is_of_splits:
        yield "This applies to data sets like these, and to training as it was done on them."
    elif evidence.is_paired or evidence.n_classifiers == 1:
        these = "this" if models == "model" else "these"
        yield (
            f"This applies to {these} {models} as tested and to instances like those of the test; "
            "it does not tell how training again would turn out."
        )
    else:
        yield (
            "This applies to the models that gave these counts and to instances like those that "
            "they were tested on."
        )


def where_probabilities_come_from(posterior: Posterior, metric: Metric) -> str:
    """Return a sentence on what the probabilities rest on."""
    concludes = (
        f'The probabilities are what the model "{posterior.model_name(metric)}" concludes from'
    )
    if not posterior.has_proper_prior(metric):
        return f"{concludes} the data."
    return f"{concludes} the data and from its prior, the assumptions made before seeing the data."


def cautions(
    posterior: Posterior,
    metrics: Sequence[Metric],
    warnings: Sequence[str],
    see: str = "prior_sensitivity()",
) -> Iterator[str]:
    """Yield sentences on what makes the result less reliable than it looks."""
    if "callable" in posterior.prior_description:
        yield "The prior was supplied by the user."
    elif (scarce := what_is_scarce(posterior, metrics)) is not None:
        yield (
            f"Caution: {scarce}, so the prior has an influence on the answer; {see} shows how much."
        )
    few = dict.fromkeys(filter(None, (posterior.units(metric) for metric in metrics)))
    told = {one.what: one.number for one in few if one.number < FEW_UNITS}
    for what, number in told.items():
        yield (
            f"Caution: there are only {number} {what}, so the probabilities are approximate, "
            "although they allow for this."
        )
    carried = {metric.name: few_that_carry(posterior, metric) for metric in metrics}
    for name, words in carried.items():
        if words is not None:
            yield f"Caution: {words} in {name}, so that its interval may be too narrow."
    if posterior.prevalence is not None:
        shares = ", ".join(f"{share:.3g}" for share in posterior.prevalence)
        yield (
            f"The classes {list(posterior.counts[0].labels)} are taken to occur in shares of "
            f"{shares}; the values seen in the test are not corrected for that."
        )
    for warning in warnings:
        yield f"Caution: the simulation has not been reliable. {warning}"
