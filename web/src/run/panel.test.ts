import { expect, test } from "vitest";
import { makeDetail, makeTrack } from "./made.ts";
import { makeRows, mergeNames } from "./panel.ts";
import { accumulate } from "./stack.ts";

const tps = (...values: (number | null)[]) => makeTrack("tps", { TPS: values });

test("one run has a panel a track, from its warm-up on", () => {
  const rows = makeRows([makeDetail(-2, [tps(1, 2, 3), makeTrack("wal", { WAL: [4, null, 6] })])], "beside");
  expect(rows.map((row) => row.id)).toEqual(["tps", "wal"]);
  expect(rows[0]?.panels[0]?.times).toEqual([-2, -1, 0]);
  expect(rows[1]?.panels[0]?.lines[0]?.values).toEqual([4, null, 6]);
});

test("two runs beside each other have a panel each, also where one lacks the track", () => {
  const a = makeDetail(0, [tps(1, 2)]);
  const b = makeDetail(0, [tps(3, 4), makeTrack("wal", { WAL: [5, 6] })]);
  const rows = makeRows([a, b], "beside");
  expect(rows.map((row) => row.panels.map((panel) => panel.lines.length))).toEqual([
    [1, 1],
    [0, 1],
  ]);
});

test("two runs over each other meet at their seconds; a gap is no absence", () => {
  const rows = makeRows([makeDetail(-1, [tps(1, null, 3)]), makeDetail(0, [tps(7, 8, 9)])], "over");
  const panel = rows[0]?.panels[0];
  expect(panel?.times).toEqual([-1, 0, 1, 2]);
  expect(panel?.lines.map((line) => line.values)).toEqual([
    [1, null, 3, undefined],
    [undefined, 7, 8, 9],
  ]);
  expect(panel?.lines.map((line) => line.side)).toEqual([0, 1]);
});

test("runs thinned by different steps meet where they can", () => {
  const rows = makeRows(
    [makeDetail(0, [tps(1, 2, 3, 4)]), makeDetail(0, [tps(7, 8)], { step_s: 2 })],
    "over",
  );
  expect(rows[0]?.panels[0]?.lines[1]?.values).toEqual([7, undefined, 8, undefined]);
});

test("over each other, each series has a chart; stacks stay beside each other", () => {
  const latency = makeTrack("latency", { p50: [1], p99: [2] });
  const wait = makeTrack("wait", { IO: [1], Lock: [2] }, { stack: true });
  const details = [makeDetail(0, [latency, wait]), makeDetail(0, [latency, wait])];
  const rows = makeRows(details, "over");
  expect(rows.map((row) => row.panels.map((panel) => panel.title))).toEqual([
    ["latency: p50"],
    ["latency: p99"],
    ["wait", "wait"],
  ]);
  expect(new Set(rows.flatMap((row) => row.panels.map((panel) => panel.key))).size).toBe(4);
});

test("series of both runs have one order: what one has more stands where it stood there", () => {
  expect(mergeNames(["user", "system", "iowait"], ["user", "system", "nice", "iowait", "steal"])).toEqual([
    "user",
    "system",
    "nice",
    "iowait",
    "steal",
  ]);
  expect(mergeNames([], ["a", "b"])).toEqual(["a", "b"]);
  expect(mergeNames(["b"], ["a", "b"])).toEqual(["a", "b"]);
});

test.each(["beside", "over"] as const)("a layer is the same in both runs, %s", (layout) => {
  const a = makeTrack("wait", { IO: [1], Lock: [2] }, { stack: true });
  const b = makeTrack("wait", { Lock: [2], CPU: [1], IO: [1] }, { stack: true });
  const [row] = makeRows([makeDetail(0, [a]), makeDetail(0, [b])], layout);
  const layers = row?.panels.map((panel) => panel.lines.map((line) => [line.name, line.layer]));
  expect(layers).toEqual([
    [
      ["IO", 0],
      ["Lock", 1],
    ],
    [
      ["IO", 0],
      ["Lock", 1],
      ["CPU", 2],
    ],
  ]);
});

test("layers lie on each other; a gap in all of them is one", () => {
  expect(
    accumulate([
      [1, null, 3, null],
      [10, 20, null, null],
    ]),
  ).toEqual([
    [1, 0, 3, null],
    [11, 20, 3, null],
  ]);
});
