// Changes the report on the page into a newer one, without replacing unchanged elements. Setting
// innerHTML was rejected: it would close what the reader opened, lose choices, focus and selection,
// and reset the scroll position of tables.

/** Elements that the page's program fills; their content is not changed. */
const owned = (element: Element): boolean => element.id === "run-explorer";

/** Changes old into next, except for the reader's changes. */
export function morph(old: Element, next: Element): void {
  if (owned(old) || isSameTime(old, next) || old.isEqualNode(next)) return;
  const chosen = old instanceof HTMLSelectElement ? old.value : "";
  morphAttributes(old, next);
  morphChildren(old, next);
  if (old instanceof HTMLSelectElement && next instanceof HTMLSelectElement) choose(old, chosen, next.value);
}

// The program rewrites times in the reader's time zone, so their text always differs.
function isSameTime(old: Element, next: Element): boolean {
  if (!(old instanceof HTMLTimeElement) || !(next instanceof HTMLTimeElement)) return false;
  return old.dateTime === next.dateTime;
}

function choose(select: HTMLSelectElement, chosen: string, otherwise: string): void {
  const offered = [...select.options].some((option) => option.value === chosen);
  select.value = offered ? chosen : otherwise;
}

function morphAttributes(old: Element, next: Element): void {
  const reader = old instanceof HTMLDetailsElement ? "open" : "";
  for (const { name } of [...old.attributes]) {
    if (name !== reader && !next.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const attribute of next.attributes) {
    if (attribute.name === reader || old.getAttribute(attribute.name) === attribute.value) continue;
    old.setAttributeNode(attribute.cloneNode() as Attr);
  }
}

// Children are matched in order, or by id if they have one.
function morphChildren(old: Element, next: Element): void {
  let at: ChildNode | null = old.firstChild;
  for (const child of [...next.childNodes]) {
    const match = matching(old, at, child);
    if (!match) {
      old.insertBefore(document.importNode(child, true), at);
      continue;
    }
    removeBetween(at, match);
    morphNode(match, child);
    at = match.nextSibling;
  }
  removeBetween(at, null);
}

/** Returns the child of old, at or after `at`, that is to become child; null for none. */
function matching(old: Element, at: ChildNode | null, child: ChildNode): ChildNode | null {
  if (child instanceof Element && child.id !== "") {
    const named = [...old.children].find((element) => element.id === child.id && !isBefore(element, at));
    return named && isKind(named, child) ? named : null;
  }
  return at && isKind(at, child) && !(at instanceof Element && at.id !== "") ? at : null;
}

const isKind = (a: Node, b: Node): boolean => a.nodeType === b.nodeType && a.nodeName === b.nodeName;

function isBefore(node: Node, at: Node | null): boolean {
  if (at === null) return true;
  return Boolean(node.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
}

function removeBetween(from: ChildNode | null, to: ChildNode | null): void {
  let node = from;
  while (node && node !== to) {
    const following: ChildNode | null = node.nextSibling;
    if (!(node instanceof Element && owned(node))) node.remove();
    node = following;
  }
}

function morphNode(old: ChildNode, next: ChildNode): void {
  if (old instanceof Element && next instanceof Element) morph(old, next);
  else if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
}
