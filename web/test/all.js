// All tests in a browser, in one process: they share Chromium, the made records and their
// reports. Each file can be run by itself, too: node --test test/report.test.js

import { readdir } from "node:fs/promises";
import { before } from "node:test";

const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".test.js"));
const read = Promise.all(files.map((file) => import(`./${file}`)));

// What is shared ends with the last test that is known: so none begins before all are.
before(() => read);
