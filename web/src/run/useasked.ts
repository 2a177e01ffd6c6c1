// The reader's choice of charts, in the address.

import { useCallback, useEffect, useState } from "preact/hooks";
import { currentLink, updateLink } from "../link.ts";
import type { Run } from "../record.ts";
import type { Asked } from "./opened.ts";
import type { Layout, Row } from "./panel.ts";
import { formatAsked, parseAsked } from "./trackkey.ts";

/** Returns the reader's choice of charts. A link without one keeps it, and gets it added. */
export function useAsked(
  runs: readonly Run[],
  layout: Layout,
  rows: readonly Row[],
): [Asked, (next: Asked) => void] {
  const [asked, setAsked] = useState<Asked>(() => parseAsked(currentLink().keys.get("tracks"), rows));
  const change = useCallback(
    (next: Asked) => {
      setAsked(next);
      const [a, b] = runs;
      updateLink({
        run: a?.path ?? null,
        with: b?.path ?? null,
        layout: b ? layout : null,
        tracks: formatAsked(next, rows),
      });
    },
    [runs, layout, rows],
  );
  useEffect(() => {
    const follow = () => {
      const { keys } = currentLink();
      const tracks = keys.get("tracks");
      if (tracks !== undefined) setAsked(parseAsked(tracks, rows));
      else if (keys.has("run")) updateLink({ tracks: formatAsked(asked, rows) });
    };
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [asked, rows]);
  return [asked, change];
}
