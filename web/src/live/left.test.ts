import { expect, test } from "vitest";
import { leftNow, leftText } from "./left.ts";

test.each([
  [0, ""],
  [Number.NaN, ""],
  [-1, "almost done"],
  [1, "5 s left"],
  [42, "45 s left"],
  [59, "60 s left"],
  [61, "1 min left"],
  [84, "1 min 20 s left"],
  [595, "10 min left"],
  [600, "about 10 min left"],
  [3599, "about 1 h left"],
  [7800, "about 2 h 10 min left"],
  [86_399, "about 24 h left"],
  [100_000, "about 1 d 4 h left"],
])("%d s", (seconds, want) => expect(leftText(seconds)).toBe(want));

test("it counts down between events, and is late rather than unknown at zero", () => {
  expect(leftNow(60, 1000, 11_000)).toBe(50);
  expect(leftNow(10, 0, 10_000)).toBeLessThan(0);
  expect(leftNow(10, 0, 60_000)).toBeLessThan(0);
  expect(leftNow(0, 0, 60_000)).toBe(0);
});
