import { expect, test } from "vitest";
import { pause } from "./stream.ts";

test("tries again soon, then less often, and never gives up", () => {
  expect([0, 1, 2, 3].map(pause)).toEqual([1000, 2000, 4000, 8000]);
  expect(pause(5)).toBe(30_000);
  expect(pause(5000)).toBe(30_000);
});
