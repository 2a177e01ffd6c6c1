// The explorer's choice, kept in the address.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { currentLink, formatRange, type Link, notedLink, pushLink, updateLink } from "../link.ts";
import type { Data } from "../record.ts";
import { type Chosen, chosenBy, firstChoice, isStep, problemsOf, renewChoice } from "./chosen.ts";

/** Returns the next choice, from the last. */
export type Change = (old: Chosen) => Chosen;

/** The choice, and who made it. */
export interface Choosing {
  chosen: Chosen;
  byReader: boolean; // by a click or a link, not by default
  problems: string[]; // of the followed link
  choose(change: Change): void;
}

/** Keeps the choice and the address in sync. */
export function useChosen(data: Data, place: { current: HTMLElement | null }): Choosing {
  const [followed, setFollowed] = useState<Link | null>(currentLink); // null once the reader chose
  const [byReader, setByReader] = useState(() => chosenBy(currentLink(), data.runs) !== null);
  const [chosen, setChosen] = useState(() => chosenBy(currentLink(), data.runs) ?? firstChoice(data));
  const latest = useRef(chosen);
  latest.current = renewed(chosen, data);
  // The first choice stays, even if a running experiment brings better ones.
  if (chosen.a === null && latest.current.a !== null) setChosen(latest.current);
  const choose = useCallback((change: Change) => {
    const old = latest.current;
    const next = change(old);
    latest.current = next;
    setChosen(next);
    setFollowed(null);
    setByReader(true);
    if (isStep(old, next)) pushLink(keysOf(old), keysOf(next));
    else updateLink(keysOf(next));
  }, []);
  useEffect(() => {
    const follow = () => {
      const [address, noted] = [currentLink(), notedLink()];
      const link = address.keys.has("run") ? address : noted;
      if (!link) return; // to a section, or not ours
      setFollowed(link);
      const next = chosenBy(link, data.runs);
      if (next) {
        setChosen(next);
        setByReader(true);
      }
      if (!noted) place.current?.scrollIntoView({ block: "start" });
    };
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [data.runs, place]);
  useEffect(() => {
    if (currentLink().keys.has("run")) place.current?.scrollIntoView({ block: "start" });
  }, [place]);
  const problems = followed ? problemsOf(followed, data.runs) : [];
  return { chosen: latest.current, byReader, problems, choose };
}

// The keys of the address.
function keysOf({ a, b, layout, range }: Chosen) {
  return {
    run: a?.path ?? null,
    with: b?.path ?? null,
    layout: b ? layout : null,
    t: range && formatRange(range),
  };
}

// The runs of newer data are new objects.
function renewed(chosen: Chosen, data: Data): Chosen {
  if (chosen.a && data.runs.includes(chosen.a)) return chosen;
  const next = renewChoice(chosen, data.runs);
  return next.a ? next : firstChoice(data);
}
