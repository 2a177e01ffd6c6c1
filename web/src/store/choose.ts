// The two records chosen for a comparison. The first one is the baseline.

/** At most two names. */
export type Chosen = readonly string[];

/** Reports whether another record can be chosen. */
export const isFull = (chosen: Chosen): boolean => chosen.length >= 2;

/**
 * Returns chosen with name added or removed. A third is refused rather than replacing one: undoing a
 * choice that may be out of sight would be surprising.
 */
export function toggle(chosen: Chosen, name: string): Chosen {
  if (chosen.includes(name)) return chosen.filter((other) => other !== name);
  return isFull(chosen) ? chosen : [...chosen, name];
}

/** Returns the address of the comparison; undefined unless two are chosen. */
export function comparison(chosen: Chosen): string | undefined {
  const [a, b] = chosen;
  if (a === undefined || b === undefined) return undefined;
  return `/compare?${new URLSearchParams({ a, b })}`;
}

/** Returns the next step for the reader; "" if two are chosen. */
export function nextChoice(chosen: Chosen): string {
  return ["Choose two records to compare.", "Choose one more to compare it with."][chosen.length] ?? "";
}
