// Keeps the visible content in place while content above it grows. Not all browsers do that, and none
// does if its anchor element is replaced.

interface Held {
  element: Element;
  top: number;
}

/** Calls change, then scrolls so that the first visible element keeps its position. */
export function keepInView(root: Element, change: () => void): void {
  const held = scrollY > 0 ? inView(root) : [];
  const html = document.documentElement;
  html.style.setProperty("overflow-anchor", "none"); // otherwise the browser would also correct it
  change();
  const anchor = held.find(({ element }) => element.isConnected);
  const moved = anchor ? anchor.element.getBoundingClientRect().top - anchor.top : 0;
  if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
  html.style.removeProperty("overflow-anchor");
}

/** Returns the first element that begins in view, then its ancestors up to root. */
function inView(root: Element): Held[] {
  const held: Held[] = [];
  let within: Element | undefined = root;
  while (within) {
    const top: number = within.getBoundingClientRect().top;
    held.unshift({ element: within, top });
    if (top >= 0 || within instanceof SVGElement) break;
    within = [...within.children].find(endsInView);
  }
  return held;
}

function endsInView(element: Element): boolean {
  const { bottom, height } = element.getBoundingClientRect();
  return height > 0 && bottom > 0;
}
