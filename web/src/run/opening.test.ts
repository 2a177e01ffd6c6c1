import { expect, test } from "vitest";
import { opens } from "./opening.ts";

const chart = (track: string, series: string | null = null, title = "") => ({ track, series, title });

test("what says most is there at first", () => {
  const first = ["tps", "latency", "heat", "dirty", "wal", "buffers", "wait", "cpu", "cpu-owner"];
  for (const track of first) expect(opens(chart(track)), track).toBe(true);
  for (const track of ["sessions", "wal-ops", "memory", "unheard"])
    expect(opens(chart(track)), track).toBe(false);
});

test("of latencies with a chart each, the median and p99", () => {
  const there = ["p50", "p95", "p99", "max"].filter((series) => opens(chart("latency", series)));
  expect(there).toEqual(["p50", "p99"]);
});

test("of disks, those with data on them", () => {
  const disk = (role: string) => opens(chart("disk-ops.vdb", null, `Disk vdb${role}: operations`));
  expect(["", " (data)", " (data, WAL)", " (WAL)"].map(disk)).toEqual([true, true, true, false]);
});
