// The part of the address behind "#": what a person chose, so that a copied
// address shows the same.
//
//   #SECTION
//   #run=PATH&with=PATH&layout=over&t=-10-60&choice.metric=tps
//   #cell=WORKLOAD/c8-j1          sets the choice "cell"

/** What an address says, by key ("run", "choice.metric"), or the section it names. */
export interface Link {
  section: string;
  keys: Map<string, string>;
}

/** Seconds from and to, of a run's time axis. */
export type Range = readonly [from: number, to: number];

/** Reads what is behind "#"; what can't be read is left out. */
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

/** Writes keys as what stands behind "#", "" where there are none. */
export function formatLink(keys: ReadonlyMap<string, string>): string {
  const parts = [...keys].map(([key, value]) => `${encode(key)}=${encode(value)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Reads "-10-60": ten seconds before the window to sixty after its start. */
export function parseRange(text: string | undefined): Range | null {
  const found = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(text ?? "");
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from < to ? [from, to] : null;
}

/** Writes a range as parseRange reads it, in tenths of a second. */
export function formatRange([from, to]: Range): string {
  return `${round(from)}-${round(to)}`;
}

/** The link in the address of the page. */
export function currentLink(): Link {
  return parseLink(location.hash);
}

/**
 * Changes keys of the address without a new step in the browser's history; null
 * removes a key. Nothing scrolls.
 */
export function updateLink(changes: Readonly<Record<string, string | null>>): void {
  const { keys } = currentLink();
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) keys.delete(key);
    else keys.set(key, value);
  }
  const hash = formatLink(keys);
  if (hash === location.hash || (hash === "" && !location.hash.includes("="))) return;
  try {
    history.replaceState(history.state, "", hash || location.pathname + location.search);
  } catch {
    // A sandboxed frame may forbid it; then the address stays as it was.
  }
}

// Paths of runs are easier on the eye with their slashes.
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
