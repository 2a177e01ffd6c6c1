// A newer report takes the place of an older one: what the reader did stays.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { browser, end, scratch } from "./harness.js";

const live = join(dirname(dirname(fileURLToPath(import.meta.url))), "src", "live");

after(end);

// Runs in the page: random reports, each of which becomes another; answers those that did not.
function becomeNewer() {
  let seed = 1;
  const below = (n) => {
    seed = (seed * 48271) % 2147483647;
    return seed % n;
  };
  const tree = (depth) => {
    if (depth === 0 || below(4) === 0) return below(3) ? `text ${below(5)}` : "";
    const tag = ["p", "div", "section", "ul", "b"][below(5)];
    const id = below(3) === 0 ? ` id="id-${below(6)}"` : "";
    const title = below(3) === 0 ? ` title="${below(3)}"` : "";
    const inner = Array.from({ length: below(5) }, () => tree(depth - 1)).join("");
    return `<${tag}${id}${title}>${inner}</${tag}>`;
  };
  const wrong = [];
  for (let i = 0; i < 500; i++) {
    const [from, to] = [tree(4), tree(4)];
    const { main, newer } = window.renew(from, to);
    if (main.innerHTML !== newer.innerHTML) wrong.push({ from, to, got: main.innerHTML });
  }
  return wrong;
}

describe("newer report", () => {
  let page;

  before(async () => {
    page = await (await browser()).newPage({ viewport: { width: 800, height: 600 } });
    await page.addScriptTag({ content: await bundled() });
    await page.evaluate(() => {
      // Shows a report, lets somebody do something to it, and brings a newer one.
      window.renew = (from, to, reader = () => {}) => {
        document.body.innerHTML = `<main>${from}</main>`;
        const main = document.querySelector("main");
        const newer = new DOMParser()
          .parseFromString(`<main>${to}</main>`, "text/html")
          .querySelector("main");
        const kept = reader(main);
        window.Newer.keepInView(main, () => window.Newer.morph(main, newer));
        return { main, newer, kept };
      };
    });
  });

  // What takes the place of a report, as one script.
  async function bundled() {
    const entry = join(await scratch(), "newer.ts");
    const parts = ["morph.ts", "anchor.ts"].map(
      (file) => `export * from ${JSON.stringify(join(live, file))};`,
    );
    await writeFile(entry, parts.join("\n"));
    const [{ output }] = await build({
      configFile: false,
      logLevel: "error",
      build: { write: false, lib: { entry, name: "Newer", formats: ["iife"], fileName: "newer" } },
    });
    return output[0].code;
  }

  test("any report becomes the newer one", async () => {
    const unlike = await page.evaluate(becomeNewer);
    assert.deepEqual(unlike, []);
  });

  test("what is open stays open, what is closed stays closed", async () => {
    const open = await page.evaluate(() => {
      const details = (n) =>
        `<details id="a"><summary>A</summary>${n}</details><details id="b" open><summary>B</summary>${n}</details>`;
      const { main } = window.renew(details(1), `<p>new</p>${details(2)}`, (main) => {
        main.querySelector("#a").open = true;
        main.querySelector("#b").open = false;
      });
      return [...main.querySelectorAll("details")].map((d) => [d.open, d.lastChild.textContent]);
    });
    assert.deepEqual(open, [
      [true, "2"],
      [false, "2"],
    ]);
  });

  test("a choice stays when others come before it, and goes when it is no more", async () => {
    const values = await page.evaluate(() => {
      const select = (...values) =>
        `<select>${values.map((v) => `<option value="${v}">${v}</option>`).join("")}</select>`;
      const choose = (main) => {
        main.querySelector("select").value = "4";
      };
      const renewed = (to) => window.renew(select("all", "4"), to, choose).main.querySelector("select").value;
      return [renewed(select("all", "2", "4")), renewed(select("all", "2"))];
    });
    assert.deepEqual(values, ["4", "all"]);
  });

  test("focus, and how far a table is scrolled, stay", async () => {
    const [focus, scrolled] = await page.evaluate(() => {
      const table = (n) =>
        `<div class="scroll" style="width:100px;overflow:auto"><div style="width:500px">${n}</div></div><button id="x">${n}</button>`;
      const { main } = window.renew(table(1), table(2), (main) => {
        main.querySelector("button").focus();
        main.querySelector(".scroll").scrollLeft = 77;
      });
      return [document.activeElement.textContent, main.querySelector(".scroll").scrollLeft];
    });
    assert.equal(focus, "2");
    assert.equal(scrolled, 77);
  });

  test("the run explorer is left alone, wherever the rest goes", async () => {
    const kept = await page.evaluate(() => {
      const section = (before) => `${before}<div id="run-explorer"></div><details>all</details>`;
      const { main, kept } = window.renew(
        section("<figure></figure>"),
        section("<p>a</p><p>b</p>"),
        (main) => {
          const explorer = main.querySelector("#run-explorer");
          explorer.append(document.createElement("canvas"));
          return explorer;
        },
      );
      return [kept.isConnected && kept.children.length, [...main.children].map((child) => child.nodeName)];
    });
    assert.deepEqual(kept, [1, ["P", "P", "DIV", "DETAILS"]]);
  });

  test("a time that is written as the reader's clock shows it stays so, until it is another", async () => {
    const texts = await page.evaluate(() => {
      const time = (at) => `<time datetime="${at}">${at}</time>`;
      const local = (main) => {
        main.querySelector("time").textContent = "today";
      };
      const renewed = (to) => window.renew(time("2026-01-01"), time(to), local).main.textContent;
      return [renewed("2026-01-01"), renewed("2026-01-02")];
    });
    assert.deepEqual(texts, ["today", "2026-01-02"]);
  });

  test("what is read stays where it is while the page grows above it", async () => {
    const moved = await page.evaluate(() => {
      const notes = (n) => `<section><ul>${"<li>a note</li>".repeat(n)}</ul></section>`;
      const text = `<section id="method">${"<p>a paragraph</p>".repeat(200)}</section>`;
      let before = 0;
      const at = (main) => main.querySelectorAll("#method p")[100].getBoundingClientRect().top;
      const { main } = window.renew(notes(1) + text, notes(40) + text, (main) => {
        main.querySelectorAll("#method p")[100].scrollIntoView();
        before = at(main);
      });
      return Math.abs(at(main) - before);
    });
    assert.ok(moved < 1, `${moved} px`);
  });
});
