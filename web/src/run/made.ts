// Runs and details for tests.

import type { Data, Detail, Run, Track } from "../record.ts";

export function makeRun(environment: string, repeat: number, more: Partial<Run> = {}): Run {
  return {
    path: `${environment}/tpcb-like/c8-j1/r0${repeat}`,
    environment,
    workload: "tpcb-like",
    clients: 8,
    threads: 1,
    repeat,
    attempt: 1,
    number: repeat,
    status: "valid",
    counted: true,
    started: "2026-11-21T03:15:00Z",
    duration_s: 60,
    tps: 1000,
    mean_ns: 1e6,
    p50_ns: 1e6,
    p99_ns: 2e6,
    max_ns: 3e6,
    ...more,
  };
}

export function makeTrack(
  id: string,
  values: Record<string, (number | null)[]>,
  more: Partial<Track> = {},
): Track {
  const series = Object.entries(values).map(([name, v]) => ({ name, column: name, values: v }));
  return { id, title: id, unit: "1/s", stack: false, log: false, series, ...more };
}

export function makeDetail(start: number, tracks: Track[], more: Partial<Detail> = {}): Detail {
  return { path: "x", start_s: start, step_s: 1, tracks, marks: [], spent: "", tables: "", ...more };
}

export function makeData(runs: Run[], more: Partial<Data> = {}): Data {
  return {
    schema: "plinth/page/v1",
    record: "record",
    question: "?",
    engine: "postgres",
    words: { rate: "TPS", unit: "transaction", row: "row" },
    state: "complete",
    baseline: "disk",
    environments: [
      { name: "disk", basis: "measured" },
      { name: "memory", basis: "measured" },
    ],
    runs,
    telling: [],
    details: [],
    room: { limit_bytes: 0, used_bytes: 0, included_runs: 0, of_runs: runs.length },
    served: false,
    ...more,
  };
}
