// The open charts in the address, unless they are the default. "latency p99,-wal" opens one and
// closes another; "all" opens all.

import { type Asked, askAll, openRows } from "./opened.ts";
import type { Row } from "./panel.ts";

/** Formats asked as the value of a key; null if the default charts are open. */
export function formatAsked(asked: Asked, rows: readonly Row[]): string | null {
  const [open, first] = [openRows(rows, asked), openRows(rows, new Map())];
  if (rows.every(({ id }) => open.has(id) === first.has(id))) return null;
  if (rows.every(({ id }) => open.has(id))) return "all";
  return [...asked].map(([id, wanted]) => (wanted ? "" : "-") + writeId(id)).join(",");
}

/** Parses the result of formatAsked; ignores invalid parts. */
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
