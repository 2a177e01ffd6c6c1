import { describe, expect, test } from "vitest";
import { everything, filterOf, isNewStep, queryOf, sameFilter } from "./filter.ts";

describe("a filter in the address", () => {
  test.each([
    ["", everything],
    ["?q=wal+disk", { ...everything, q: "wal disk" }],
    ["?q=%20%20", everything],
    ["?unknown=1&state=running", { ...everything, state: "running" }],
    ["?since=2026-01-01&until=2026-01-31", { ...everything, since: "2026-01-01", until: "2026-01-31" }],
  ])("%s", (search, want) => expect(filterOf(search)).toEqual(want));

  test("comes back as it went", () => {
    const filter = {
      ...everything,
      q: "100 % & more?=+\u202e<script>",
      engine: "postgres",
      verdict: "better",
    };
    expect(filterOf(queryOf(filter))).toEqual(filter);
  });

  test("asks for nothing it need not", () => expect(queryOf({ ...everything, q: "  " })).toBe(""));

  test("does not care for spaces around it", () =>
    expect(sameFilter({ ...everything, q: "wal " }, { ...everything, q: "wal" })).toBe(true));
});

describe("a step of the history", () => {
  const wal = { ...everything, q: "wal" };
  test("is the first letter typed", () =>
    expect(isNewStep(everything, { ...everything, q: "w" }, false)).toBe(true));
  test("is not the next letter", () => expect(isNewStep({ ...everything, q: "wa" }, wal, true)).toBe(false));
  test("is a choice", () => expect(isNewStep(wal, { ...wal, state: "running" }, true)).toBe(true));
});
