// What is folded away on the screen and has to be read on paper.

// What weakens the answer, and how it was measured. The tables of all runs stay away.
const wanted = ".weakens details, #method details";

/** Opens it while the page is printed, and leaves it afterwards as the reader had it. */
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
