// The explorer's choice, kept in the address.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { currentLink, formatRange, type Range, updateLink } from "../link.ts";
import type { Data } from "../record.ts";
import { type Chosen, chosenBy, firstChoice, renewChoice } from "./chosen.ts";

/** Makes the next choice of the last. */
export type Change = (old: Chosen) => Chosen;

/** What is chosen: the address follows it, and it follows the address. */
export function useChosen(
  data: Data,
  place: { current: HTMLElement | null },
): [Chosen, (change: Change) => void] {
  const [chosen, setChosen] = useState(() => chosenBy(currentLink(), data.runs) ?? firstChoice(data));
  const latest = useRef(chosen);
  latest.current = renewed(chosen, data);
  // What was shown first stays, also when a running experiment brings better choices.
  if (chosen.a === null && latest.current.a !== null) setChosen(latest.current);
  const choose = useCallback((change: Change) => {
    const next = change(latest.current);
    latest.current = next;
    setChosen(next);
    updateLink({
      run: next.a?.path ?? null,
      with: next.b?.path ?? null,
      layout: next.b ? next.layout : null,
      t: rangeKey(next.range),
    });
  }, []);
  useEffect(() => {
    const follow = () => {
      const next = chosenBy(currentLink(), data.runs);
      if (!next) return;
      setChosen(next);
      place.current?.scrollIntoView({ block: "start" });
    };
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [data.runs, place]);
  useEffect(() => {
    if (currentLink().keys.has("run")) place.current?.scrollIntoView({ block: "start" });
  }, [place]);
  return [latest.current, choose];
}

function rangeKey(range: Range | null): string | null {
  return range && formatRange(range);
}

// The runs of newer data are new objects.
function renewed(chosen: Chosen, data: Data): Chosen {
  if (chosen.a && data.runs.includes(chosen.a)) return chosen;
  const next = renewChoice(chosen, data.runs);
  return next.a ? next : firstChoice(data);
}
