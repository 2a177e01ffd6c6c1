// What is asked of the store: the filter that stands in the address, so that a list
// can be linked, reloaded and gone back to.

/** A filter; an empty string asks for nothing. Dates are days, "2026-01-31". */
export interface Filter {
  q: string;
  engine: string;
  state: string;
  verdict: string;
  since: string;
  until: string;
}

const keys = ["q", "engine", "state", "verdict", "since", "until"] as const;

export const everything: Filter = { q: "", engine: "", state: "", verdict: "", since: "", until: "" };

/** The filter of a query string such as "?q=wal&state=running"; the rest is ignored. */
export function filterOf(search: string): Filter {
  const query = new URLSearchParams(search);
  const filter = { ...everything };
  for (const key of keys) filter[key] = query.get(key)?.trim() ?? "";
  return filter;
}

/** The query string of a filter, without what it does not ask for; "" for all. */
export function queryOf(filter: Filter): string {
  const query = new URLSearchParams();
  for (const key of keys) if (filter[key].trim() !== "") query.set(key, filter[key].trim());
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

export const sameFilter = (a: Filter, b: Filter): boolean => queryOf(a) === queryOf(b);

/**
 * Whether a changed filter is a new step of the history. Letters typed one after the
 * other are one step: Back goes to the list before the search, not to its last letter.
 */
export function isNewStep(before: Filter, after: Filter, lastTyped: boolean): boolean {
  const typing = sameFilter({ ...before, q: "" }, { ...after, q: "" });
  return !(typing && lastTyped);
}
