import { expect, test } from "vitest";
import { clean, countText, moreText, progress, runsText } from "./text.ts";

const counts = (valid: number, invalid = 0, failed = 0) => ({ valid, invalid, failed });

test.each([
  [counts(0), 12, "0 of 12 runs"],
  [counts(12), 12, "12 runs"],
  [counts(1), 1, "1 run"],
  [counts(10, 1, 1), 12, "12 runs, 1 invalid, 1 failed"],
  [counts(3, 0, 2), 1200, "5 of 1,200 runs, 2 failed"],
  [counts(13, 2), 12, "15 runs, 2 invalid"],
])("%j of %i", (c, planned, want) => expect(runsText(c, planned)).toBe(want));

test("a second try does not make more than all", () =>
  expect(progress({ counts: counts(13, 2), planned_runs: 12 })).toBe(1));

test("nothing planned is no progress", () =>
  expect(progress({ counts: counts(0), planned_runs: 0 })).toBe(0));

test("the count says what is filtered", () => {
  expect(countText({ total: 5000, matching: 5000 }, false)).toBe("5,000 records");
  expect(countText({ total: 5000, matching: 37 }, true)).toBe("37 of 5,000 records");
  expect(countText({ total: 1, matching: 1 }, false)).toBe("1 record");
});

test("the button says how many come", () => {
  expect(moreText(100, 5000, 100)).toBe("Show 100 more of 4,900");
  expect(moreText(4900, 5000, 100)).toBe("Show the last 100");
  expect(moreText(100, 101, 100)).toBe("Show the last 1");
});

test("what others wrote cannot turn the line around", () =>
  expect(clean(" a\n\nb\u202ecba\u2066\u0007d\u00ad\ufffd ")).toBe("a bcbad"));
