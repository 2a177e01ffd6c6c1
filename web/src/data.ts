// The program's input from Go: JSON in an element of the page.

import type { Data } from "./record.ts";

/** Returns the data of the page; null if it has none or it is invalid. */
export function readData(root: ParentNode = document): Data | null {
  const text = root.querySelector("#plinth-data")?.textContent;
  if (!text) return null;
  try {
    return JSON.parse(text) as Data;
  } catch {
    return null;
  }
}
