// The records shown, and how responses of plinth serve change them.

import type { Entry, Records } from "../record.ts";
import { everything, type Filter } from "./filter.ts";

/** What the list shows. */
export interface List {
  /** The directory of the records. */
  store: string;
  /** The requested filter; the form may already have a newer one. */
  filter: Filter;
  entries: readonly Entry[];
  total: number;
  matching: number;
  engines: readonly string[];
}

/** The list before the first response. */
export const noList: List = {
  store: "",
  filter: everything,
  entries: [],
  total: 0,
  matching: 0,
  engines: [],
};

/** Returns the list for the first response to a filter. */
export function listOf(filter: Filter, answer: Records): List {
  const { store, total, matching, engines, records } = answer;
  return { store, filter, total, matching, engines: engines, entries: records };
}

/**
 * Returns the list with the next records appended. A record created in the meantime moves all others
 * down by one, so duplicates are dropped.
 */
export function append(list: List, answer: Records): List {
  const known = new Set(list.entries.map((entry) => entry.name));
  const fresh = answer.records.filter((entry) => !known.has(entry.name));
  return { ...listOf(list.filter, answer), entries: [...list.entries, ...fresh] };
}

/** Keeps the objects of unchanged entries, so that they are not rendered again. */
export function keepSame(before: readonly Entry[], after: readonly Entry[]): readonly Entry[] {
  const known = new Map(before.map((entry) => [entry.name, entry]));
  return after.map((entry) => {
    const old = known.get(entry.name);
    return old && JSON.stringify(old) === JSON.stringify(entry) ? old : entry;
  });
}

export const isRunning = (entry: Entry): boolean => entry.state === "running" && !entry.damage;

/**
 * Updates the running records in the list. It returns undefined if the list must be requested
 * again, because a record has ended or started.
 */
export function refresh(list: List, running: Records): List | undefined {
  const now = new Map(running.records.map((entry) => [entry.name, entry]));
  if (running.total !== list.total) return undefined;
  if (list.entries.some((entry) => isRunning(entry) !== now.has(entry.name))) return undefined;
  const entries = keepSame(
    list.entries,
    list.entries.map((entry) => now.get(entry.name) ?? entry),
  );
  return { ...list, entries };
}
