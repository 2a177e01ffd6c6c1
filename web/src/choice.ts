// Choices: selects that show one of several parts of the HTML. A name is one choice for the whole
// page: selects with the same name stay in sync.

import { currentLink, notedLink, updateLink } from "./link.ts";

/** Parses the conditions of a data-when: "threads=4 metric=tps". */
export function parseWhen(text: string): [name: string, value: string][] {
  return text
    .split(/\s+/)
    .filter((part) => part.includes("="))
    .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]);
}

/** Reports whether all conditions of a data-when hold. */
export function holds(when: string, chosen: ReadonlyMap<string, string>): boolean {
  return parseWhen(when).every(([name, value]) => (chosen.get(name) ?? value) === value);
}

/** Sets up the selects of the page, and follows its address. */
export function mountChoices(): void {
  document.addEventListener("change", (event) => {
    const select = event.target;
    if (!(select instanceof HTMLSelectElement) || select.dataset.choice === undefined) return;
    choose(select.dataset.choice, select.value);
    updateLink({ [`choice.${select.dataset.choice}`]: select.value, cell: null });
  });
  window.addEventListener("hashchange", followLink);
  followLink();
}

/** Applies the selects after elements were added to the page. */
export function applyChoices(): void {
  const chosen = choicesMade();
  for (const element of document.querySelectorAll<HTMLElement | SVGElement>("[data-when]")) {
    element.toggleAttribute("hidden", !holds(element.dataset.when ?? "", chosen));
  }
}

/** The value of each choice of the page, by name. */
export function choicesMade(): Map<string, string> {
  const chosen = new Map<string, string>();
  for (const select of selects()) {
    if (!chosen.has(select.dataset.choice ?? "")) chosen.set(select.dataset.choice ?? "", select.value);
  }
  return chosen;
}

/** Makes a choice; returns false if no select of the page offers it. */
export function choose(name: string, value: string): boolean {
  const offering = selects().filter((s) => s.dataset.choice === name && offers(s, value));
  for (const select of offering) select.value = value;
  if (offering.length > 0) applyChoices();
  return offering.length > 0;
}

function followLink(): void {
  const { keys } = currentLink();
  let last = "";
  for (const [key, value] of keys) {
    const name = key === "cell" ? "cell" : key.startsWith("choice.") ? key.slice("choice.".length) : "";
    // A cell's path begins with its workload; lists offer only the load, for all workloads.
    if (name && (choose(name, value) || choose(name, value.slice(value.indexOf("/") + 1)))) last = name;
  }
  if (last && !keys.has("run") && !notedLink()) reveal(last); // the browser scrolls on Back
}

function reveal(name: string): void {
  const select = selects().find((s) => s.dataset.choice === name);
  (select?.closest("section") ?? select)?.scrollIntoView({ block: "start" });
}

function selects(): HTMLSelectElement[] {
  return [...document.querySelectorAll<HTMLSelectElement>("select[data-choice]")];
}

function offers(select: HTMLSelectElement, value: string): boolean {
  return [...select.options].some((option) => option.value === value);
}
