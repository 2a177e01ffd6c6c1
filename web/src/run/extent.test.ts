import { expect, test } from "vitest";
import { clampRange, isOutside, valueExtent, wholeRange } from "./extent.ts";
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
  expect(valueExtent(panels([100, 5, null, 20]), [1, 4])).toEqual([0, 20]);
  expect(valueExtent(panels([null, null]), [0, 1])).toEqual([0, 1]);
  expect(valueExtent(panels([0, 0]), [0, 1])).toEqual([0, 1]);
  expect(valueExtent(panels([-10, 11]), [0, 2])).toEqual([-10, 12]);
});

test("a second that began before what is in sight is seen, one that begins at its end is not", () => {
  expect(valueExtent(panels([100, 5, 20]), [0.5, 2])).toEqual([0, 100]);
  expect(valueExtent(panels([100, 5, 20]), [1, 2])).toEqual([0, 5]);
});

test("a logarithmic axis ignores what it can't show", () => {
  expect(valueExtent(panels([0, 1.1, 900], { log: true }), [0, 3])).toEqual([1, 1000]);
});

test("a stack reaches to the top of its layers", () => {
  const track = makeTrack("t", { a: [10], b: [9] }, { stack: true });
  const rows = makeRows([makeDetail(0, [track])], "over");
  expect(valueExtent(rows[0]?.panels ?? [], [0, 1])).toEqual([0, 20]);
});

test.each([
  [[20, 30], true],
  [[-9, -5], true],
  [[19, 30], false],
  [[4, 9], false],
] as const)("whether %j is outside of a run", (range, outside) => {
  expect(isOutside(range, [-5, 20])).toBe(outside);
});
