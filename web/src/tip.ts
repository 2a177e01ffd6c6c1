// Tooltips for the marks of figures, at once on hover and on focus: a browser's own takes a
// second and never appears for the keyboard.

/** Shows the title of an element of class "tip" beside it. */
export function mountTips(): void {
  const box = document.createElement("div");
  box.id = "tip";
  box.role = "tooltip";
  box.hidden = true;
  document.body.append(box);

  let shown: Element | null = null;
  const show = (target: Element | null) => {
    const text = target ? titleOf(target) : "";
    shown = text ? target : null;
    box.hidden = !shown;
    if (!shown) return;
    box.textContent = text;
    place(box, shown.getBoundingClientRect());
  };
  document.addEventListener("pointerover", (event) => show(tipAt(event.target)));
  document.addEventListener("focusin", (event) => show(tipAt(event.target)));
  document.addEventListener("focusout", () => show(null));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
  });
  // An element that gets the focus is often scrolled into view: the tip follows.
  document.addEventListener("scroll", () => shown && place(box, shown.getBoundingClientRect()), {
    passive: true,
    capture: true,
  });
}

// A link around a mark has the focus, not the mark.
function tipAt(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null;
  return target.closest(".tip") ?? target.querySelector(":scope > .tip");
}

// The <title> becomes a label, because the browser would show its own tooltip over this one.
function titleOf(element: Element): string {
  const title = element.querySelector(":scope > title");
  const text = title?.textContent?.trim() || element.getAttribute("title") || "";
  if (text) {
    element.setAttribute("aria-label", text);
    if (!element.hasAttribute("role")) element.setAttribute("role", "img");
    element.removeAttribute("title");
    title?.remove();
  }
  return element.getAttribute("aria-label") ?? "";
}

function place(box: HTMLElement, at: DOMRect): void {
  const gap = 8;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(Math.max(gap, at.left + at.width / 2 - width / 2), innerWidth - width - gap);
  const above = at.top - height - gap;
  box.style.left = `${left}px`;
  box.style.top = `${above < gap ? at.bottom + gap : above}px`;
}
