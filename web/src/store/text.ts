// Texts of the list.

import type { Counts, Entry, Records } from "../record.ts";

/**
 * Cleans untrusted text: puts it on one line and removes what could reverse or hide adjacent text,
 * namely control characters and directional marks. prose.Clean does the same in Go.
 */
export function clean(text: string): string {
  return text
    .replace(/[\n\t\r\u2028\u2029]/g, " ")
    .replace(/[\p{Cc}\p{Cf}\ufffd]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}

const whole = new Intl.NumberFormat("en");

/** Formats a count with its noun: "1 record", "5,000 records". */
export const count = (n: number, noun: string): string => `${whole.format(n)} ${noun}${n === 1 ? "" : "s"}`;

/** Describes the number of runs, and of those that are not valid. */
export function runsText(counts: Counts, planned: number): string {
  const done = counts.valid + counts.invalid + counts.failed;
  const head = done < planned ? `${whole.format(done)} of ${count(planned, "run")}` : count(done, "run");
  const bad = [part(counts.invalid, "invalid"), part(counts.failed, "failed")].filter(Boolean);
  return [head, ...bad].join(", ");
}

const part = (n: number, word: string): string => (n === 0 ? "" : `${whole.format(n)} ${word}`);

/** Returns the share of the planned runs that are done, from 0 to 1. */
export function progress(entry: Pick<Entry, "counts" | "planned_runs">): number {
  const done = entry.counts.valid + entry.counts.invalid + entry.counts.failed;
  return entry.planned_runs > 0 ? Math.min(1, done / entry.planned_runs) : 0;
}

/** Returns the count of records, for the line above the list. */
export function countText(records: Pick<Records, "total" | "matching">, filtered: boolean): string {
  if (!filtered) return count(records.total, "record");
  return `${whole.format(records.matching)} of ${count(records.total, "record")}`;
}

/** Returns the text of the button below the list. */
export function moreText(shown: number, matching: number, page: number): string {
  const rest = matching - shown;
  return rest <= page
    ? `Show the last ${whole.format(rest)}`
    : `Show ${whole.format(page)} more of ${whole.format(rest)}`;
}
