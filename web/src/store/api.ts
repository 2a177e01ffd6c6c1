// Requests to plinth serve about its store.

import type { Records } from "../record.ts";
import { type Filter, queryOf } from "./filter.ts";

/** Number of records per request. */
export const pageSize = 100;

/** Returns the address of the records of a filter, from index offset. */
export function recordsAddress(filter: Filter, offset: number, limit: number): string {
  const query = new URLSearchParams(queryOf(filter));
  query.set("offset", String(offset));
  query.set("limit", String(limit));
  return `/api/records?${query}`;
}

/** An error response of plinth serve. */
export class Refusal extends Error {}

/** Fetches the records of a filter. It throws a Refusal, or the error of fetch if there is no response. */
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
