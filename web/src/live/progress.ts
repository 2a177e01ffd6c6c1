// The progress of an experiment as text, for the panel, the title and screen readers.

import type { Live } from "../record.ts";

/** Returns the share of the planned runs that are committed, from 0 to 1; 0 if unknown. */
export function share(live: Live, planned: number): number {
  if (live.state === "complete") return 1; // it may be decided before all runs are done
  return planned > 0 ? Math.min(1, live.runs / planned) : 0;
}

/** Returns the same in whole per cent, rounded down: 100 only at the end. */
export const percent = (live: Live, planned: number): number => Math.floor(share(live, planned) * 100);

/** Returns "run 17 of 78", or a text for the time before the first run and after the last. */
export function runText(live: Live, planned: number): string {
  if (planned === 0) return "";
  if (live.state !== "running") return `${live.runs} of ${plural(planned, "run")}`;
  const run = live.now?.run ?? 0;
  return run === 0 ? `${plural(planned, "run")} remaining` : `run ${run} of ${planned}`;
}

/** "tpcb-like, 10 clients, 4 threads, 500/s": the cell of the run in progress. */
export function cellText(live: Live): string {
  const cell = live.now?.cell;
  if (!cell) return "";
  const parts = [cell.workload, plural(cell.clients, "client"), plural(cell.threads, "thread")];
  if (cell.rate) parts.push(`${cell.rate}/s`);
  return parts.join(", ");
}

/** Returns the current step and its environment: "driving disk (accounts, 45 %)". */
export function stepText(live: Live): string {
  const now = live.now;
  if (!now) return "";
  const where = now.environment ? ` ${now.environment}` : "";
  return `${now.step}${where}${now.detail ? ` (${now.detail})` : ""}`;
}

/** "61 valid, 2 invalid, 0 failed". */
export function countsText(live: Live): string {
  const { valid, invalid, failed } = live.counts;
  return `${valid} valid, ${invalid} invalid, ${failed} failed`;
}

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** Returns "ended: complete", with the reason if there is one; "" while it runs. */
export function endText(live: Live): string {
  if (live.state === "running") return "";
  return `ended: ${live.state}${live.reason ? ` (${live.reason})` : ""}`;
}

/** Returns the title of the tab: progress first, because a tab shows only the beginning. */
export function titleText(live: Live, planned: number, title: string): string {
  if (live.state !== "running") return `${live.state} · ${title}`;
  return planned > 0 ? `${percent(live, planned)} % · ${title}` : title;
}
