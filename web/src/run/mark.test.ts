import { expect, test } from "vitest";
import { makeDetail } from "./made.ts";
import { collectMarks, drawnAtFirst, markKinds, markLetter, markName } from "./mark.ts";
import { sparkPath } from "./spark.tsx";

test("marks of both runs stand in order of time, and know whose they are", () => {
  const a = makeDetail(0, [], { marks: [{ second: 5, kind: "log", text: "x" }] });
  const b = makeDetail(0, [], { marks: [{ second: 2, kind: "checkpoint-start" }] });
  expect(collectMarks([a, b]).map((mark) => [mark.second, mark.side])).toEqual([
    [2, 1],
    [5, 0],
  ]);
});

test("kinds have letters and names, also those nobody knew", () => {
  expect(["checkpoint-start", "wal-segment", "flush"].map(markLetter)).toEqual(["C", "w", "F"]);
  expect(markName("checkpoint-start")).toBe("checkpoint start");
  const marks = ["zebra", "log", "checkpoint-start", "log"].map((kind) => ({ second: 0, kind }));
  expect(markKinds(marks)).toEqual([
    ["checkpoint-start", 1],
    ["log", 2],
    ["zebra", 1],
  ]);
});

test("very many marks of a kind start hidden", () => {
  expect([60, 61].map(drawnAtFirst)).toEqual([true, false]);
});

test("a sparkline keeps extremes and gaps", () => {
  const path = sparkPath({ step_s: 1, low: [1, 0, null, 4], high: [2, 8, null, 4] }, 8);
  expect(path.match(/M/g)).toHaveLength(2);
  expect(path).toContain("27.0,1.0"); // the highest
  expect(path).toContain("27.0,17.0"); // the lowest
});
