import { expect, test } from "vitest";
import { explainFailure } from "./failure.ts";

test.each([
  ["Error: plinth serve responded with 404 Not Found", "This record was removed from the store."],
  ["TypeError: Failed to fetch", "Cannot show the seconds of a/r1: plinth serve does not answer."],
  [
    "Error: plinth serve responded with 500 Internal Server Error",
    "Cannot show the seconds of a/r1: plinth serve responded with 500 Internal Server Error.",
  ],
  [
    "SyntaxError: Unexpected end of JSON input",
    "Cannot show the seconds of a/r1: Unexpected end of JSON input.",
  ],
  [
    "Error: plinth serve responded with 503 ",
    "Cannot show the seconds of a/r1: plinth serve responded with 503.",
  ],
])("%s", (why, said) => expect(explainFailure("a/r1", why)).toBe(said));
