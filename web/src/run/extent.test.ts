import { expect, test } from "vitest";
import { clampRange, logTicks, valueExtent, wholeRange } from "./extent.ts";
import { makeDetail, makeTrack } from "./made.ts";
import { makeRows } from "./panel.ts";

const panels = (values: (number | null)[], more = {}) =>
  makeRows([makeDetail(0, [makeTrack("t", { a: values }, more)])], "over")[0]?.panels ?? [];

test("the whole is from the first warm-up second to the end of the longer run", () => {
  const a = makeDetail(-10, [makeTrack("t", { a: [1, 2, 3] })]);
  const b = makeDetail(0, [makeTrack("t", { a: [1, 2] })], { step_s: 30 });
  expect(wholeRange([a, b])).toEqual([-10, 60]);
});

test("a range that is all or nothing is none", () => {
  expect(clampRange([-20, 80], [-10, 60])).toBeNull();
  expect(clampRange([70, 80], [-10, 60])).toBeNull();
  expect(clampRange([-20, 30], [-10, 60])).toEqual([-10, 30]);
});

test("the axis fits what is in sight, from zero on", () => {
  expect(valueExtent(panels([100, 5, null, 20]), [1, 3])).toEqual([0, 21]);
  expect(valueExtent(panels([null, null]), [0, 1])).toEqual([0, 1]);
  expect(valueExtent(panels([0, 0]), [0, 1])).toEqual([0, 1]);
  expect(valueExtent(panels([-10, 10]), [0, 1])).toEqual([-11, 11]);
});

test("a logarithmic axis ignores what it can't show", () => {
  const [low, high] = valueExtent(panels([0, 1, 1000], { log: true }), [0, 2]);
  expect(low).toBeGreaterThan(0.5);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1000);
});

test("a stack reaches to the top of its layers", () => {
  const track = makeTrack("t", { a: [10], b: [10] }, { stack: true });
  const rows = makeRows([makeDetail(0, [track])], "over");
  expect(valueExtent(rows[0]?.panels ?? [], [0, 1])).toEqual([0, 21]);
});

test.each([
  [1, 1000, 4, [1, 10, 100, 1000]],
  [0.9, 11, 5, [1, 2, 5, 10]],
  [2.5, 6.5, 6, [3, 4, 5, 6]],
  [8.2, 41, 6, [10, 20, 30]],
  [1e-3, 1e6, 4, [1e-3, 1, 1e3, 1e6]],
])("logTicks(%d, %d)", (from, to, room, ticks) => {
  expect(logTicks(from, to, room)).toEqual(ticks);
});
