import { expect, test } from "vitest";
import css from "./colour.css?raw";

const [light = "", dark = "", chosenDark = ""] = css
  .split(/\n(?=:root|@media)/)
  .filter((part) => part.includes("--layer"));
const colours = (part: string) =>
  [...part.matchAll(/--layer-\d: (#[0-9a-f]{6})/g)].map((found) => found[1] ?? "");

// https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((i) => Number.parseInt(hex.slice(i, i + 2), 16) / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test.each([
  ["light", light, "#ffffff"],
  ["dark", dark, "#15181c"],
])("the parts of a run are seen on %s paper", (_, part, paper) => {
  expect(colours(part)).toHaveLength(8);
  for (const colour of colours(part)) expect(contrast(colour, paper), colour).toBeGreaterThan(3);
});

test("dark is dark, whoever asked for it", () => {
  expect(colours(chosenDark)).toHaveLength(8);
  expect(colours(chosenDark)).toEqual(colours(dark));
});
