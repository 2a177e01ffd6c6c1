// A run that goes on: the panel, the title of the tab, and the report below it.

import { render } from "preact";
import { readData } from "../data.ts";
import type { Live } from "../record.ts";
import "./live.css";
import { Panel, type View } from "./panel.tsx";
import { gather, nothing } from "./points.ts";
import { titleText } from "./progress.ts";
import { Refresher } from "./refresh.ts";
import { listen } from "./stream.ts";

/** The text of the time left is in steps of five seconds or more. */
const countdown = 5000;

/** Follows the record of this page in element until it ends. */
export function mountLive(element: HTMLElement): void {
  const address = location.pathname;
  const title = document.title;
  const refresher = new Refresher(address);
  const data = readData();
  const environments = data?.environments.map((environment) => environment.name) ?? [];
  const view: View = { came: 0, connection: "opening", deleted: false, gathered: nothing, environments };
  let shown = { runs: data?.runs.length ?? -1, state: data?.state };

  const draw = () => render(<Panel view={view} />, element);

  // An event "changed" may be missed while the page is hidden or plinth serve is
  // gone: what stands on the page tells as well whether it is behind.
  function live(live: Live): void {
    Object.assign(view, { live, came: Date.now(), gathered: gather(view.gathered, live) });
    setTitle(titleText(live, title));
    draw();
    if (live.runs !== shown.runs || live.state !== shown.state) {
      refresher.ask(live.state === "running" ? "soon" : "now");
    }
    shown = { runs: live.runs, state: live.state };
    if (live.state === "complete") stop();
  }

  const stopListening = listen(address, {
    live,
    changed: () => refresher.ask("soon"),
    gone: () => {
      view.deleted = true;
      refresher.stop();
      draw();
    },
    connection: (connection) => {
      view.connection = connection;
      draw();
    },
  });

  const ticking = setInterval(() => document.visibilityState === "visible" && draw(), countdown);

  function stop(): void {
    clearInterval(ticking);
    stopListening();
  }
}

function setTitle(title: string): void {
  if (document.title !== title) document.title = title;
}
