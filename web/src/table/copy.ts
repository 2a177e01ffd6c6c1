// The buttons that copy a table or a command.

import { toCSV } from "./csv.ts";
import { readTable } from "./grid.ts";
import { toMarkdown } from "./markdown.ts";

const shownFor = 2000; // ms that a button says what happened

/** Makes the buttons with data-copy work, also those that are added later. */
export function mountCopy(): void {
  const status = document.createElement("div");
  status.className = "announce";
  status.setAttribute("aria-live", "polite");
  document.body.append(status);
  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const text = content(button);
    const done = text !== null && (await copyText(text));
    say(button, status, done ? "Copied" : "Cannot copy");
  });
}

function content(button: HTMLButtonElement): string | null {
  const table = button.closest(".table")?.querySelector("table");
  switch (button.dataset.copy) {
    case "markdown":
      return table ? toMarkdown(readTable(table)) : null;
    case "csv":
      return table ? toCSV(readTable(table)) : null;
    default:
      return button.closest(".code")?.querySelector("code")?.textContent ?? null;
  }
}

/** Copies text to the clipboard; false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

// The Clipboard API needs a secure context, which a file or plain HTTP from another machine may
// not be. The old command still works there.
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "announce";
  const before = document.activeElement;
  document.body.append(area);
  area.select();
  let done = false;
  try {
    done = document.execCommand("copy");
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  }
  return done;
}

// CSS lays the word over the button, so that nothing moves.
function say(button: HTMLButtonElement, status: HTMLElement, word: string): void {
  button.dataset.said = word;
  status.textContent = word;
  setTimeout(() => {
    if (button.dataset.said === word) delete button.dataset.said;
    status.textContent = "";
  }, shownFor);
}
