// The explorer's choice, kept in the address.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { currentLink, formatRange, type Link, type Range, updateLink } from "../link.ts";
import type { Data } from "../record.ts";
import { type Chosen, chosenBy, firstChoice, problemsOf, renewChoice } from "./chosen.ts";

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
    const next = change(latest.current);
    latest.current = next;
    setChosen(next);
    setFollowed(null);
    setByReader(true);
    updateLink({
      run: next.a?.path ?? null,
      with: next.b?.path ?? null,
      layout: next.b ? next.layout : null,
      t: rangeKey(next.range),
    });
  }, []);
  useEffect(() => {
    const follow = () => {
      const link = currentLink();
      if (!link.keys.has("run")) return;
      setFollowed(link);
      const next = chosenBy(link, data.runs);
      if (next) {
        setChosen(next);
        setByReader(true);
      }
      place.current?.scrollIntoView({ block: "start" });
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

function rangeKey(range: Range | null): string | null {
  return range && formatRange(range);
}

// The runs of newer data are new objects.
function renewed(chosen: Chosen, data: Data): Chosen {
  if (chosen.a && data.runs.includes(chosen.a)) return chosen;
  const next = renewChoice(chosen, data.runs);
  return next.a ? next : firstChoice(data);
}
