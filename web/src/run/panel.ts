// Tracks of one run or two as panels with one time axis: plain data, which can be tested
// without a browser.

import type { Detail, Series, Track } from "../record.ts";
import { round } from "./step.ts";

/** Values on a time axis: null is a gap, undefined that this line has no value there. */
export type Column = (number | null | undefined)[];

/** One of the two shown runs. */
export type Side = 0 | 1;

/** One line or layer of a panel. */
export interface Line {
  name: string;
  side: Side;
  layer: number; // its index in the track, merged over both runs
  step: number; // s that a value covers
  values: Column; // as observed, in the unit of the panel
  low?: Column; // of the seconds that were merged into one value
  high?: Column;
}

/** One chart. */
export interface Panel {
  key: string;
  title: string;
  unit: string;
  log: boolean;
  stack: boolean;
  times: number[]; // s, ascending
  lines: Line[];
}

/** Panels side by side, with one y axis. */
export interface Row {
  id: string; // "latency", or "latency p99"
  track: string;
  series: string | null; // if each series has a chart of its own
  panels: Panel[];
}

/** How two runs are shown. */
export type Layout = "beside" | "over";

/** Returns the rows of one run, or of two in a layout. */
export function makeRows(details: readonly Detail[], layout: Layout): Row[] {
  const [a, b] = details;
  if (!a) return [];
  if (!b) return a.tracks.map((track) => rowOf(track, null, [single(a, track, 0, namesOf(track))]));
  return trackPairs(a, b).flatMap((pair) => pairRows(a, b, pair, layout));
}

interface Pair {
  first: Track; // a, or else b: for title and unit
  a: Track | undefined;
  b: Track | undefined;
}

function trackPairs(a: Detail, b: Detail): Pair[] {
  const other = new Map(b.tracks.map((track) => [track.id, track]));
  const pairs: Pair[] = a.tracks.map((track) => ({ first: track, a: track, b: other.get(track.id) }));
  const known = new Set(a.tracks.map((track) => track.id));
  const rest = b.tracks.filter((track) => !known.has(track.id));
  return [...pairs, ...rest.map((track) => ({ first: track, a: undefined, b: track }))];
}

function pairRows(a: Detail, b: Detail, pair: Pair, layout: Layout): Row[] {
  const empty = { ...pair.first, series: [] };
  const names = mergeNames(namesOf(pair.a ?? empty), namesOf(pair.b ?? empty));
  if (layout === "beside" || pair.first.stack) {
    // Stacks cannot be overlaid: the order of their layers would be lost.
    return [
      rowOf(pair.first, null, [single(a, pair.a ?? empty, 0, names), single(b, pair.b ?? empty, 1, names)]),
    ];
  }
  return names.map((name) => {
    const row = rowOf(pair.first, names.length > 1 ? name : null, []);
    return { ...row, panels: [overlay(a, b, pair, name, row)] };
  });
}

function rowOf({ id }: Track, series: string | null, panels: Panel[]): Row {
  return { id: series === null ? id : `${id} ${series}`, track: id, series, panels };
}

function namesOf(track: Track): string[] {
  return track.series.map((series) => series.name);
}

/**
 * Merges both lists: a name that only the second has follows its neighbour there. The index
 * gives a series the same look and the same position in a stack in both runs, even if one run
 * has more series.
 */
export function mergeNames(a: readonly string[], b: readonly string[]): string[] {
  const merged = [...a];
  b.forEach((name, i) => {
    if (!merged.includes(name)) merged.splice(merged.indexOf(b[i - 1] ?? "") + 1, 0, name);
  });
  return merged;
}

function single(detail: Detail, track: Track, side: Side, names: readonly string[]): Panel {
  const length = Math.max(0, ...detail.tracks.flatMap((t) => t.series.map((s) => s.values.length)));
  return {
    ...head(track),
    key: `${track.id} ${side}`,
    times: axis(detail, length),
    lines: track.series
      .map((series) => line(detail, series, side, names.indexOf(series.name)))
      .sort((one, other) => one.layer - other.layer),
  };
}

// Overlaid runs have a chart for each series, so that a colour means an environment, as
// everywhere.
function overlay(a: Detail, b: Detail, pair: Pair, name: string, row: Row): Panel {
  const sides = [
    { detail: a, series: pair.a?.series.find((s) => s.name === name) },
    { detail: b, series: pair.b?.series.find((s) => s.name === name) },
  ];
  const axes = sides.map(({ detail, series }) => axis(detail, series?.values.length ?? 0));
  const times = [...new Set(axes.flat())].sort((x, y) => x - y);
  const at = new Map(times.map((t, i) => [t, i]));
  const lines = sides.flatMap(({ detail, series }, side) =>
    series ? [moved(line(detail, series, side as Side, 0), axes[side] ?? [], at)] : [],
  );
  const title = row.series === null ? pair.first.title : `${pair.first.title}: ${name}`;
  return { ...head(pair.first), title, key: row.id, times, lines };
}

function head({ title, unit, log, stack }: Track) {
  return { title, unit, log, stack };
}

function line({ step_s: step }: Detail, series: Series, side: Side, layer: number): Line {
  const { name, values, low, high } = series;
  return { name, side, layer, step, values, ...(low && high ? { low, high } : {}) };
}

function moved(line: Line, times: readonly number[], at: ReadonlyMap<number, number>): Line {
  const move = (column: Column) => {
    const wide: Column = new Array(at.size).fill(undefined);
    column.forEach((value, i) => {
      wide[at.get(times[i] ?? Number.NaN) ?? -1] = value;
    });
    return wide;
  };
  const values = move(line.values);
  return line.low && line.high
    ? { ...line, values, low: move(line.low), high: move(line.high) }
    : { ...line, values };
}

function axis(detail: Detail, length: number): number[] {
  return Array.from({ length }, (_, i) => round(detail.start_s + i * detail.step_s));
}
