// The scroll position in the list, kept in the browser's history: Back from a record shows the same
// number of records as before, with the same one at the top.

export interface Place {
  /** Number of records shown. */
  shown: number;
  /** The first visible record, and the distance of its top from that of the window. */
  name: string;
  top: number;
}

/** Returns the place in the state of a history entry, if there is one. */
export function placeOf(state: unknown): Place | undefined {
  const place = (state as { place?: Place } | null)?.place;
  return typeof place?.shown === "number" ? place : undefined;
}

/** Returns the current place in the list of those names. */
export function placeNow(entries: HTMLElement, names: readonly string[]): Place {
  const items = [...entries.children];
  const index = scrollY > 0 ? items.findIndex((item) => item.getBoundingClientRect().bottom > 0) : -1;
  const top = items[index]?.getBoundingClientRect().top ?? 0;
  return { shown: names.length, name: names[index] ?? "", top };
}

/** Scrolls to a place. */
export function goTo(place: Place, entries: HTMLElement, names: readonly string[]): void {
  const item = entries.children[names.indexOf(place.name)];
  if (!item) return;
  item.scrollIntoView({ block: "start", behavior: "instant" });
  scrollBy({ top: -place.top, behavior: "instant" });
}
