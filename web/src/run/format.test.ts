import { expect, test } from "vitest";
import { formatLatency, formatNumber, formatSecond, formatTenth, formatTicks } from "./format.ts";

test.each([
  [0, "0"],
  [0.0123, "0.012"],
  [1.234, "1.23"],
  [12.34, "12.3"],
  [1234.5, "1,235"],
  [-1234.4, "-1,234"],
  [0.001, "1.0e-3"],
  [2.5e9, "2.5e9"],
])("formatNumber(%d)", (value, text) => expect(formatNumber(value)).toBe(text));

test.each([
  [850, "850 ns"],
  [31_000, "31.0 µs"],
  [1_240_000, "1.24 ms"],
  [2_000_000_000, "2.00 s"],
])("formatLatency(%d)", (ns, text) => expect(formatLatency(ns)).toBe(text));

test.each([
  [-3, 60, "-3 s"],
  [12.5, 60, "12.5 s"],
  [75, 3600, "1:15"],
  [3723, 7200, "1:02:03"],
  [-2, 3600, "-0:02"],
])("formatSecond(%d, %d)", (second, span, text) => expect(formatSecond(second, span)).toBe(text));

test.each([
  [4.6, 5, "4.6 s"],
  [9, 5, "9 s"],
  [8.96, 5, "9 s"],
  [75.4, 3600, "1:15"],
])("formatTenth(%d, %d)", (second, span, text) => expect(formatTenth(second, span)).toBe(text));

test("ticks have one unit", () => {
  expect(formatTicks([0, 500_000, 1_000_000])).toEqual(["0", "0.5 M", "1 M"]);
  expect(formatTicks([0, 0.1, 0.30000000000000004])).toEqual(["0", "0.1", "0.3"]);
});
