/**
 * Builds everything that ships: `node esbuild.mjs [--watch]`.
 *
 *   dist/extension.cjs   the extension host: what activation needs
 *   dist/app.cjs         the extension host: everything else, loaded with the first use
 *   dist/known-imports.cjs  what it looks for in a program first, loaded with the first one
 *   dist/call-sites.cjs  its thread that looks for calls in the user's code
 *   dist/engine.mjs      the forked engine          } share chunks, so that heavy readers
 *   dist/cli.mjs         the command line           } (PDF, DOCX, models) load on first use
 *   dist/extraction.mjs  forked by both: reads PDF and DOCX
 *   dist/store-client.mjs forked by both: asks a store through the client of the user's project
 *   dist/derivation.mjs  threads of both: build large indexes
 *   dist/cli.js          launcher: finds a Node that is new enough
 *   dist/webview/*       the panels
 *   dist/answer.html     the MCP App that shows answers of tools in an agent's window, in one file
 *   dist/kernels.wasm    vector kernels
 *   dist/encoder/*       the sentence encoder, and the pieces that its tokenizer knows
 *   dist/tree-sitter*.wasm   parser and grammars for the calls in the user's code
 *   dist/ThirdPartyNotices.txt   the licences of other people's work in all of these
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import esbuild from 'esbuild';
import { buildEncoder, ENCODER_PACKAGE } from './scripts/encoder.ts';
import { buildKernels } from './scripts/kernels.mjs';
import { notices } from './scripts/lib/notices.mjs';
import { TARGETS, unbundledFor } from './scripts/lib/targets.mjs';

const watch = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  sourcemap: true,
  minify: !watch,
  // Class and function names stand in error messages and logs.
  keepNames: true,
  logLevel: 'warning',
  // The licences stand in a file of their own.
  legalComments: 'none',
  metafile: true,
  // Its CommonJS form loads its own files while it runs, which a bundle does not have.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};

/**
 * Native packages, and the one that stands in for a native one with files of its own, are loaded from
 * node_modules, lazily; the editor is there only in its host.
 */
const external = ['vscode', 'onnxruntime-node', 'onnxruntime-web', 'hnswlib-node'];

/** What activation does not need is a file of its own, read when it is first used. */
const appApart = {
  name: 'app-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/(?:app|known-imports)\.ts$/ }, ({ path }) => ({
      path: path.replace('.ts', '.cjs'),
      external: true,
    })),
};

const app = {
  ...common,
  entryPoints: {
    app: 'src/extension/app.ts',
    'call-sites': 'src/site-thread/thread.ts',
    'known-imports': 'src/features/lens/host/known-imports.ts',
  },
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  external,
  // A library asks what browser it is in; the extension host logs every look at this global as a fault.
  define: { navigator: 'undefined' },
};

const host = {
  ...app,
  entryPoints: { extension: 'src/extension/main.ts' },
  plugins: [appApart],
  // Activation counts from here: reading the bundle is part of what the user waits for.
  banner: { js: 'var loadBegan = performance.now();' },
};

const engine = {
  ...common,
  entryPoints: {
    engine: 'src/engine/main.ts',
    extraction: 'src/engine/corpus/extraction/child.ts',
    'store-client': 'src/engine/external/stores/own-client/child.ts',
    derivation: 'src/engine/derivation/thread.ts',
    cli: 'src/cli/main.ts',
  },
  platform: 'node',
  target: 'node22',
  format: 'esm',
  splitting: true,
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunks/[name]-[hash]',
  external,
  // CommonJS packages inside an ES module bundle still ask for `require`, and the parser for where it stands.
  banner: {
    js:
      "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url)," +
      '__filename=require("node:url").fileURLToPath(import.meta.url);',
  },
};

const launcher = {
  ...common,
  sourcemap: false,
  entryPoints: { cli: 'src/cli/launcher.ts' },
  platform: 'node',
  target: 'node18',
  format: 'esm',
  outdir: 'dist',
};

const webview = {
  ...common,
  entryPoints: {
    inspector: 'webview/inspector/main.ts',
    compare: 'webview/compare/main.ts',
    history: 'webview/history/main.ts',
    map: 'webview/map/main.ts',
    capture: 'webview/capture/main.ts',
    building: 'webview/building/main.ts',
    review: 'webview/review/main.ts',
  },
  platform: 'browser',
  target: 'es2022',
  // The library that draws charts is a file of its own, loaded with the first chart that comes into sight.
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  outdir: 'dist/webview',
  loader: { '.ttf': 'file' },
};

/** Its host gives it no files beside the page. */
const agentsPage = {
  ...common,
  sourcemap: false,
  entryPoints: { agents: 'webview/agents/app.ts' },
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
  outdir: 'dist',
  write: false,
  plugins: [
    {
      name: 'one-page',
      setup: ({ onEnd }) =>
        onEnd(async ({ outputFiles = [] }) => {
          const text = (end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
          // Only these texts would end their elements.
          const script = text('.js').replaceAll('</script', String.raw`<\/script`);
          await writeFile(
            'dist/answer.html',
            `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Parallax</title>
    <style>${text('.css')}</style>
  </head>
  <body>
    <main id="root"></main>
    <script>${script}</script>
  </body>
</html>
`,
          );
        }),
    },
  ],
};

async function copyAssets() {
  await mkdir('dist/webview', { recursive: true });
  for (const file of ['codicon.css', 'codicon.ttf'])
    await cp(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);
  // The parser and the grammars of the languages in which calls are detected; JavaScript is read as TSX.
  for (const file of ['tree-sitter', 'tree-sitter-python', 'tree-sitter-typescript', 'tree-sitter-tsx'])
    await cp(`node_modules/@vscode/tree-sitter-wasm/wasm/${file}.wasm`, `dist/${file}.wasm`);
  // The hook for running programs finds calls in compiled code with it.
  await cp('node_modules/acorn/dist/acorn.js', 'dist/acorn.cjs');
}

let running = 0;

/** Prints one line before the first and one after the last of the builds that a change starts, for `.vscode/tasks.json`. */
const report = {
  name: 'report',
  setup({ onStart, onEnd }) {
    onStart(() => {
      if (running++ === 0) console.log('build started');
    });
    onEnd(() => {
      if (--running === 0) console.log('build finished');
    });
  },
};

async function watchBuild(options) {
  const context = await esbuild.context({ ...options, plugins: [...(options.plugins ?? []), report] });
  await context.watch();
}

if (!watch && existsSync('dist'))
  // Packages and test artefacts beside the bundles stay; old chunks must not.
  for (const stale of ['chunks', 'webview']) await rm(`dist/${stale}`, { recursive: true, force: true });

await Promise.all([buildKernels('dist/kernels.wasm'), copyAssets(), buildEncoder()]);
const builds = [host, app, engine, launcher, webview, agentsPage];
if (watch) await Promise.all(builds.map(watchBuild));
else {
  const built = await Promise.all(builds.map((options) => esbuild.build(options)));
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const beside = [
    '@vscode/codicons',
    ENCODER_PACKAGE,
    '@vscode/tree-sitter-wasm',
    'acorn',
    ...TARGETS.flatMap((target) => Object.keys(unbundledFor(target))),
  ];
  await writeFile('dist/ThirdPartyNotices.txt', notices(inputs, beside));
}
