// Moments of a run at which something happened, as lines with a letter.

import type { Detail, Mark } from "../record.ts";
import type { Side } from "./panel.ts";

// As in the terminal (plinth show --run) and in pictures.
const letters: Record<string, string> = {
  "checkpoint-start": "C",
  "checkpoint-end": "E",
  log: "L",
  autovacuum: "V",
  "wal-segment": "w",
};

// More lines than this of one kind hide what they should explain.
const many = 60;

/** A mark and the run whose it is. */
export interface SideMark extends Mark {
  side: Side;
}

/** The letter of a kind of mark: "C" for "checkpoint-start". */
export function markLetter(kind: string): string {
  return letters[kind] ?? kind.charAt(0).toUpperCase();
}

/** A kind in words: "checkpoint start". */
export function markName(kind: string): string {
  return kind === "wal-segment" ? "WAL segment" : kind.replaceAll("-", " ");
}

/** The marks of the runs in order of time. */
export function collectMarks(details: readonly Detail[]): SideMark[] {
  const marks = details.flatMap((detail, i) => detail.marks.map((mark) => ({ ...mark, side: i as Side })));
  return marks.sort((a, b) => a.second - b.second);
}

/** The kinds of marks, the well-known ones first, with how many there are of each. */
export function markKinds(marks: readonly Mark[]): [kind: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { kind } of marks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const order = Object.keys(letters);
  const place = (kind: string) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return [...counts].sort(([a], [b]) => place(a) - place(b) || a.localeCompare(b));
}

/** Whether marks of a kind are drawn unless asked otherwise. */
export function drawnAtFirst(count: number): boolean {
  return count <= many;
}
