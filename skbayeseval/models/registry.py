"""From `model=` and `prior=` to a model."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from skbayeseval.models.binary import BCV, BinaryModel, Paired, Unpaired

__all__ = ["published_and_alternative_models", "resolve_model"]

MODELS: dict[str, type[BinaryModel]] = {model.name: model for model in (Paired, Unpaired, BCV)}

# What a prior's keys are called where Python has the name for itself.
_PARAMETERS = {"lambda": "lambda_"}


def resolve_model(model: Any, prior: Any, *, paired: bool) -> BinaryModel:
    """Return the model that `model` names, with `prior` in place of its published one.

    Parameters
    ----------
    model : str or model instance
        "auto" is "paired" where `paired`, otherwise "unpaired".
    prior : dict or None
        The model's prior parameters.
    paired : bool
        Whether it is known what both classifiers said of each instance.
    """
    if isinstance(model, BinaryModel):
        if prior is not None:
            raise ValueError(
                f"model={model!r} carries its prior; give either a model instance or prior=, "
                "not both."
            )
        return clone(model)
    if not isinstance(model, str):
        raise TypeError(
            f"model must be one of {['auto', *MODELS]} or an instance of a model class, "
            f"got {model!r}."
        )
    name = ("paired" if paired else "unpaired") if model == "auto" else model
    if name not in MODELS:
        raise ValueError(f"model={model!r} is not known. Known are: {['auto', *MODELS]}.")
    return from_prior(name, {} if prior is None else prior)


def from_prior(name: str, prior: Any) -> BinaryModel:
    """Return the model of that name with the parameters of `prior`."""
    if not isinstance(prior, dict):
        raise TypeError(f"prior must be None or a dict of parameters, got {prior!r}.")
    known = MODELS[name]().prior()
    unknown = [key for key in prior if key not in known]
    if unknown:
        raise ValueError(
            f"prior has no parameter {unknown[0]!r} in model {name!r}; it takes {list(known)}."
        )
    parameters = {str(_PARAMETERS.get(key, key)): value for key, value in prior.items()}
    return clone(MODELS[name]().set_params(**parameters))


def published_and_alternative_models(*, paired: bool, true_negatives: bool) -> list[BinaryModel]:
    """Return the models that the evidence allows, each with its published prior and others."""
    models: list[BinaryModel] = []
    if paired:
        models += [Paired(), Paired(mu=0.5, theta=0.5), Paired(theta=0.25)]
    if true_negatives:
        models += [Unpaired(), Unpaired(mu=0.5, rho=0.5), Unpaired(rho=2.0)]
    return [*models, BCV(), BCV(lambda_=0.5), BCV(lambda_=0.25)]
