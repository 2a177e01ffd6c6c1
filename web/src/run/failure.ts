// Why plinth serve gave no seconds of a run, for a reader.

/** Says it in a sentence; why is the error as it was caught, as text. */
export function explainFailure(path: string, why: string): string {
  if (/ 404\b/.test(why)) return "This record was removed from the store.";
  if (why.startsWith("TypeError")) return `Cannot show the seconds of ${path}: plinth serve does not answer.`;
  return `Cannot show the seconds of ${path}: ${why.replace(/^\w*Error: /, "").trim()}.`;
}
