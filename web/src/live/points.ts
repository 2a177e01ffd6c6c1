// The points of the run that goes on, gathered from events that each bring a few.

import type { Live, Point } from "../record.ts";

/** The points of one run. Points are only ever put behind: a chart may keep the array. */
export interface Gathered {
  path: string;
  points: Point[];
}

export const nothing: Gathered = { path: "", points: [] };

/**
 * Gathered with what an event brought. Another run begins anew; so does a stream that
 * was opened again, which sends from the first point on. Points that were missed
 * cannot be made up: then only what came is kept, rather than a line over the gap.
 */
export function gather(before: Gathered, live: Live): Gathered {
  const path = live.now?.path ?? "";
  if (path === "") return before; // between two runs the last one stays on the page
  const points = live.points ?? [];
  if (path !== before.path || live.from > before.points.length) return { path, points: [...points] };
  if (points.length === 0 && live.from === before.points.length) return before;
  return { path, points: [...before.points.slice(0, live.from), ...points] };
}

/** The points of the last so many seconds, or all of them for Infinity. */
export function last(points: readonly Point[], seconds: number): readonly Point[] {
  const end = points.at(-1)?.second;
  if (end === undefined || seconds === Number.POSITIVE_INFINITY) return points;
  const first = points.findIndex((point) => point.second > end - seconds);
  return points.slice(Math.max(0, first));
}

/** The columns of a chart: when each second began, its TPS, its latency in ms. A second
 * without any transaction has no latency: a gap, never zero. So are missing seconds. */
export function columns(points: readonly Point[]): [number[], (number | null)[], (number | null)[]] {
  const seconds: number[] = [];
  const tps: (number | null)[] = [];
  const latency: (number | null)[] = [];
  let end: number | undefined; // of the second before
  for (const point of points) {
    const start = point.second - 1; // a point is told when its second is over
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
