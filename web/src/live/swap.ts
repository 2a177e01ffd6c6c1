// Replaces the report on the page with a newer one, without moving the view.

import { linkSections } from "../nav.ts";
import { refreshReport } from "../report.ts";
import { keepInView } from "./anchor.ts";
import { morph } from "./morph.ts";

/** Changes the report on the page to the one in html, the response to ?part=report. */
export function swap(html: string): void {
  const next = new DOMParser().parseFromString(html, "text/html");
  const main = document.querySelector<HTMLElement>("#report");
  const newer = next.querySelector("#report");
  if (!main || !newer) return;
  keepInView(main, () => {
    morph(main, newer);
    swapData(next);
    const nav = document.querySelector<HTMLElement>("#top nav");
    if (nav) linkSections(nav, main);
    refreshReport();
  });
}

function swapData(next: Document): void {
  const data = document.querySelector("#plinth-data");
  const newer = next.querySelector("#plinth-data");
  if (data && newer) data.textContent = newer.textContent;
}
