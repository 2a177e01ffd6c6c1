// Asks plinth serve for a list: a little after the last letter, and never minding the
// answer to a question that is no longer asked.

import type { Records } from "../record.ts";
import { fetchRecords, pageSize } from "./api.ts";
import type { Filter } from "./filter.ts";

/** Milliseconds after the last letter: shorter asks for words half typed. */
const debounce = 150;

/** The most that plinth serve answers with at once. */
const most = 1000;

/** The one question that is open. A new one takes its place. */
export class Question {
  #timer = 0;
  #open = new AbortController();

  /**
   * The first `shown` records of a filter. It answers undefined where another question
   * was asked meanwhile, and throws where plinth serve does not answer.
   */
  async first(filter: Filter, shown: number, typed: boolean): Promise<Records | undefined> {
    const signal = this.#begin();
    if (typed && !(await this.#still(signal))) return undefined;
    return answer(filter, 0, Math.max(pageSize, shown), signal);
  }

  /** The records behind the first `shown`. */
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
