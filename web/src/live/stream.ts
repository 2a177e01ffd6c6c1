// The event stream of a running experiment: listens while the page is visible, reports when plinth
// serve does not answer, and resumes when it is back.

import type { Live } from "../record.ts";

/** State of the connection to plinth serve. "paused" means that the page is hidden. */
export type Connection = "opening" | "open" | "lost" | "paused";

export interface Listener {
  live(live: Live): void;
  /** A run was committed, or the state changed. */
  changed(): void;
  /** The record was deleted. This is the last event. */
  gone(): void;
  connection(connection: Connection): void;
}

/** Listens to the record at address ("/record/NAME") until the returned function is called. */
export function listen(address: string, listener: Listener): () => void {
  let source: EventSource | undefined;
  let retry = 0;
  let failures = 0;

  function open(): void {
    if (source || document.visibilityState === "hidden") return;
    source = new EventSource(`/api${address}/live`);
    source.addEventListener("open", () => {
      failures = 0;
      listener.connection("open");
    });
    source.addEventListener("live", (event) => listener.live(JSON.parse(event.data) as Live));
    source.addEventListener("changed", () => listener.changed());
    source.addEventListener("gone", () => gone());
    source.addEventListener("error", () => lost());
  }

  // A browser reconnects automatically, except after a response that is not a stream: then the
  // page has to retry.
  function lost(): void {
    listener.connection("lost");
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    retry = window.setTimeout(again, pause(failures));
    failures++;
  }

  let stopped = false;

  async function again(): Promise<void> {
    if (await isDeleted(address)) gone();
    else if (!stopped) open();
  }

  function close(): void {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  }

  function gone(): void {
    stop();
    listener.gone();
  }

  function seen(): void {
    if (document.visibilityState === "hidden") {
      close();
      listener.connection("paused");
    } else {
      open();
    }
  }

  // Browsers do not keep pages with an open stream for Back, so close it.
  function stop(): void {
    stopped = true;
    document.removeEventListener("visibilitychange", seen);
    removeEventListener("pagehide", close);
    removeEventListener("pageshow", open);
    close();
  }

  document.addEventListener("visibilitychange", seen);
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  listener.connection("opening");
  open();
  return stop;
}

/** Delay before the next attempt, in ms: 1 s, doubled up to 30 s. */
export const pause = (failures: number): number => Math.min(30_000, 1000 * 2 ** failures);

async function isDeleted(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { method: "HEAD" })).status === 404;
  } catch {
    return false; // plinth serve does not answer; the record may still exist
  }
}
