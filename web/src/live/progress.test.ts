import { expect, test } from "vitest";
import type { Live, Now } from "../record.ts";
import { cellText, countsText, endText, percent, runText, stepText, titleText } from "./progress.ts";

const cell = { workload: "tpcb-like", clients: 10, threads: 1 };
const now = (over: Partial<Now> = {}): Now => ({
  at: "",
  step: "driving",
  run: 17,
  runs: 78,
  left_s: 60,
  ...over,
});

function live(over: Partial<Live> = {}): Live {
  const counts = { valid: 14, invalid: 2, failed: 0 };
  const base: Live = {
    schema: "",
    record: "r",
    state: "running",
    runs: 16,
    counts,
    left_s: 60,
    points: [],
    from: 0,
  };
  return { ...base, now: now(), ...over };
}

test("runs and per cent", () => {
  expect(runText(live(), 78)).toBe("run 17 of 78");
  expect(runText(live({ now: now({ run: 0 }) }), 78)).toBe("78 runs remaining");
  expect(runText(live({ now: now({ run: 0 }) }), 1)).toBe("1 run remaining");
  expect(runText(live(), 0)).toBe("");
  expect(percent(live(), 78)).toBe(20);
  expect(percent(live({ runs: 77 }), 78)).toBe(98);
  expect(percent(live({ runs: 80 }), 78)).toBe(100);
  expect(percent(live(), 0)).toBe(0);
});

test("an end before all runs have happened", () => {
  expect(runText(live({ state: "interrupted" }), 78)).toBe("16 of 78 runs");
  expect(percent(live({ state: "interrupted" }), 78)).toBe(20);
  expect(percent(live({ state: "complete" }), 78)).toBe(100);
});

test("what is done, where, and with which load", () => {
  expect(stepText(live())).toBe("driving");
  expect(
    stepText(live({ now: now({ step: "loading", environment: "disk", detail: "accounts, 45 %" }) })),
  ).toBe("loading disk (accounts, 45 %)");
  expect(cellText(live({ now: now({ cell }) }))).toBe("tpcb-like, 10 clients, 1 thread");
  expect(cellText(live({ now: now({ cell: { ...cell, rate: 500 } }) }))).toBe(
    "tpcb-like, 10 clients, 1 thread, 500/s",
  );
  expect(countsText(live())).toBe("14 valid, 2 invalid, 0 failed");
});

test("the end and its reason", () => {
  expect(endText(live())).toBe("");
  expect(endText(live({ state: "complete" }))).toBe("ended: complete");
  expect(endText(live({ state: "interrupted", reason: "by a person" }))).toBe(
    "ended: interrupted (by a person)",
  );
});

test("the title begins with what a narrow tab must show", () => {
  expect(titleText(live(), 78, "Q – plinth")).toBe("20 % · Q – plinth");
  expect(titleText(live(), 0, "Q – plinth")).toBe("Q – plinth");
  expect(titleText(live({ state: "complete" }), 78, "Q – plinth")).toBe("complete · Q – plinth");
});
