import { expect, test } from "vitest";
import { makeDetail } from "./made.ts";
import {
  collectMarks,
  drawnAtFirst,
  markKinds,
  markLabels,
  markLetter,
  markName,
  marksWithin,
} from "./mark.ts";
import { sparkPath } from "./spark.tsx";

test("marks of both runs stand in order of time, and know whose they are", () => {
  const a = makeDetail(0, [], { marks: [{ second: 5, kind: "log", text: "x" }] });
  const b = makeDetail(0, [], { marks: [{ second: 2, kind: "checkpoint-start" }] });
  expect(collectMarks([a, b]).map((mark) => [mark.second, mark.side])).toEqual([
    [2, 1],
    [5, 0],
  ]);
});

test("marks outside of what the charts show are left out", () => {
  const marks = [-1, 0, 4.5, 9, 9.1].map((second) => ({ second, kind: "log" }));
  expect(marksWithin(marks, [0, 9]).map(({ second }) => second)).toEqual([0, 4.5, 9]);
});

test("of marks at one instant a checkpoint goes before the log's line about it", () => {
  const marks = [
    { second: 1, kind: "log" },
    { second: 1, kind: "checkpoint-start" },
  ];
  expect(collectMarks([makeDetail(0, [], { marks })]).map((mark) => mark.kind)).toEqual([
    "checkpoint-start",
    "log",
  ]);
});

test("letters that would touch stand together, each once", () => {
  const at = (x: number, kind: string) => ({ x, kind });
  const near = [at(100, "log"), at(101, "checkpoint-start"), at(104, "log"), at(140, "log")];
  expect(markLabels(near, 8)).toEqual([
    { x: 100, text: "CL" },
    { x: 140, text: "L" },
  ]);
  const apart = markLabels([at(0, "log"), at(13, "log"), at(26, "autovacuum")], 8);
  expect(apart.map(({ text }) => text)).toEqual(["L", "L", "V"]);
  const grown = [at(0, "checkpoint-end"), at(13, "checkpoint-start"), at(13, "log")];
  expect(markLabels(grown, 8)).toEqual([{ x: 0, text: "CEL" }]);
});

test("kinds have letters and names, also those nobody knew", () => {
  expect(["checkpoint-start", "wal-segment", "flush", "aof-rewrite-end"].map(markLetter)).toEqual([
    "C",
    "w",
    "F",
    "r",
  ]);
  expect(["checkpoint-start", "wal-segment", "aof-rewrite-end"].map(markName)).toEqual([
    "checkpoint start",
    "WAL segment",
    "AOF rewrite end",
  ]);
  const marks = ["zebra", "log", "checkpoint-start", "log"].map((kind) => ({ second: 0, kind }));
  expect(markKinds(marks)).toEqual([
    ["checkpoint-start", 1],
    ["log", 2],
    ["zebra", 1],
  ]);
});

test("very many marks of a kind start hidden", () => {
  expect([60, 61].map((count) => drawnAtFirst("log", count))).toEqual([true, false]);
  expect([12, 13].map((count) => drawnAtFirst("wal-segment", count))).toEqual([true, false]);
});

test("a sparkline keeps extremes and gaps", () => {
  const path = sparkPath({ step_s: 1, low: [1, 0, null, 4], high: [2, 8, null, 4] }, 8);
  expect(path.match(/M/g)).toHaveLength(2);
  expect(path).toContain("27.0,1.0"); // the highest
  expect(path).toContain("27.0,17.0"); // the lowest
  expect(sparkPath({ step_s: 1, low: [4], high: [4] }, 8)).toMatch(/^M0.0,9.0L.*L72.0,9.0L/);
});
