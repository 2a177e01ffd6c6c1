// The names of runs and cells, and related runs.

import type { Data, Run } from "../record.ts";

/** Names the cell of a run: "tpcb-like, 10 clients, 4 threads, 500/s". */
export function cellName(run: Run): string {
  const rate = run.rate ? `, ${run.rate}/s` : "";
  return `${run.workload}, ${count(run.clients, "client")}, ${count(run.threads, "thread")}${rate}`;
}

/** Names a run inside its cell: "repeat 3", or "repeat 3, attempt 2". */
export function repeatName(run: Run): string {
  return run.attempt > 1 ? `repeat ${run.repeat}, attempt ${run.attempt}` : `repeat ${run.repeat}`;
}

/** Reports whether two runs are of the same cell, in any environment. */
export function sameCell(a: Run, b: Run): boolean {
  const key = (r: Run) => [r.clients, r.threads, r.rate ?? 0].join();
  return a.workload === b.workload && key(a) === key(b);
}

/** Reports whether two runs are of the same block: the same cell, back to back. */
export function sameBlock(a: Run, b: Run): boolean {
  return sameCell(a, b) && a.repeat === b.repeat && a.attempt === b.attempt;
}

/** The run before (-1) or after (1) of the same cell and environment. */
export function neighbour(runs: readonly Run[], run: Run, step: -1 | 1): Run | null {
  const row = runs.filter((r) => r.environment === run.environment && sameCell(r, run));
  return row[row.indexOf(run) + step] ?? null;
}

/** The runs of the same block in other environments. */
export function counterparts(runs: readonly Run[], run: Run): Run[] {
  return runs.filter((r) => r.environment !== run.environment && sameBlock(r, run));
}

/** Returns the index of a run's environment in the experiment: its colour and dash. */
export function environmentIndex(data: Data, run: Run): number {
  return Math.max(
    0,
    data.environments.findIndex((e) => e.name === run.environment),
  );
}

/** Runs of one environment and one cell. */
export interface Group {
  key: string;
  cell: string;
  environment: string;
  runs: Run[];
}

/** Groups runs by cell and environment, sorted by cell name and the experiment's order. */
export function groupRuns(data: Data, runs: readonly Run[]): Group[] {
  const groups = new Map<string, Group>();
  for (const run of runs) {
    const cell = cellName(run);
    const key = `${cell}\n${run.environment}`;
    const group = groups.get(key) ?? { key, cell, environment: run.environment, runs: [] };
    group.runs.push(run);
    groups.set(key, group);
  }
  const place = (g: Group) => data.environments.findIndex((e) => e.name === g.environment);
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  return [...groups.values()].sort((a, b) => compare(a.cell, b.cell) || place(a) - place(b));
}

/** Returns the runs with all words of a filter in path, cell, repeat or status. */
export function filterRuns(runs: readonly Run[], filter: string): Run[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...runs];
  return runs.filter((run) => {
    const text = `${run.path} ${cellName(run)} ${repeatName(run)} ${run.status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}
