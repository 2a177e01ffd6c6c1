// A running experiment: the panel, the title of the tab, and the report below.

import { render } from "preact";
import { readData } from "../data.ts";
import type { Live } from "../record.ts";
import "./live.css";
import { Panel, type View } from "./panel.tsx";
import { gather, nothing } from "./points.ts";
import { titleText } from "./progress.ts";
import { Refresher } from "./refresh.ts";
import { type Connection, listen } from "./stream.ts";

/** In ms. The remaining time is shown in steps of five seconds or more. */
const countdown = 5000;

/**
 * Minimum interval between renderings of the panel, in ms. Each costs 6 to 10 ms, mostly in the
 * browser: once a second would take 1 % of a core that may be under measurement.
 */
const pace = 1900;

/** Follows the record of this page in element until it ends. */
export function mountLive(element: HTMLElement): void {
  new Following(element).begin();
}

class Following {
  #element: HTMLElement;
  #title = document.title;
  #refresher = new Refresher(location.pathname);
  #view: View;
  #shown: { runs: number; state: string }; // state of the report shown or requested
  #inView = true;
  #drawn = 0; // time of the last rendering of the panel
  #stop = () => {};

  constructor(element: HTMLElement) {
    const data = readData();
    this.#element = element;
    this.#shown = { runs: data?.runs.length ?? -1, state: data?.state ?? "" };
    this.#view = {
      came: 0,
      planned: 0,
      connection: "opening",
      deleted: false,
      gathered: nothing,
      environments: data?.environments.map((environment) => environment.name) ?? [],
      unit: data?.words.unit ?? "transaction",
    };
  }

  begin(): void {
    const stopListening = listen(location.pathname, {
      live: (live) => this.#live(live),
      changed: () => this.#refresher.ask("soon"),
      gone: () => this.#gone(),
      connection: (connection) => this.#connection(connection),
    });
    const observer = new IntersectionObserver((entries) =>
      this.#seen(entries.at(-1)?.isIntersecting ?? true),
    );
    observer.observe(this.#element);
    const ticking = setInterval(() => this.#tick(), countdown);
    this.#stop = () => {
      stopListening();
      observer.disconnect();
      clearInterval(ticking);
    };
  }

  #live(live: Live): void {
    const { gathered, planned } = this.#view;
    const due = !this.#view.live || (this.#inView && Date.now() - this.#drawn >= pace);
    const next = {
      live,
      came: Date.now(),
      gathered: gather(gathered, live),
      planned: live.now?.runs ?? planned,
    };
    Object.assign(this.#view, next);
    setTitle(titleText(live, next.planned, this.#title));
    if (due || live.state !== "running") this.#draw();
    this.#catchUp(live);
    if (live.state === "complete") this.#stop();
  }

  // An event "changed" may be missed while the page is hidden or plinth serve does not answer; the
  // state of the report then shows that it is outdated.
  #catchUp({ runs, state }: Live): void {
    if (runs === this.#shown.runs && state === this.#shown.state) return;
    this.#shown = { runs, state };
    this.#refresher.ask(state === "running" ? "soon" : "now");
  }

  #connection(connection: Connection): void {
    this.#view.connection = connection;
    if (connection === "open") this.#refresher.retry();
    this.#draw();
  }

  #gone(): void {
    this.#view.deleted = true;
    this.#refresher.stop();
    this.#stop();
    this.#draw();
  }

  #tick(): void {
    if (this.#inView && document.visibilityState === "visible") this.#draw();
  }

  // Do not draw the charts each second while they are out of view.
  #seen(inView: boolean): void {
    this.#inView = inView;
    if (inView) this.#draw();
  }

  #draw(): void {
    this.#drawn = Date.now();
    render(<Panel view={this.#view} />, this.#element);
  }
}

function setTitle(title: string): void {
  if (document.title !== title) document.title = title;
}
