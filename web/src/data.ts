// What Go hands to the program: JSON in an element of the page.

import type { Data } from "./record.ts";

/** The data of the page, or null where it has none or it can't be read. */
export function readData(root: ParentNode = document): Data | null {
  const text = root.querySelector("#plinth-data")?.textContent;
  if (!text) return null;
  try {
    return JSON.parse(text) as Data;
  } catch {
    return null;
  }
}
