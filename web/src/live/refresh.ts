// When to refresh the report below the live panel.

import { swap } from "./swap.ts";

/** The share of the time that refreshing may take, here and in plinth serve together. */
const share = 1 / 200;

/**
 * Returns the delay after a refresh that took so long, in ms. Experiments of short runs commit one
 * each second: rendering a report of 500 runs each time would disturb the measurement.
 */
export const rest = (took: number): number => Math.min(120_000, Math.max(5000, took / share));

/** Refreshes the report at address, at a limited rate. */
export class Refresher {
  #address: string;
  #waiting = 0; // the timer of the next refresh
  #due = 0; // the earliest time of the next refresh
  #asking = false;
  #failed = false;
  #wanted: "" | "soon" | "now" = ""; // requested during a refresh: refresh again afterwards

  constructor(address: string) {
    this.#address = address;
  }

  /** Refreshes the report: as soon as allowed, or at once for the last change. */
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

  /** Retries a failed refresh when plinth serve is back. */
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
    return false; // plinth serve does not answer; the stream reports that
  }
  if (html) swap(html);
  return html !== "";
}
