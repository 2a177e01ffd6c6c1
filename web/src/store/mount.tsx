// The list of the store: its state, and the events that change it.

import { render } from "preact";
import type { Records } from "../record.ts";
import { fetchRecords, pageSize, Refusal } from "./api.ts";
import { toggle } from "./choose.ts";
import { everything, type Filter, filterOf, isNewStep, queryOf } from "./filter.ts";
import { append, isRunning, keepSame, type List, listOf, noList, refresh } from "./list.ts";
import { Page, type View } from "./page.tsx";
import { goTo, placeNow, placeOf } from "./place.ts";
import { Question } from "./question.ts";
import "./store.css";

const running: Filter = { ...everything, state: "running" };
const soon = 5000; // ms between updates while an experiment runs
const later = 30_000; // ms otherwise: an experiment may start

/** Sets up the list in element: it filters at once, and follows running experiments. */
export function mountStore(element: HTMLElement): void {
  new Store(element).begin();
}

class Store {
  #element: HTMLElement;
  #view: View = { filter: filterOf(location.search), list: noList, chosen: [], asking: true, problem: "" };
  #question = new Question();
  #typed = false; // the last change was a keystroke
  #timer = 0;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  async begin(): Promise<void> {
    const place = placeOf(history.state);
    history.scrollRestoration = "manual"; // the browser would restore before the list is loaded
    addEventListener("popstate", () => this.#go());
    addEventListener("pagehide", () => this.#keepPlace());
    document.addEventListener("visibilitychange", () => this.#look());
    await this.#ask(place?.shown ?? 0, false);
    if (place) goTo(place, this.#entries(), this.#names());
    this.#lookLater();
  }

  #draw(changed: Partial<View>): void {
    const begins = this.#view.list === noList;
    Object.assign(this.#view, changed);
    if (this.#view.list === noList) return; // keep plinth's HTML until there is a newer list
    if (begins) this.#element.replaceChildren();
    render(<Page view={this.#view} actions={this.#actions} />, this.#element);
  }

  #actions = {
    change: (changed: Partial<Filter>, typed: boolean) =>
      this.#change({ ...this.#view.filter, ...changed }, typed),
    choose: (name: string) => this.#draw({ chosen: toggle(this.#view.chosen, name) }),
    more: () => this.#more(),
  };

  #change(filter: Filter, typed: boolean): void {
    const address = location.pathname + queryOf(filter);
    if (isNewStep(this.#view.filter, filter, this.#typed)) {
      this.#keepPlace();
      history.pushState(null, "", address);
    } else {
      history.replaceState(null, "", address);
    }
    this.#typed = typed;
    this.#draw({ filter });
    this.#ask(0, typed);
  }

  async #go(): Promise<void> {
    const place = placeOf(history.state);
    this.#typed = false;
    this.#draw({ filter: filterOf(location.search) });
    await this.#ask(place?.shown ?? 0, false);
    if (place) goTo(place, this.#entries(), this.#names());
  }

  async #ask(shown: number, typed: boolean): Promise<void> {
    const { filter } = this.#view;
    await this.#take(this.#question.first(filter, shown, typed), (answer) => {
      const list = listOf(filter, answer);
      return { ...list, entries: keepSame(this.#view.list.entries, list.entries) };
    });
  }

  async #more(): Promise<void> {
    const { filter, list, asking } = this.#view;
    if (asking) return;
    const shown = list.entries.length;
    await this.#take(this.#question.more(filter, shown), (answer) => append(list, answer));
    const first = this.#entries().children[shown]?.querySelector("a");
    first?.focus({ preventScroll: true }); // otherwise the focus would be after the new ones
  }

  /** Shows the list of a response, or the problem. */
  async #take(asked: Promise<Records | undefined>, list: (answer: Records) => List): Promise<void> {
    this.#draw({ asking: true });
    try {
      const answer = await asked;
      if (answer) this.#draw({ list: list(answer), asking: false, problem: "" });
    } catch (problem) {
      this.#draw({ asking: false, problem: problemText(problem) });
    }
  }

  // Polls only running records; requests the list when one has ended or started.
  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    if (document.visibilityState === "hidden") return;
    try {
      const answer = await fetchRecords(running, 0, pageSize, AbortSignal.timeout(soon));
      const list = this.#view.asking ? this.#view.list : refresh(this.#view.list, answer);
      if (list) this.#draw({ list, problem: "" });
      else await this.#ask(this.#view.list.entries.length, false);
    } catch (problem) {
      this.#draw({ problem: problemText(problem) });
    }
    this.#lookLater();
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    const { list, problem } = this.#view;
    this.#timer = window.setTimeout(
      () => this.#look(),
      problem || list.entries.some(isRunning) ? soon : later,
    );
  }

  #keepPlace(): void {
    history.replaceState({ place: placeNow(this.#entries(), this.#names()) }, "");
  }

  #names(): string[] {
    return this.#view.list.entries.map((entry) => entry.name);
  }

  #entries(): HTMLElement {
    return this.#element.querySelector<HTMLElement>(".entries") ?? this.#element;
  }
}

function problemText(problem: unknown): string {
  return problem instanceof Refusal ? problem.message : "plinth serve does not answer; retrying";
}
