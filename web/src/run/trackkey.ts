// Which charts are open, as the address says it: only where they are others than at
// first. "latency p99,-wal": one was asked for, another closed; "all" opens all.

import { type Asked, askAll, openRows } from "./opened.ts";
import type { Row } from "./panel.ts";

/** What was asked for as the value of a key; null where that is what is there at first. */
export function formatAsked(asked: Asked, rows: readonly Row[]): string | null {
  const [open, first] = [openRows(rows, asked), openRows(rows, new Map())];
  if (rows.every(({ id }) => open.has(id) === first.has(id))) return null;
  if (rows.every(({ id }) => open.has(id))) return "all";
  return [...asked].map(([id, wanted]) => (wanted ? "" : "-") + writeId(id)).join(",");
}

/** Reads what formatAsked wrote; what can't be read is left out. */
export function parseAsked(value: string | undefined, rows: readonly Row[]): Asked {
  if (value === "all") return askAll(new Map(), rows);
  const asked = new Map<string, boolean>();
  for (const part of (value ?? "").split(",")) {
    const id = readId(part.replace(/^-/, ""));
    if (id) asked.set(id, !part.startsWith("-"));
  }
  return asked;
}

function writeId(id: string): string {
  return id.replace(/[%,]|^-/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function readId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
