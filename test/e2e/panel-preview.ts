/**
 * The panels in a browser without the editor: their real bundles, served from loopback under the content policy of
 * a webview.
 *
 *   node test/e2e/panel-preview.ts                             serves the panels in all fixture states
 *   node test/e2e/panel-preview.ts shots <folder> <panel> […]  takes pictures; `[…]` are fixture names, default all
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium, type Browser } from 'playwright-core';
import { requireBrowser } from '../../scripts/lib/browser.mjs';
import { textsElement, type Translations } from '../../src/shared/translations.ts';
import { PANELS, type PanelName } from '../panels/panels.ts';
import { shownElement, type Shown } from '../panels/shown.ts';
import { THEMES } from '../panels/themes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CODICONS = `${ROOT}node_modules/@vscode/codicons/dist/`;

const TYPES: Record<string, string> = { js: 'text/javascript', css: 'text/css', ttf: 'font/ttf' };

/** Starts a headless browser. */
export function launchBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ];
  return chromium.launch({ executablePath: requireBrowser(), args });
}

export interface PreviewServer {
  /** Address of a panel in a fixture state. */
  url(panel: PanelName, state: string, theme?: string): string;
  close(): Promise<void>;
}

/** The language of the pages. */
export interface PageLanguage {
  readonly tag: string;
  readonly texts?: Translations;
}

/** Bundles the panels and serves them. Every page load has a new nonce. */
export async function servePreview(port = 0, language: PageLanguage = { tag: 'en' }): Promise<PreviewServer> {
  const files = await bundle();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback');
    const name = pathname.slice(1);
    const file = files.get(name);
    if (file) {
      response.setHeader('content-type', TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain');
      response.setHeader('cache-control', 'max-age=3600, immutable');
      response.end(file);
    } else if (isPanel(name)) panelPage(name, searchParams.get('state') ?? '', language, response);
    else if (pathname === '/') response.setHeader('content-type', 'text/html').end(indexPage());
    else response.writeHead(404).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (panel, state, theme = 'dark') => `${origin}/${panel}?state=${state}&theme=${theme}`,
    close: () => closed(server),
  };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function bundle(): Promise<Map<string, Uint8Array>> {
  const common = {
    bundle: true,
    target: 'es2022',
    outdir: 'preview',
    write: false,
    logLevel: 'warning',
  } as const;
  const [panels, editor] = await Promise.all([
    build({
      ...common,
      entryPoints: {
        inspector: `${ROOT}webview/inspector/main.ts`,
        compare: `${ROOT}webview/compare/main.ts`,
        history: `${ROOT}webview/history/main.ts`,
        map: `${ROOT}webview/map/main.ts`,
        capture: `${ROOT}webview/capture/main.ts`,
        building: `${ROOT}webview/building/main.ts`,
        review: `${ROOT}webview/review/main.ts`,
      },
      format: 'esm',
      splitting: true,
    }),
    build({ ...common, entryPoints: { preview: `${ROOT}test/panels/preview.ts` }, format: 'iife' }),
  ]);
  const outputFiles = [...panels.outputFiles, ...editor.outputFiles];
  const icons = ['codicon.css', 'codicon.ttf'];
  return new Map([
    ...outputFiles.map(({ path, contents }) => [path.split(/[\\/]/u).at(-1)!, contents] as const),
    ...(await Promise.all(icons.map(async (name) => [name, await readFile(CODICONS + name)] as const))),
  ]);
}

const isPanel = (name: string): name is PanelName => Object.hasOwn(PANELS, name);

/** An unknown state is one without any answer. */
function shownIn(panel: PanelName, state: string): Shown {
  const { fixtures, background, messages } = PANELS[panel];
  const fixture = Object.hasOwn(fixtures, state) ? (fixtures as Record<string, unknown>)[state] : undefined;
  return { background, messages: fixture === undefined ? [] : messages(fixture) };
}

/** The page that src/extension writes, with the stand-in for the editor before the panel's script. */
function panelPage(
  panel: PanelName,
  state: string,
  { tag, texts }: PageLanguage,
  response: ServerResponse,
): void {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'self' 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "font-src 'self'",
  ].join('; ');
  response.setHeader('content-security-policy', policy).setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!DOCTYPE html>
<html lang="${tag}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta property="csp-nonce" content="${nonce}">
    <link rel="stylesheet" href="codicon.css">
    <link rel="stylesheet" href="${panel}.css">
    <title>Parallax</title>
  </head>
  <body>
    <main id="root"></main>
    ${textsElement(texts)}
    ${shownElement(shownIn(panel, state))}
    <script nonce="${nonce}" src="preview.js"></script>
    <script type="module" nonce="${nonce}" src="${panel}.js"></script>
  </body>
</html>`);
}

function indexPage(): string {
  const rows = Object.entries(PANELS).flatMap(([panel, { fixtures }]) =>
    Object.keys(fixtures).map((state) => {
      const links = Object.keys(THEMES).map(
        (theme) => `<a href="${panel}?state=${state}&theme=${theme}">${theme}</a>`,
      );
      return `<li>${panel}, ${state}: ${links.join(' ')}</li>`;
    }),
  );
  return `<!DOCTYPE html><meta charset="utf-8"><title>Parallax panels</title><ul>${rows.join('')}</ul>`;
}

async function takePictures(folder: string, panel: PanelName, states: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [server, browser] = await Promise.all([servePreview(), launchBrowser()]);
  try {
    const page = await browser.newPage();
    for (const state of states)
      for (const theme of Object.keys(THEMES))
        for (const width of PANELS[panel].widths) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(server.url(panel, state, theme));
          await page.evaluate(() => document.fonts.ready);
          await page.screenshot({
            path: `${folder}/${state}-${theme}-${width}.png`,
            fullPage: true,
            animations: 'disabled',
          });
        }
  } finally {
    await Promise.all([browser.close(), server.close()]);
  }
}

function panelNamed(name: string): PanelName {
  const panel = (Object.keys(PANELS) as PanelName[]).find((one) => one === name);
  if (!panel) throw new Error(`There is no panel “${name}”: choose ${Object.keys(PANELS).join(' or ')}.`);
  return panel;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, folder, name = 'inspector', ...states] = process.argv.slice(2);
  const panel = panelNamed(name);
  if (command === 'shots' && folder)
    await takePictures(folder, panel, states.length > 0 ? states : Object.keys(PANELS[panel].fixtures));
  else console.log((await servePreview(5099)).url(panel, 'answered'));
}
