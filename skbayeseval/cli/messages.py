"""Messages as they are printed: without control characters, and in the words of the options."""

from __future__ import annotations

import re

__all__ = ["InputError", "in_words_of_options", "printable"]

# Options by the arguments of functions that they stand for.
OPTIONS = {
    "n_draws": "--draws",
    "random_state": "--seed",
    "margin": "--rope",
    "counter": "--chunks",
    "pos_label": "--pos-label",
    **{
        name: f"--{name}"
        for name in (
            "scoring", "model", "weight", "rope", "names", "labels", "groups", "score", "id",
            "group", "filter",
        )
    },
}  # fmt: skip

# Arguments that messages also name without "=", by command. Files of other commands may have
# columns with these names.
DATA = {
    "compare": {
        "y_true": "--truth",
        "y_pred_a": "--a",
        "y_pred_b": "--b",
        "y_score_a": "--score-a",
        "y_score_b": "--score-b",
    },
    "counts": {"counts_a": "--a", "counts_b": "--b"},
    "items": {"scores_a": "A", "scores_b": "B"},
}


# Advice for which there is no option.
ONLY_PYTHON = re.compile(
    r" If they are on the same scale, pass its limits: prior=[^.]*\."
    r"| \(scores= to compare_many, .*\), or pass it as scoring= of a cross-validation"
)


class InputError(ValueError):
    """What is wrong with arguments or files, in the words of the command line."""


def printable(text: str) -> str:
    """Escape characters that would control the terminal, as `repr` does."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def in_words_of_options(error: Exception, command: str) -> str:
    """Return a message of a function with ``--labels`` for ``labels=``, and other options so."""
    message = str(error)
    if isinstance(error, InputError):
        return message
    message = message.replace("Pass score= to read_samples", "Pass --score")
    message = message.replace(" to read_samples to match", " to match")
    message = re.sub(ONLY_PYTHON, "", message)
    message = re.sub("Pass a dict with the ROPE of each.*", "Compare them one by one.", message)
    message = re.sub(r"\bruns=True\b", "--runs", message)
    message = re.sub(r"\b(predictions|scores)\[(['\"])(.*?)\2\]", r"the \1 of \3", message)
    data = DATA.get(command, {})
    if command == "compare":
        message = re.sub(r"\b(truth|a|b)=(['\"])(.*?)\2", r"--\1 \3", message)
    for name, option in {**OPTIONS, **data}.items():
        # With a value: scoring='f1' is --scoring f1.
        message = re.sub(rf"\b{name}=(['\"])(.*?)\1", rf"{option} \2", message)
        message = re.sub(rf"\b{name}=(?=[\w\[(-])", f"{option} ", message)
        message = re.sub(rf"\b{name}=", option, message)
    for name, option in data.items():
        message = re.sub(rf"\b{name}\b", option, message)
    return message
