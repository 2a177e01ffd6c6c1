// Explains why plinth serve returned no seconds of a run.

/** Returns the explanation as a sentence; why is the caught error as text. */
export function explainFailure(path: string, why: string): string {
  if (/ 404\b/.test(why)) return "This record was removed from the store.";
  if (why.startsWith("TypeError")) return `Cannot show the seconds of ${path}: plinth serve does not answer.`;
  return `Cannot show the seconds of ${path}: ${why.replace(/^\w*Error: /, "").trim()}.`;
}
