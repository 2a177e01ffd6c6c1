import { describe, expect, test } from "vitest";
import type { Live, Point } from "../record.ts";
import { columns, gather, last, nothing } from "./points.ts";

const point = (second: number, tps = 100): Point => ({ second, tps, latency_ms: 2, failures: 0 });
const range = (from: number, to: number): Point[] =>
  Array.from({ length: to - from }, (_, i) => point(from + i));

function event(path: string, from: number, points: Point[]): Live {
  const now = { at: "", step: "driving", path, run: 1, runs: 2, left_s: 0 };
  const counts = { valid: 0, invalid: 0, failed: 0 };
  return { schema: "", record: "r", state: "running", runs: 0, counts, now, left_s: 0, points, from };
}

const seconds = (gathered: { points: readonly Point[] }) => gathered.points.map((p) => p.second);

describe("gathering", () => {
  const three = gather(nothing, event("a/r01", 0, range(0, 3)));

  test("what comes goes behind", () =>
    expect(seconds(gather(three, event("a/r01", 3, range(3, 5))))).toEqual([0, 1, 2, 3, 4]));
  test("a stream opened again sends all once more", () =>
    expect(seconds(gather(three, event("a/r01", 0, range(0, 4))))).toEqual([0, 1, 2, 3]));
  test("what overlaps is there once", () =>
    expect(seconds(gather(three, event("a/r01", 2, range(2, 4))))).toEqual([0, 1, 2, 3]));
  test("nothing new is the same object", () => expect(gather(three, event("a/r01", 3, []))).toBe(three));
  test("another run begins anew", () =>
    expect(gather(three, event("a/r02", 0, range(0, 1)))).toEqual({
      path: "a/r02",
      first: 0,
      points: range(0, 1),
    }));
  test("missed points are not made up", () =>
    expect(seconds(gather(three, event("a/r01", 7, range(7, 9))))).toEqual([7, 8]));
  test("a page that is opened late gets only the end of a long run, and goes on from there", () => {
    const late = gather(nothing, event("a/r01", 5000, range(5000, 5003)));
    expect(seconds(gather(late, event("a/r01", 5003, range(5003, 5005))))).toEqual([
      5000, 5001, 5002, 5003, 5004,
    ]);
    expect(gather(late, event("a/r01", 5003, []))).toBe(late);
  });
  test("between two runs the last one stays", () => expect(gather(three, event("", 0, []))).toBe(three));
});

test("the last two minutes", () => {
  expect(seconds({ points: last(range(0, 300), 120) })).toEqual(seconds({ points: range(180, 300) }));
  expect(last(range(0, 30), 120)).toHaveLength(30);
  expect(last([], 120)).toEqual([]);
  expect(last(range(0, 300), Number.POSITIVE_INFINITY)).toHaveLength(300);
});

test("a second without transactions has no latency, and a missing second is a gap", () => {
  expect(columns([point(1), point(2, 0), point(5)])).toEqual([
    [0, 1, 2, 4],
    [100, 0, null, 100],
    [2, null, null, 2],
  ]);
});
