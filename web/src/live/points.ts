// The points of the run in progress, collected from events.

import type { Live, Point } from "../record.ts";

/** The points of one run. Points are only appended: a chart may keep the array. */
export interface Gathered {
  path: string;
  first: number; // how many points of the run precede these
  points: Point[];
}

export const nothing: Gathered = { path: "", first: 0, points: [] };

/**
 * Returns gathered with the points of an event. It starts over for another run, and for a reopened
 * stream, which sends all points from the first. If points were missed, only the new ones are
 * kept, rather than drawing a line across the gap.
 */
export function gather(before: Gathered, live: Live): Gathered {
  const path = live.now?.path ?? "";
  if (path === "") return before; // between two runs the page keeps the last one
  const points = live.points ?? [];
  const at = live.from - before.first;
  if (path !== before.path || at < 0 || at > before.points.length)
    return { path, first: live.from, points: [...points] };
  if (points.length === 0 && at === before.points.length) return before;
  return { path, first: before.first, points: [...before.points.slice(0, at), ...points] };
}

/** Returns the points of the last so many seconds; all for Infinity. */
export function last(points: readonly Point[], seconds: number): readonly Point[] {
  const end = points.at(-1)?.second;
  if (end === undefined || seconds === Number.POSITIVE_INFINITY) return points;
  const first = points.findIndex((point) => point.second > end - seconds);
  return points.slice(Math.max(0, first));
}

/** Returns the columns of a chart: start of each second, TPS, latency in ms. The latency of a second
 * without transactions is a gap, not zero. Missing seconds are gaps, too. */
export function columns(points: readonly Point[]): [number[], (number | null)[], (number | null)[]] {
  const seconds: number[] = [];
  const tps: (number | null)[] = [];
  const latency: (number | null)[] = [];
  let end: number | undefined; // of the previous second
  for (const point of points) {
    const start = point.second - 1; // a point is sent at the end of its second
    if (end !== undefined && start - end > 0.5) {
      seconds.push(end);
      tps.push(null);
      latency.push(null);
    }
    end = point.second;
    seconds.push(start);
    tps.push(point.tps);
    latency.push(point.tps > 0 ? point.latency_ms : null);
  }
  return [seconds, tps, latency];
}
