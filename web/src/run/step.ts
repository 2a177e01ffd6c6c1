// A value of a second covers that second, so it is drawn as a step from its time to the next. A
// dot or a slanted line would show less (nothing for a run of one second), or something else.

import uPlot from "uplot";
import type { Column, Line } from "./panel.ts";

/** The time axis and the columns of lines, each with the end of its last value. */
export interface Closed {
  times: number[];
  columns: Column[];
}

/** One column to be drawn, and how many seconds each of its values covers. */
export interface Covering {
  values: Column;
  step: number;
}

/** Repeats the last value of each column at the end of its second, so that a step reaches it. */
export function closeSteps(times: readonly number[], columns: readonly Covering[]): Closed {
  const ends = columns.map(({ values, step }) => endOf(times, values, step));
  const all = [...new Set([...times, ...ends.filter((end) => end !== null)])].sort((a, b) => a - b);
  const at = new Map(all.map((time, i) => [time, i]));
  return { times: all, columns: columns.map(({ values }, i) => closed(values, ends[i] ?? null)) };

  function closed(values: Column, end: number | null): Column {
    const wide: Column = new Array(all.length).fill(undefined);
    values.forEach((value, i) => {
      wide[at.get(times[i] ?? Number.NaN) ?? -1] = value;
    });
    if (end !== null) wide[at.get(end) ?? -1] = values[lastOf(values)];
    return wide;
  }
}

// Null if there is no last value, or a gap.
function endOf(times: readonly number[], values: Column, step: number): number | null {
  const last = lastOf(values);
  return values[last] == null ? null : round((times[last] ?? 0) + step);
}

function lastOf(values: Column): number {
  return values.findLastIndex((value) => value !== undefined);
}

/** Rounds a time to milliseconds, so that the seconds of two runs coincide. */
export function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The index of the second that contains a time; -1 before the first. */
export function placeAt(times: readonly number[], time: number): number {
  return times.findLastIndex((start) => start <= time);
}

/** The index of a line's value that covers a time, or -1. */
export function valueAt(times: readonly number[], line: Line, time: number): number {
  let at = placeAt(times, time);
  while (at >= 0 && line.values[at] === undefined) at--;
  return at >= 0 && time < (times[at] ?? 0) + line.step ? at : -1;
}

// In CSS pixels. Narrower steps are mostly verticals: a line replaces them.
const narrowest = 3;

/** Reports whether steps of that many seconds are wide enough to be visible. */
export function drawsSteps(chart: uPlot, step: number): boolean {
  const { min, max } = chart.scales.x ?? {};
  if (min == null || max == null || max <= min) return false;
  return (step / (max - min)) * chart.bbox.width >= narrowest * uPlot.pxRatio;
}

/** Draws a line of values that cover so many seconds each. */
export function stepPaths(step: number): uPlot.Series.PathBuilder {
  const [stepped, plain] = [uPlot.paths.stepped?.({ align: 1, alignGaps: 1 }), uPlot.paths.linear?.()];
  return (chart, ...rest) => (drawsSteps(chart, step) ? stepped : plain)?.(chart, ...rest) ?? null;
}

/** Without steps, a value between two gaps is a point: a line would not show it. */
export function lonePoints(step: number, fill: string): uPlot.Series.Points {
  return {
    show: false,
    size: 4,
    fill,
    filter: (chart, series, _, gaps) => {
      if (!gaps?.length || drawsSteps(chart, step)) return null;
      return lone(chart.data[series] as Column);
    },
  };
}

/** Returns the indexes of values without a neighbour. */
export function lone(values: Column): number[] {
  const places = [...values.keys()].filter((i) => values[i] !== undefined);
  const gap = (i: number | undefined) => i === undefined || values[i] === null;
  return places.filter((at, i) => !gap(at) && gap(places[i - 1]) && gap(places[i + 1]));
}
