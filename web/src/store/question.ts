// Requests lists from plinth serve: after a short pause in typing, and ignoring responses to
// superseded requests.

import type { Records } from "../record.ts";
import { fetchRecords, pageSize } from "./api.ts";
import type { Filter } from "./filter.ts";

/** Delay after the last keystroke, in ms: a shorter one would request half-typed words. */
const debounce = 150;

/** Maximum number of records in a response of plinth serve. */
const most = 1000;

/** The pending request. A new one replaces it. */
export class Question {
  #timer = 0;
  #open = new AbortController();

  /**
   * Fetches the first `shown` records of a filter. It returns undefined if another request has
   * replaced this one, and throws if plinth serve does not answer.
   */
  async first(filter: Filter, shown: number, typed: boolean): Promise<Records | undefined> {
    const signal = this.#begin();
    if (typed && !(await this.#still(signal))) return undefined;
    return answer(filter, 0, Math.max(pageSize, shown), signal);
  }

  /** Fetches the records after the first `shown`. */
  more(filter: Filter, shown: number): Promise<Records | undefined> {
    return answer(filter, shown, pageSize, this.#begin());
  }

  #begin(): AbortSignal {
    this.#open.abort();
    this.#open = new AbortController();
    return this.#open.signal;
  }

  #still(signal: AbortSignal): Promise<boolean> {
    clearTimeout(this.#timer);
    return new Promise((resolve) => {
      this.#timer = window.setTimeout(() => resolve(!signal.aborted), debounce);
      signal.addEventListener("abort", () => resolve(false));
    });
  }
}

async function answer(
  filter: Filter,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Records | undefined> {
  try {
    const first = await fetchRecords(filter, offset, Math.min(most, limit), signal);
    return limit <= most ? first : await rest(first, filter, offset, limit, signal);
  } catch (problem) {
    if (signal.aborted) return undefined;
    throw problem;
  }
}

async function rest(
  first: Records,
  filter: Filter,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Records> {
  const records = [...first.records];
  while (records.length < limit && records.length < first.matching - offset) {
    const next = await fetchRecords(
      filter,
      offset + records.length,
      Math.min(most, limit - records.length),
      signal,
    );
    if (!next.records?.length) break;
    records.push(...next.records);
  }
  return { ...first, records };
}
