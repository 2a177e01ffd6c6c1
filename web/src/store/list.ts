// The records that are shown, and how an answer of plinth serve changes them.

import type { Entry, Records } from "../record.ts";
import { everything, type Filter } from "./filter.ts";

/** What the list shows. */
export interface List {
  /** The directory of the records. */
  store: string;
  /** What was asked for: the form may be ahead of it. */
  filter: Filter;
  entries: readonly Entry[];
  total: number;
  matching: number;
  engines: readonly string[];
}

/** Before the first answer. */
export const noList: List = {
  store: "",
  filter: everything,
  entries: [],
  total: 0,
  matching: 0,
  engines: [],
};

/** The list that the answer to a filter begins. */
export function listOf(filter: Filter, answer: Records): List {
  const { store, total, matching, engines, records } = answer;
  return { store, filter, total, matching, engines: engines, entries: records };
}

/**
 * The list with the next records behind it. A record begun meanwhile moves all others
 * down by one: whatever comes a second time is left out.
 */
export function append(list: List, answer: Records): List {
  const known = new Set(list.entries.map((entry) => entry.name));
  const fresh = answer.records.filter((entry) => !known.has(entry.name));
  return { ...listOf(list.filter, answer), entries: [...list.entries, ...fresh] };
}

/** Entries that did not change stay the same objects, so that nothing is drawn anew. */
export function keepSame(before: readonly Entry[], after: readonly Entry[]): readonly Entry[] {
  const known = new Map(before.map((entry) => [entry.name, entry]));
  return after.map((entry) => {
    const old = known.get(entry.name);
    return old && JSON.stringify(old) === JSON.stringify(entry) ? old : entry;
  });
}

export const isRunning = (entry: Entry): boolean => entry.state === "running" && !entry.damage;

/**
 * Puts what the running records are now into the list, or says (undefined) that the
 * list must be asked for again: one has ended, or one has begun.
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
