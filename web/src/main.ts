// The page's program. The HTML that plinth generates is readable without it; it adds
// interaction to the elements that it finds.

import "./style/page.css";
import { mountLive } from "./live/mount.tsx";
import { mountReport } from "./report.ts";
import { mountStore } from "./store/mount.tsx";
import { mountTheme } from "./theme.ts";

mount("#theme", mountTheme);
mount("#report", mountReport);
mount("#live", mountLive);
mount("#store", mountStore);

/** Calls start with the element of that selector, if the page has one. */
function mount(selector: string, start: (element: HTMLElement) => void): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (element) start(element);
}
