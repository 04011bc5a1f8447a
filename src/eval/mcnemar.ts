/**
 * The two-sided p of McNemar's exact test: how likely a split at least as uneven as this one is, if each case that
 * changed was as likely to have got better as worse. Q. McNemar, "Note on the sampling error of the difference between
 * correlated proportions or percentages", Psychometrika 12 (1947) 153–157; the exact conditional form and worked values
 * in M. W. Fagerland, S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs data", BMC Medical Research
 * Methodology 13:91 (2013). It holds for few cases, and errs towards saying that nothing has changed.
 */
export function mcnemarExact(newlyRight: number, newlyWrong: number): number {
  const changed = newlyRight + newlyWrong;
  const fewer = Math.min(newlyRight, newlyWrong);
  // In logarithms: 2 to the power of a thousand cases is no number any more.
  let logTerm = -changed * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= fewer; k += 1) {
    logTerm += Math.log((changed - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}
