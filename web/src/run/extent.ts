// The ranges of the axes.

import type { Range } from "../link.ts";
import type { Detail, Heat } from "../record.ts";
import type { Column, Panel } from "./panel.ts";
import { logExtent, roundUp } from "./scale.ts";
import { accumulate } from "./stack.ts";
import { placeAt } from "./step.ts";

/** The seconds that the details cover, warm-up included. */
export function wholeRange(details: readonly Detail[]): Range {
  let [from, to] = [0, 1];
  for (const detail of details) {
    const length = Math.max(0, ...detail.tracks.flatMap((t) => t.series.map((s) => s.values.length)));
    from = Math.min(from, detail.start_s, detail.heat?.start_s ?? 0);
    to = Math.max(to, detail.start_s + length * detail.step_s, heatEnd(detail.heat));
  }
  return [from, to];
}

function heatEnd(heat: Heat | undefined): number {
  return heat ? heat.start_s + heat.step_s * heat.counts.length : 0;
}

/** Limits a range to the whole; null if the result is empty or the whole. */
export function clampRange([from, to]: Range, whole: Range): Range | null {
  const inside: Range = [Math.max(from, whole[0]), Math.min(to, whole[1])];
  const all = inside[0] <= whole[0] && inside[1] >= whole[1];
  return all || inside[1] - inside[0] <= 0 ? null : inside;
}

/** Reports whether a range is outside the whole. */
export function isOutside([from, to]: Range, whole: Range): boolean {
  return to <= whole[0] || from >= whole[1];
}

/**
 * Returns the range of a common y axis of panels between two seconds: from 0 if the axis is
 * linear and nothing is negative. Its ends are numbers that suit as labels.
 */
export function valueExtent(panels: readonly Panel[], range: Range): Range {
  const log = panels.some((panel) => panel.log);
  const limits = panels.flatMap((panel) =>
    drawn(panel).map((column) => columnExtent(column, between(panel.times, range), log)),
  );
  const low = Math.min(...limits.map((limit) => limit[0]));
  const high = Math.max(...limits.map((limit) => limit[1]));
  if (low > high) return log ? [0.1, 1] : [0, 1];
  return log ? logExtent(low, high) : linearExtent(low, high);
}

// If another run has more seconds, a downsampled run's value may be before the range.
function columnExtent(column: Column, [from, to]: Range, positive: boolean): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let first = from;
  while (first > 0 && column[first] === undefined) first--;
  for (let i = first; i < to; i++) {
    const value = column[i];
    if (value == null || (positive && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// Returns the indexes of the seconds visible in a range, the end excluded: the first may have
// begun before it.
function between(times: readonly number[], [from, to]: Range): Range {
  const after = times.findIndex((time) => time >= to);
  return [Math.max(0, placeAt(times, from)), after < 0 ? times.length : after];
}

function drawn(panel: Panel): Column[] {
  if (panel.stack) return accumulate(panel.lines.map((line) => line.values)).slice(-1);
  return panel.lines.flatMap((line) => [line.values, line.low ?? [], line.high ?? []]);
}

function linearExtent(low: number, high: number): Range {
  return [low < 0 ? -roundUp(-low) : 0, high > 0 ? roundUp(high) : low < 0 ? 0 : 1];
}
