import { expect, test } from "vitest";
import { explainFailure } from "./failure.ts";

test.each([
  ["Error: plinth serve answered 404 Not Found", "This record was removed from the store."],
  ["TypeError: Failed to fetch", "The seconds of a/r1 can't be shown: plinth serve does not answer."],
  [
    "Error: plinth serve answered 500 Internal Server Error",
    "The seconds of a/r1 can't be shown: plinth serve answered 500 Internal Server Error.",
  ],
  [
    "SyntaxError: Unexpected end of JSON input",
    "The seconds of a/r1 can't be shown: Unexpected end of JSON input.",
  ],
  ["Error: plinth serve answered 503 ", "The seconds of a/r1 can't be shown: plinth serve answered 503."],
])("%s", (why, said) => expect(explainFailure("a/r1", why)).toBe(said));
