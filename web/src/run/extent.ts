// How far the axes reach.

import type { Range } from "../link.ts";
import type { Detail, Heat } from "../record.ts";
import type { Column, Panel } from "./panel.ts";
import { accumulate } from "./stack.ts";

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

/** Keeps a range inside the whole; null where nothing sensible is left. */
export function clampRange([from, to]: Range, whole: Range): Range | null {
  const inside: Range = [Math.max(from, whole[0]), Math.min(to, whole[1])];
  const all = inside[0] <= whole[0] && inside[1] >= whole[1];
  return all || inside[1] - inside[0] <= 0 ? null : inside;
}

/**
 * The least and greatest value of panels between two seconds, as their common y
 * axis shows them: from 0 on where the axis is linear and nothing is negative.
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

function columnExtent(column: Column, [from, to]: Range, positive: boolean): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = from; i < to; i++) {
    const value = column[i];
    if (value == null || (positive && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// The places of the times in a range, the end excluded.
function between(times: readonly number[], [from, to]: Range): Range {
  const first = times.findIndex((time) => time >= from);
  const after = times.findIndex((time) => time > to);
  return [first < 0 ? times.length : first, after < 0 ? times.length : after];
}

function drawn(panel: Panel): Column[] {
  if (panel.stack) return accumulate(panel.lines.map((line) => line.values)).slice(-1);
  return panel.lines.flatMap((line) => [line.values, line.low ?? [], line.high ?? []]);
}

function linearExtent(low: number, high: number): Range {
  if (low >= 0) return [0, high > 0 ? high * 1.05 : 1];
  const room = (high - low || 1) * 0.05;
  return [low - room, Math.max(high, 0) + room];
}

function logExtent(low: number, high: number): Range {
  return high / low < 2 ? [low / 1.5, high * 1.5] : [low / 1.1, high * 1.1];
}

// The further an axis reaches, the fewer steps of a decade have room beside each other.
const steps: [reach: number, steps: number[]][] = [
  [4, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [12, [1, 2, 3, 5]],
  [200, [1, 2, 5]],
];

/** Ticks of a logarithmic axis: decades, and steps of each where there is room. */
export function logTicks(from: number, to: number, room: number): number[] {
  for (const [reach, of] of steps) {
    const ticks = decades(from, to, of);
    if (to / from <= reach && ticks.length <= room) return ticks;
  }
  return every(decades(from, to, [1]), room);
}

function decades(from: number, to: number, steps: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let exponent = Math.floor(Math.log10(from)); exponent <= Math.ceil(Math.log10(to)); exponent++) {
    for (const step of steps) {
      const tick = Number((step * 10 ** exponent).toPrecision(12));
      if (tick >= from && tick <= to) ticks.push(tick);
    }
  }
  return ticks;
}

function every(ticks: number[], room: number): number[] {
  const step = Math.max(1, Math.ceil(ticks.length / Math.max(1, room)));
  return ticks.filter((_, i) => i % step === 0);
}
