// The stream of a running experiment: listens while the page can be seen, says when
// plinth serve is gone, and goes on when it is back.

import type { Live } from "../record.ts";

/** How the page stands to plinth serve. "paused" is a page that nobody sees. */
export type Connection = "opening" | "open" | "lost" | "paused";

export interface Listener {
  live(live: Live): void;
  /** A run was committed, or the state changed. */
  changed(): void;
  /** The record was deleted. Nothing comes after it. */
  gone(): void;
  connection(connection: Connection): void;
}

/** Listens to the record at address ("/record/NAME") until the answer is called. */
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

  // A browser tries again by itself, but for an answer that was no stream: then it
  // gives up for good, and trying again is left to the page.
  function lost(): void {
    listener.connection("lost");
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    retry = window.setTimeout(again, pause(failures));
    failures++;
  }

  async function again(): Promise<void> {
    if (await isDeleted(address)) gone();
    else open();
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

  // A page that is kept for Back holds no stream: browsers keep none that does.
  function stop(): void {
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

/** Milliseconds before the next try: 1 s, doubled up to 30 s. */
export const pause = (failures: number): number => Math.min(30_000, 1000 * 2 ** failures);

async function isDeleted(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { method: "HEAD" })).status === 404;
  } catch {
    return false; // plinth serve is gone, not the record
  }
}
