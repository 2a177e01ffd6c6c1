// The fragment of the address (after "#"): the reader's choices, so that a copied address shows the
// same.
//
//   #SECTION
//   #run=PATH&with=PATH&layout=over&t=-10-60&tracks=memory,-wal&choice.metric=tps
//   #cell=WORKLOAD/c8-j1          sets the choice "cell"

/** The values of an address by key ("run", "choice.metric"), or its section. */
export interface Link {
  section: string;
  keys: Map<string, string>;
}

/** Start and end on a run's time axis, in seconds. */
export type Range = readonly [from: number, to: number];

/** Parses a fragment; ignores invalid parts. */
export function parseLink(hash: string): Link {
  const text = hash.replace(/^#/, "");
  const keys = new Map<string, string>();
  if (!text.includes("=")) return { section: decode(text) ?? "", keys };
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    const key = decode(part.slice(0, at));
    const value = decode(part.slice(at + 1));
    if (at > 0 && key && value !== null) keys.set(key, value);
  }
  return { section: "", keys };
}

/** Formats keys as a fragment, "" if there are none. */
export function formatLink(keys: ReadonlyMap<string, string>): string {
  const parts = [...keys].map(([key, value]) => `${encode(key)}=${encode(value)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Parses "-10-60": from 10 s before the start of the window to 60 s after it. */
export function parseRange(text: string | undefined): Range | null {
  const found = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(text ?? "");
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from < to ? [from, to] : null;
}

/** Formats a range for parseRange, in tenths of a second. */
export function formatRange([from, to]: Range): string {
  return `${round(from)}-${round(to)}`;
}

/** Returns the link in the address of the page. */
export function currentLink(): Link {
  return parseLink(location.hash);
}

/** Changes keys of the address; null removes a key. */
export type Changes = Readonly<Record<string, string | null>>;

/** Changes the address without a new history entry and without scrolling. */
export function updateLink(changes: Changes): void {
  const hash = changed(changes);
  if (hash !== null) write(() => history.replaceState(history.state, "", hash || bare()));
}

/**
 * Changes the address with a new history entry. The previous entry gets a note of its view, for
 * Back, because its address may not contain that.
 */
export function pushLink(before: Changes, changes: Changes): void {
  const hash = changed(changes);
  if (hash === null) return;
  write(() => {
    history.replaceState(noteOf(before), "");
    history.pushState(noteOf(changes), "", hash || bare());
  });
}

/** Returns the note of this history entry; null if the page was opened by a link. */
export function notedLink(): Link | null {
  const { shown } = (history.state ?? {}) as { shown?: unknown };
  return typeof shown === "string" ? parseLink(shown) : null;
}

function noteOf(changes: Changes): { shown: string } {
  const keys = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null);
  return { shown: formatLink(new Map(keys)) };
}

// Returns the fragment after changes; null if nothing changes.
function changed(changes: Changes): string | null {
  const { keys } = currentLink();
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) keys.delete(key);
    else keys.set(key, value);
  }
  const hash = formatLink(keys);
  return hash === location.hash || (hash === "" && !location.hash.includes("=")) ? null : hash;
}

const bare = () => location.pathname + location.search;

// A sandboxed frame may forbid it; the address then stays unchanged.
function write(act: () => void): void {
  try {
    act();
  } catch {}
}

// Keep slashes unescaped, to make paths of runs readable.
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function round(seconds: number): string {
  return String(Math.round(seconds * 10) / 10);
}
