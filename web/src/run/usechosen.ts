// The explorer's choice, kept in the address.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { currentLink, formatRange, type Link, notedLink, pushLink, updateLink } from "../link.ts";
import type { Data } from "../record.ts";
import { type Chosen, chosenBy, firstChoice, isStep, problemsOf, renewChoice } from "./chosen.ts";

/** Makes the next choice of the last. */
export type Change = (old: Chosen) => Chosen;

/** What is chosen, and by whom. */
export interface Choosing {
  chosen: Chosen;
  byReader: boolean; // by a click or a link, not only what is shown at first
  problems: string[]; // with the link that was followed
  choose(change: Change): void;
}

/** What is chosen: the address follows it, and it follows the address. */
export function useChosen(data: Data, place: { current: HTMLElement | null }): Choosing {
  const [followed, setFollowed] = useState<Link | null>(currentLink); // null once the reader chose
  const [byReader, setByReader] = useState(() => chosenBy(currentLink(), data.runs) !== null);
  const [chosen, setChosen] = useState(() => chosenBy(currentLink(), data.runs) ?? firstChoice(data));
  const latest = useRef(chosen);
  latest.current = renewed(chosen, data);
  // What was shown first stays, also when a running experiment brings better choices.
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
      if (!link) return; // a section's, or another's
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
