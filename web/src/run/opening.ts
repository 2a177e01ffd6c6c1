// The charts that are open by default: throughput, latency, and what the server waited for. All
// others are a click away.

import type { Row } from "./panel.ts";

/** The id of the row of heat maps. */
export const heatID = "heat";

// By track, with the series if each has its own chart.
const opening: Record<string, "all" | string[]> = {
  tps: "all",
  latency: ["p50", "p99"],
  [heatID]: "all",
  dirty: ["Dirty"],
  "disk-ops": ["reads", "writes", "flushes"],
  "disk-latency": ["read", "write", "flush"],
  wal: "all",
  buffers: "all",
  wait: "all",
  cpu: "all",
  "cpu-owner": "all",
};

/** The properties of a chart that decide about it. */
export type Shows = Pick<Row, "track" | "series"> & { title: string };

/** Whether a chart is open by default. */
export function opens({ track, series, title }: Shows): boolean {
  const [kind = ""] = track.split("."); // "disk-ops.vda"
  const those = opening[kind];
  if (!those || title.includes("(WAL)")) return false; // a disk without data
  return those === "all" || series === null || those.includes(series);
}
