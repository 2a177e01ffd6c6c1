import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { request } from "./detail.ts";

const asked: string[] = [];
let broken = false;

beforeEach(() => {
  asked.length = 0;
  broken = false;
  vi.stubGlobal("fetch", async (address: string) => {
    const path = new URL(address, "http://localhost").searchParams.get("path") ?? "";
    asked.push(path);
    return broken ? new Response("", { status: 500 }) : Response.json({ path });
  });
});
afterEach(() => vi.unstubAllGlobals());

test("the runs that were looked at last are kept, no others", async () => {
  const run = (i: number) => request("record", `kept/r${i}`);
  for (let i = 0; i < 300; i++) await run(i);
  expect(asked).toHaveLength(300);
  for (let i = 280; i < 300; i++) expect(await run(i)).toEqual({ path: `kept/r${i}` });
  expect(asked).toHaveLength(300);
  await run(279);
  expect(asked).toHaveLength(301);
});

test("a run that is looked at again and again stays", async () => {
  for (let i = 0; i < 100; i++) {
    await request("record", "pinned");
    await request("record", `others/r${i}`);
  }
  expect(asked.filter((path) => path === "pinned")).toHaveLength(1);
});

test("two that ask at once ask once, and a failure is asked for again", async () => {
  await Promise.all([request("record", "twice"), request("record", "twice")]);
  expect(asked).toEqual(["twice"]);
  broken = true;
  await expect(request("record", "fails")).rejects.toThrow("plinth serve responded with 500");
  broken = false;
  expect(await request("record", "fails")).toEqual({ path: "fails" });
});
