// Moments of a run, such as checkpoints, as lines with a letter.

import type { Range } from "../link.ts";
import type { Detail, Mark } from "../record.ts";
import type { Side } from "./panel.ts";

// As in the terminal (plinth show --run) and in figures.
const letters: Record<string, string> = {
  "checkpoint-start": "C",
  "checkpoint-end": "E",
  log: "L",
  autovacuum: "V",
  "event-start": "B",
  "event-end": "D",
  "credits-spent": "P",
  restart: "N",
  stall: "Z",
  misconf: "M",
  eviction: "X",
  "aof-delayed-fsync": "Y",
  "rdb-save-start": "S",
  "rdb-save-end": "s",
  "aof-rewrite-start": "R",
  "aof-rewrite-end": "r",
  "full-resync": "A",
  "replica-down": "d",
  "replica-up": "u",
  fork: "f",
  "wal-segment": "w",
};

// More lines of one kind hide the curves that they should explain; frequent kinds with little
// information have a lower limit.
const many = 60;
const few = 12;
const frequent = ["wal-segment", "fork"];

// Abbreviations and their spelling.
const names: Record<string, string> = { wal: "WAL", aof: "AOF", rdb: "RDB", misconf: "MISCONF" };

/** A mark and its run. */
export interface SideMark extends Mark {
  side: Side;
}

/** Returns the letter of a kind: "C" for "checkpoint-start". */
export function markLetter(kind: string): string {
  return letters[kind] ?? kind.charAt(0).toUpperCase();
}

/** A kind in words: "checkpoint start". */
export function markName(kind: string): string {
  return kind
    .split("-")
    .map((word) => names[word] ?? word)
    .join(" ");
}

/** Returns the marks of the runs in order of time, those of one instant by kind. */
export function collectMarks(details: readonly Detail[]): SideMark[] {
  const marks = details.flatMap((detail, i) => detail.marks.map((mark) => ({ ...mark, side: i as Side })));
  return marks.sort((a, b) => a.second - b.second || compareKinds(a.kind, b.kind));
}

/** The marks between two seconds. */
export function marksWithin<M extends Mark>(marks: readonly M[], [from, to]: Range): M[] {
  return marks.filter(({ second }) => second >= from && second <= to);
}

/** Letters above the lines of marks. */
export interface Label {
  x: number; // its middle
  text: string; // "C", or "CL" if two marks are too close for two labels
}

/** Returns labels for marks in ascending order, with letters of this width; none overlap. */
export function markLabels(marks: readonly { x: number; kind: string }[], letter: number): Label[] {
  const labels: Cluster[] = [];
  for (const { x, kind } of marks) {
    let last: Cluster = { x, kinds: [kind] };
    // A label that has grown may touch the one before it, too.
    for (let before = labels.at(-1); before && touch(before, last, letter); before = labels.at(-1)) {
      last = { x: before.x, kinds: [...new Set([...before.kinds, ...last.kinds])] };
      labels.pop();
    }
    labels.push(last);
  }
  return labels.map(({ x, kinds }) => ({ x, text: kinds.sort(compareKinds).map(markLetter).join("") }));
}

interface Cluster {
  x: number;
  kinds: string[];
}

// Leaves half a letter between labels: "E CL" must not read "ECL".
function touch(a: Cluster, b: Cluster, letter: number): boolean {
  return b.x - a.x < ((a.kinds.length + b.kinds.length + 1) / 2) * letter;
}

/** Returns the kinds of marks with their counts, known kinds first. */
export function markKinds(marks: readonly Mark[]): [kind: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { kind } of marks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => compareKinds(a, b));
}

const order = Object.keys(letters);

// Known kinds first: a checkpoint before the log's line about it.
function compareKinds(a: string, b: string): number {
  const place = (kind: string) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return place(a) - place(b) || a.localeCompare(b);
}

/** Reports whether marks of a kind are drawn by default. */
export function drawnAtFirst(kind: string, count: number): boolean {
  return count <= (frequent.includes(kind) ? few : many);
}
