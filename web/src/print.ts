// Opens collapsed sections for printing.

// Notes that weaken the answer, and the method. The tables of all runs stay closed.
const wanted = ".weakens details, #method details";

/** Opens them while the page is printed, and restores the reader's state afterwards. */
export function mountPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>(wanted)].filter((details) => !details.open);
    for (const details of opened) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened = [];
  });
}
