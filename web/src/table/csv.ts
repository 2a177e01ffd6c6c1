// A table as CSV, as RFC 4180 has it.

import type { Cell, Grid } from "./grid.ts";

/** Writes a table as CSV, numbers exact where the page has them. */
export function toCSV({ head, rows }: Grid): string {
  return [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

// A spreadsheet runs text that begins like a formula, and names in a record can be
// anybody's: a quote before it makes it text. A negative number stays one.
function field({ value }: Cell): string {
  const guarded = /^[=+\-@\t\r]/.test(value) && !isNumber(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

function isNumber(text: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}
