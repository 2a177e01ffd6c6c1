// The filter of the list. It is kept in the address, so that links, reload and Back work.

/** A filter; empty strings match everything. Dates are days, "2026-01-31". */
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

/** Parses a query string such as "?q=wal&state=running"; other keys are ignored. */
export function filterOf(search: string): Filter {
  const query = new URLSearchParams(search);
  const filter = { ...everything };
  for (const key of keys) filter[key] = query.get(key)?.trim() ?? "";
  return filter;
}

/** Formats a filter as a query string, without empty fields; "" for all records. */
export function queryOf(filter: Filter): string {
  const query = new URLSearchParams();
  for (const key of keys) if (filter[key].trim() !== "") query.set(key, filter[key].trim());
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

export const sameFilter = (a: Filter, b: Filter): boolean => queryOf(a) === queryOf(b);

/**
 * Reports whether a changed filter makes a new history entry. Consecutive keystrokes share one
 * entry: Back goes to the list before the search, not to its last keystroke.
 */
export function isNewStep(before: Filter, after: Filter, lastTyped: boolean): boolean {
  const typing = sameFilter({ ...before, q: "" }, { ...after, q: "" });
  return !(typing && lastTyped);
}
