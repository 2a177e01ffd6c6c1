import { expect, test } from "vitest";
import { localTime } from "./time.ts";

test("a time is written in the reader's zone", () => {
  expect(localTime("2026-11-21T23:30:00Z", "en-GB", "Europe/Berlin")).toMatch(
    /22 Nov 2026.* 00:30.*CET|22 Nov 2026.* 00:30.*GMT\+1/,
  );
  expect(localTime("2026-11-21T23:30:00Z", "en-US", "America/New_York")).toMatch(
    /Nov 21, 2026.*06:30 PM EST/,
  );
});

test("what is no time stays as it is", () => {
  expect(localTime("yesterday")).toBe("");
});
