// Where a reader was in the list, kept in the browser's history: Back from a record
// shows as many records as before, and the same one at the top.

export interface Place {
  /** How many records were shown. */
  shown: number;
  /** The first record in view, and how far its top was below that of the window. */
  name: string;
  top: number;
}

/** The place kept in the state of a step of the history, if there is one. */
export function placeOf(state: unknown): Place | undefined {
  const place = (state as { place?: Place } | null)?.place;
  return typeof place?.shown === "number" ? place : undefined;
}

/** The place where the reader is, in the list of those names. */
export function placeNow(entries: HTMLElement, names: readonly string[]): Place {
  const items = [...entries.children];
  const index = scrollY > 0 ? items.findIndex((item) => item.getBoundingClientRect().bottom > 0) : -1;
  const top = items[index]?.getBoundingClientRect().top ?? 0;
  return { shown: names.length, name: names[index] ?? "", top };
}

/** Scrolls so that the place is where it was. */
export function goTo(place: Place, entries: HTMLElement, names: readonly string[]): void {
  const item = entries.children[names.indexOf(place.name)];
  if (!item) return;
  item.scrollIntoView({ block: "start", behavior: "instant" });
  scrollBy({ top: -place.top, behavior: "instant" });
}
