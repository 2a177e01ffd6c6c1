// Two records that are chosen to be compared. The first chosen is the baseline.

/** At most two names: there is no comparison of three. */
export type Chosen = readonly string[];

/** Whether another record can be chosen. */
export const isFull = (chosen: Chosen): boolean => chosen.length >= 2;

/**
 * Chosen with name put in or taken out. A third is refused rather than taking the
 * place of one: a choice that undoes another, perhaps out of sight, surprises.
 */
export function toggle(chosen: Chosen, name: string): Chosen {
  if (chosen.includes(name)) return chosen.filter((other) => other !== name);
  return isFull(chosen) ? chosen : [...chosen, name];
}

/** The address of the comparison; undefined before two are chosen. */
export function comparison(chosen: Chosen): string | undefined {
  const [a, b] = chosen;
  if (a === undefined || b === undefined) return undefined;
  return `/compare?${new URLSearchParams({ a, b })}`;
}

/** What is still to be done, or "" when two are chosen. */
export function nextChoice(chosen: Chosen): string {
  return ["Choose two records to compare.", "Choose one more to compare it with."][chosen.length] ?? "";
}
