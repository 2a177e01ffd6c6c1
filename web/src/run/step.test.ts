import { expect, test } from "vitest";
import type { Line } from "./panel.ts";
import { closeSteps, lone, valueAt } from "./step.ts";

const line = (values: Line["values"], step = 1): Line => ({ name: "", side: 0, layer: 0, step, values });

test("the last second reaches to its end", () => {
  expect(closeSteps([-1, 0], [line([7, 8])])).toEqual({ times: [-1, 0, 1], columns: [[7, 8, 8]] });
  expect(closeSteps([0], [line([null])]).times).toEqual([0]);
  expect(closeSteps([], [line([])])).toEqual({ times: [], columns: [[]] });
});

test("each line ends at its own end", () => {
  const short = line([1, 2, undefined]);
  const thinned = line([5, undefined, 6], 2);
  expect(closeSteps([0, 1, 2], [short, thinned])).toEqual({
    times: [0, 1, 2, 4],
    columns: [
      [1, 2, 2, undefined],
      [5, undefined, 6, 6],
    ],
  });
});

test("a second has the value that covers it", () => {
  const times = [-1, 0, 1, 2];
  expect(valueAt(times, line([1, 2, 3, undefined]), 0.9)).toBe(1);
  expect(valueAt(times, line([1, 2, 3, undefined]), 2.1)).toBe(-1);
  expect(valueAt(times, line([1, undefined, 3, undefined], 2), 0.9)).toBe(0);
  expect(valueAt(times, line([1, 2, 3, 4]), -1.5)).toBe(-1);
});

test("a value between two gaps, or at an end beside one, is alone", () => {
  expect(lone([1, null, 3, undefined, null, 5, 5, null, 8])).toEqual([0, 2, 8]);
  expect(lone([1, undefined, 2])).toEqual([]);
  expect(lone([])).toEqual([]);
});
