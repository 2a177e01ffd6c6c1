import { expect, test } from "vitest";
import { linearTicks, logExtent, logTicks, roundUp } from "./scale.ts";

test.each([
  [100, 100],
  [101, 120],
  [19_321, 20_000],
  [0.0031, 0.004],
  [9.9e9, 1e10],
  [1e-3, 1e-3],
])("roundUp(%d)", (value, end) => expect(roundUp(value)).toBe(end));

test.each([
  [0, 100, 3, [0, 50, 100]],
  [0, 1.2, 3, [0, 0.4, 0.8, 1.2]],
  [0, 15_000, 3.9, [0, 5000, 10_000, 15_000]],
  [0, 8, 5, [0, 2, 4, 6, 8]],
  [-10, 10, 2, [-10, 0, 10]],
  [0, 1, 0.5, [0, 1]],
])("linearTicks(%d, %d, %d)", (from, to, steps, ticks) => {
  expect(linearTicks(from, to, steps)).toEqual(ticks);
});

test.each([
  [0.84, 18.2, [0.7, 20]],
  [1, 1000, [1, 1000]],
  [2, 2, [1, 3]],
  [1.31, 1.33, [1, 2]],
])("logExtent(%d, %d)", (low, high, extent) => expect(logExtent(low, high)).toEqual(extent));

test.each([
  [1, 1000, 3, [1, 10, 100, 1000]],
  [1, 10, 5, [1, 2, 5, 10]],
  [1, 2, 3, [1, 2]],
  [2, 7, 4, [2, 3, 5, 7]],
  [0.7, 20, 3, [0.7, 5, 20]],
  [1e-3, 1e6, 3, [1e-3, 1, 1e3, 1e6]],
])("logTicks(%d, %d, %d)", (from, to, steps, ticks) => {
  expect(logTicks(from, to, steps)).toEqual(ticks);
});

test("every axis has its ends, none of its labels is too near to another", () => {
  const wrong: { from: number; to: number; ticks: number[] }[] = [];
  for (let low = 1e-3; low < 1e4; low *= 1.37) {
    for (let reach = 1; reach < 1e5; reach *= 1.83) {
      for (const steps of [2, 3, 5]) {
        const [from, to] = logExtent(low, low * reach);
        const ticks = logTicks(from, to, steps);
        const gaps = ticks.slice(1).map((tick, i) => Math.log(tick / (ticks[i] ?? 1)));
        const apart = Math.min(...gaps) > (Math.log(to / from) / steps) * 0.99;
        if (ticks[0] !== from || ticks.at(-1) !== to || !apart) wrong.push({ from, to, ticks });
      }
    }
  }
  expect(wrong).toEqual([]);
});
