// What plinth serve answers about its store.

import type { Counts, State } from "../record.ts";
import { type Filter, queryOf } from "./filter.ts";

export interface Entry {
  name: string;
  question: string;
  engine: string;
  state: State;
  created: string;
  finished?: string | null;
  planned_runs: number;
  counts: Counts;
  /** The first sentence to quote, "" before there is one. */
  answer: string;
  words: string[] | null;
  /** Why the record cannot be read; then only its name and created are known. */
  damage?: string;
}

export interface Records {
  store: string;
  total: number;
  matching: number;
  engines: string[] | null;
  records: Entry[] | null;
}

/** How many records are asked for at a time. */
export const pageSize = 100;

/** The address of the records of a filter from number offset on. */
export function recordsAddress(filter: Filter, offset: number, limit: number): string {
  const query = new URLSearchParams(queryOf(filter));
  query.set("offset", String(offset));
  query.set("limit", String(limit));
  return `/api/records?${query}`;
}

/** What plinth serve said when it did not answer with records. */
export class Refusal extends Error {}

/** The records of a filter. It throws a Refusal, or what fetch throws without an answer. */
export async function fetchRecords(
  filter: Filter,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Records> {
  const answer = await fetch(recordsAddress(filter, offset, limit), { signal });
  if (!answer.ok) throw new Refusal(await refusalText(answer));
  return (await answer.json()) as Records;
}

async function refusalText(answer: Response): Promise<string> {
  const { error, hint } = await answer.json().catch(() => ({}));
  return [error ?? `plinth serve answered ${answer.status}`, hint].filter(Boolean).join(": ");
}
