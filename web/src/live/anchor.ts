// Keeps what a reader looks at where it is on the screen while what is above it
// grows. Browsers do so by themselves, but not all of them, and none when the
// element they hold on to is replaced.

interface Held {
  element: Element;
  top: number;
}

/** Runs change, then scrolls so that the first thing in view is where it was. */
export function keepInView(root: Element, change: () => void): void {
  const held = scrollY > 0 ? inView(root) : [];
  const html = document.documentElement;
  html.style.setProperty("overflow-anchor", "none"); // or both of us would correct it
  change();
  const anchor = held.find(({ element }) => element.isConnected);
  const moved = anchor ? anchor.element.getBoundingClientRect().top - anchor.top : 0;
  if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
  html.style.removeProperty("overflow-anchor");
}

/** The first element that begins in view, then what it stands in, up to root. */
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
