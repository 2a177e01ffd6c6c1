// The charts that are there when nobody has asked for others: how fast, and what it
// waited for. All further ones are a click away.

import type { Row } from "./panel.ts";

/** What the row of heat maps is called. */
export const heatID = "heat";

// By track; where each series has a chart of its own, those of them.
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

/** What a chart shows, as far as the choice of charts asks. */
export type Shows = Pick<Row, "track" | "series"> & { title: string };

/** Whether a chart is there at first. */
export function opens({ track, series, title }: Shows): boolean {
  const [kind = ""] = track.split("."); // "disk-ops.vda"
  const those = opening[kind];
  if (!those || title.includes("(WAL)")) return false; // a disk that has no data on it
  return those === "all" || series === null || those.includes(series);
}
