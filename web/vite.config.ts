import { defineConfig } from "vitest/config";

// The page is two files with fixed names: Go embeds them, and writes them into
// the head of a report or serves them as /assets/page.js and /assets/page.css.
// Hence one module without chunks, and nothing that is fetched later.
export default defineConfig({
  build: {
    target: "es2022",
    emptyOutDir: false, // dist/.gitignore keeps the folder there for go:embed
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: "src/main.ts",
      output: {
        codeSplitting: false,
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // One worker for all files: to begin another one takes longer than its tests.
  test: { include: ["src/**/*.test.ts"], css: true, isolate: false, unstubGlobals: true },
});
