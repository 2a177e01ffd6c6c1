// When the report below the live panel is asked for again.

import { swap } from "./swap.ts";

/** The share of the time that refreshing may take, here and in plinth serve together. */
const share = 1 / 200;

/**
 * Milliseconds to wait after a refresh that took so long. Experiments of short runs
 * commit one each second: a report of 500 runs made and drawn each time would
 * disturb what is being measured.
 */
export const rest = (took: number): number => Math.min(120_000, Math.max(5000, took / share));

/** Refreshes the report at address, no more often than it may. */
export class Refresher {
  #address: string;
  #waiting = 0; // the timer of the next refresh
  #due = 0; // when that may be
  #asking = false;
  #failed = false;
  #wanted: "" | "soon" | "now" = ""; // while asking: once more afterwards

  constructor(address: string) {
    this.#address = address;
  }

  /** Asks for the report: as soon as it may, or at once for the last change there is. */
  ask(when: "soon" | "now"): void {
    if (this.#asking) {
      if (this.#wanted !== "now") this.#wanted = when;
      return;
    }
    if (this.#waiting && when === "soon") return;
    this.stop();
    const wait = when === "now" ? 0 : Math.max(0, this.#due - performance.now());
    this.#waiting = window.setTimeout(() => this.#refresh(), wait);
  }

  /** Asks again where the last answer did not come: plinth serve is back. */
  retry(): void {
    if (this.#failed) this.ask("soon");
  }

  stop(): void {
    clearTimeout(this.#waiting);
    this.#waiting = 0;
  }

  async #refresh(): Promise<void> {
    this.#waiting = 0;
    this.#asking = true;
    const began = performance.now();
    this.#failed = !(await refresh(this.#address));
    const ended = performance.now();
    this.#due = ended + rest(ended - began);
    this.#asking = false;
    const wanted = this.#wanted;
    this.#wanted = "";
    if (wanted) this.ask(wanted);
  }
}

async function refresh(address: string): Promise<boolean> {
  let html = "";
  try {
    const answer = await fetch(`${address}?part=report`);
    if (answer.ok) html = await answer.text();
  } catch {
    return false; // plinth serve is gone: the stream says so
  }
  if (html) swap(html);
  return html !== "";
}
