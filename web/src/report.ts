// The report page as a whole: what is made to work once, and what has to be done
// again when a running experiment brought new sections.

import { applyChoices, mountChoices } from "./choice.ts";
import { readData } from "./data.ts";
import { mountNav } from "./nav.ts";
import { mountPrint } from "./print.ts";
import { showExplorer } from "./run/explorer.tsx";
import { mountCopy } from "./table/copy.ts";
import { localTimes } from "./time.ts";
import { mountTips } from "./tip.ts";

/** Makes the page work. What needs no section listens on the document. */
export function mountReport(): void {
  mountCopy();
  mountTips();
  mountChoices();
  mountPrint();
  refreshReport();
}

/**
 * Takes up what is in the page now: after sections were swapped. The run explorer
 * keeps what it shows; keep its element (#run-explorer), and its charts stay, too.
 */
export function refreshReport(): void {
  localTimes(document);
  applyChoices();
  const nav = document.querySelector<HTMLElement>("#top nav");
  if (nav) mountNav(nav);
  const place = document.querySelector<HTMLElement>("#run-explorer");
  const data = readData();
  if (!place || !data) return;
  showExplorer(place, data);
  passMarks();
}

// A mark for each run would be a stop of the Tab key for each; the list has the same
// runs, in one.
function passMarks(): void {
  for (const link of document.querySelectorAll(".figure svg a[href^='#run=']"))
    link.setAttribute("tabindex", "-1");
}
