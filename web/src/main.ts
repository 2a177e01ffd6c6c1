// The page's program. Everything that can be read stands in the HTML that plinth
// made; this adds what needs a program, by what it finds in the document.

import "./style/page.css";
import { mountLive } from "./live/mount.tsx";
import { mountReport } from "./report.ts";
import { mountStore } from "./store/mount.tsx";
import { mountTheme } from "./theme.ts";

mount("#theme", mountTheme);
mount("#report", mountReport);
mount("#live", mountLive);
mount("#store", mountStore);

/** Calls start with the element of that selector, where the page has one. */
function mount(selector: string, start: (element: HTMLElement) => void): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (element) start(element);
}
