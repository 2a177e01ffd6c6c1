// The report page: setup that runs once, and setup that is repeated when a running experiment
// has added sections.

import { applyChoices, mountChoices } from "./choice.ts";
import { readData } from "./data.ts";
import { mountNav } from "./nav.ts";
import { mountPrint } from "./print.ts";
import { showExplorer } from "./run/explorer.tsx";
import { mountCopy } from "./table/copy.ts";
import { localTimes } from "./time.ts";
import { mountTips } from "./tip.ts";

/** Sets up the page. Handlers that do not depend on a section listen on the document. */
export function mountReport(): void {
  mountCopy();
  mountTips();
  mountChoices();
  mountPrint();
  refreshReport();
}

/**
 * Sets up the current sections after they were replaced. The run explorer keeps its state, and its
 * charts if its element (#run-explorer) is kept.
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

// With one link per run, each would be a Tab stop; the list has the same runs in one Tab stop.
function passMarks(): void {
  for (const link of document.querySelectorAll(".figure svg a[href^='#run=']"))
    link.setAttribute("tabindex", "-1");
}
