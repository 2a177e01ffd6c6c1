import { expect, test } from "vitest";
import { greatestCount, heatText, latencyExtent } from "./heat.ts";
import { countPlace, rampColour } from "./ramp.ts";

const heat = {
  start_s: -1,
  step_s: 1,
  edges_ns: [0, 1e6, 2e6, 4e6, 8e6],
  counts: [
    [0, 5, 0, 0],
    [0, 7, 1, 0],
  ],
};

test("a place of the map says what happened there", () => {
  expect(heatText(heat, 0.5, 3e6)).toBe("1 between 2.00 ms and 4.00 ms");
  expect(heatText(heat, -0.5, 1e6)).toBe("5 between 1.00 ms and 2.00 ms");
  expect(heatText(heat, -0.5, 1e5)).toBe("0 up to 1.00 ms");
  expect(heatText(heat, 7, 1e6)).toBe("");
  expect(heatText(heat, 0, 9e9)).toBe("");
});

test("the axis has the latencies that occur", () => {
  expect(latencyExtent([heat])).toEqual([1e6, 5e6]);
  expect(latencyExtent([])).toEqual([1e5, 1e7]);
  expect(latencyExtent([{ ...heat, counts: [[1, 0, 0, 0]] }])).toEqual([5e5, 1e6]);
  expect(greatestCount([heat])).toBe(7);
});

// Relative luminance as defined by WCAG.
function luminance(rgb: number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test.each(["light", "dark"] as const)("the ramp goes one way in even steps: %s", (theme) => {
  const lightness = Array.from({ length: 21 }, (_, i) => Math.cbrt(luminance(rampColour(i / 20, theme))));
  const steps = lightness.slice(1).map((l, i) => (l - (lightness[i] ?? 0)) * (theme === "light" ? -1 : 1));
  expect(Math.min(...steps)).toBeGreaterThan(0);
  expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(2.5);
});

test("one transaction is seen among thousands", () => {
  expect(countPlace(1, 10_000)).toBeGreaterThan(0.05);
  expect(countPlace(10_000, 10_000)).toBeCloseTo(1);
  expect(countPlace(1, 1)).toBe(1);
});
