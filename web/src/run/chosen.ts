// The explorer's choice, and its form in the address.

import { type Link, parseRange, type Range } from "../link.ts";
import type { Data, Run } from "../record.ts";
import { inFile } from "./detail.ts";
import { counterparts, neighbour, sameBlock } from "./names.ts";
import type { Layout } from "./panel.ts";

/** At most two runs, their layout, and the range of seconds; null shows all. */
export interface Chosen {
  a: Run | null;
  b: Run | null;
  layout: Layout;
  range: Range | null;
}

/** The choice in an address; null if it names no run of this record. */
export function chosenBy(link: Link, runs: readonly Run[]): Chosen | null {
  const find = (path: string | undefined) => runs.find((run) => run.path === path) ?? null;
  const a = find(link.keys.get("run"));
  if (!a) return null;
  const b = find(link.keys.get("with"));
  return {
    a,
    b: b === a ? null : b,
    layout: link.keys.get("layout") === "over" ? "over" : "beside",
    range: parseRange(link.keys.get("t")),
  };
}

/** The parts of an address that cannot be shown, as sentences. */
export function problemsOf(link: Link, runs: readonly Run[]): string[] {
  const [run, beside, seconds] = ["run", "with", "t"].map((key) => link.keys.get(key));
  const isLost = (path: string | undefined) => path !== undefined && !runs.some((one) => one.path === path);
  const problems: string[] = [];
  if (isLost(run))
    problems.push(`This link refers to a run that is not in this record: ${run}. Another run is shown.`);
  if (isLost(beside))
    problems.push(`This link refers to a second run that is not in this record: ${beside}.`);
  if (seconds !== undefined && !parseRange(seconds))
    problems.push(`This link has an invalid range of seconds: ${seconds}. The whole run is shown.`);
  return problems;
}

/**
 * The default choice: the block that illustrates the answer best or, if its seconds are not
 * available, the first one whose runs count and are available.
 */
export function firstChoice(data: Data): Chosen {
  const [told, beside] = data.telling.map((path) => data.runs.find((run) => run.path === path));
  if (told && (data.served || inFile(data, told.path)))
    return { a: told, b: beside ?? null, layout: "over", range: null };
  const seen = data.runs.filter((run) => data.served || inFile(data, run.path));
  const counted = seen.filter((run) => run.counted && run.status === "valid");
  const of = (runs: Run[]) => runs.find((run) => run.environment === data.baseline) ?? runs[0] ?? null;
  const a = of(counted) ?? of(seen) ?? of(data.runs);
  const b = a ? (counterparts(counted, a)[0] ?? null) : null;
  return { a, b, layout: "over", range: null };
}

/** The next or previous run; a second run of the same block follows. */
export function stepChoice(chosen: Chosen, runs: readonly Run[], step: -1 | 1): Chosen {
  const { a, b } = chosen;
  const next = a && neighbour(runs, a, step);
  if (!next) return chosen;
  if (!b || !sameBlock(a, b)) return { ...chosen, a: next, b: b === next ? null : b };
  const along = counterparts(runs, next).find((run) => run.environment === b.environment);
  return { ...chosen, a: next, b: along ?? null };
}

/** Adds the run next to the first in its block as the second run, or removes the second run. */
export function toggleSecond(chosen: Chosen, runs: readonly Run[]): Chosen {
  const beside = chosen.a && !chosen.b ? counterparts(runs, chosen.a)[0] : null;
  return { ...chosen, b: beside ?? null };
}

/** Reports whether Back should return from next to old: for other runs, not for other seconds. */
export function isStep(old: Chosen, next: Chosen): boolean {
  if (old.a?.path !== next.a?.path || old.b?.path !== next.b?.path) return true;
  return next.b !== null && old.layout !== next.layout;
}

/** The same choice with the runs of newer data; null for a run that is gone. */
export function renewChoice(chosen: Chosen, runs: readonly Run[]): Chosen {
  const find = (old: Run | null) => runs.find((run) => run.path === old?.path) ?? null;
  return { ...chosen, a: find(chosen.a), b: find(chosen.b) };
}
