// Pages for users come before the reference, and the reference before the evidence and the changes.
var Scorer = {
  score: ([docname, , , , score]) => {
    if (/^(guide\/|getting_started|files|long_runs)/.test(docname)) return score + 20;
    if (/^gallery\//.test(docname)) return score + 10;
    return /^(index|api|generated\/)/.test(docname) ? score : score - 10;
  },
  // As Sphinx has them, but a name that was typed in full comes first.
  objNameMatch: 40,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
