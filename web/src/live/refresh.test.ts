import { expect, test } from "vitest";
import { rest } from "./refresh.ts";

test.each([
  ["a quick report", 5, 5000],
  ["takes half a per cent of the time", 100, 20_000],
  ["also where it is large", 500, 100_000],
  ["but is never older than two minutes", 5000, 120_000],
])("%s: %d ms", (_, took, want) => expect(rest(took)).toBe(want));
