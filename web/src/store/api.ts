// What plinth serve answers about its store.

import type { Records } from "../record.ts";
import { type Filter, queryOf } from "./filter.ts";

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
  return [error ?? `plinth serve responded with ${answer.status}`, hint].filter(Boolean).join(": ");
}
