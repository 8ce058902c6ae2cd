/**
 * A real VS Code for a test: code-server with temporary folders, the packaged extension installed as by a user, and a
 * browser page that shows it.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { requireBrowser } from '../../../scripts/lib/browser.mjs';
import {
  freePort,
  installExtension,
  QUIET_SETTINGS,
  startCodeServer,
  writeSettings,
} from '../../../scripts/lib/code-server.mjs';
import { exitOnSignals, killAllGroups } from '../../../scripts/lib/processes.mjs';
import { RESULTS } from '../../../scripts/lib/project.mjs';
import { VSIX } from '../../../scripts/lib/vsix.mjs';
import { Compare } from './compare.ts';
import { History } from './history.ts';
import { Inspector } from './inspector.ts';
import { PanelFrame } from './panel-frame.ts';
import { Testing } from './testing.ts';
import { Workbench } from './workbench.ts';

export interface EditorOptions {
  /** Folder to open; the test gets a copy. */
  workspace: string;
  settings?: Record<string, unknown>;
  /** Packages to install. Defaults to the one just built. */
  extensions?: string[];
  theme?: Theme;
  env?: Record<string, string>;
  /** Makes the editor believe that a screen reader is running. */
  accessibilitySupport?: boolean;
  viewport?: { width: number; height: number };
}

/** The themes that VS Code brings, by kind. */
export const THEMES = {
  light: 'Light 2026',
  dark: 'Dark 2026',
  'high-contrast': 'Dark High Contrast',
  'high-contrast-light': 'Light High Contrast',
} as const;
export type Theme = keyof typeof THEMES;

const BROWSER_FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Only to end what hangs: a busy machine takes several times as long as an idle one. */
const READY = 300_000;
const CLIPBOARD_PATIENCE = 120_000;

// The test runner is ended by a signal if a part takes too long. No editor may outlive it.
exitOnSignals(killAllGroups);

export class Editor {
  readonly page: Page;
  /** The test's own copy of the workspace. */
  readonly folder: string;
  readonly workbench: Workbench;
  readonly inspector: Inspector;
  readonly compare: Compare;
  /** The map of the candidates. */
  readonly map: PanelFrame;
  readonly testing: Testing;
  readonly history: History;
  readonly #home: string;
  readonly #stop: () => Promise<void>;

  constructor(page: Page, folder: string, home: string, stop: () => Promise<void>) {
    this.page = page;
    this.folder = folder;
    this.workbench = new Workbench(page);
    this.inspector = new Inspector(page);
    this.compare = new Compare(page);
    this.map = new PanelFrame(page, 'editor area');
    this.testing = new Testing(page);
    this.history = new History(page);
    this.#home = home;
    this.#stop = stop;
  }

  /** Restarts the window by the editor's command, because a reload by the browser would lose its state. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.workbench.runCommand('Developer: Reload Window');
    await loaded;
    await this.workbench.ready(READY);
  }

  /** Parallax's own log, one text for each window since the start. */
  logs(): string[] {
    return this.#logFiles(/parallax\.parallax-rag.*\.log$/);
  }

  /** The extension host's messages about extensions that could not be loaded or that failed. */
  hostLogs(): string[] {
    return this.#logFiles(/remoteexthost\.log$/);
  }

  #logFiles(pattern: RegExp): string[] {
    const folder = join(this.#home, 'user-data', 'logs');
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    return names.filter((name) => pattern.test(name)).map((name) => readFileSync(join(folder, name), 'utf8'));
  }

  /** The folder into which extensions were installed. */
  get extensions(): string {
    return join(this.#home, 'extensions');
  }

  async screenshot(name: string, folder = RESULTS): Promise<string> {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
    return path;
  }

  /** The text of the clipboard, once it matches. */
  async clipboard(expected: RegExp): Promise<string> {
    await this.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const until = Date.now() + CLIPBOARD_PATIENCE; ; await sleep(100)) {
      const text = await this.page.evaluate(() => navigator.clipboard.readText());
      if (expected.test(text)) return text;
      if (Date.now() > until) throw new Error(`The clipboard holds: ${text}`);
    }
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

export async function launchEditor(options: EditorOptions): Promise<Editor> {
  const home = mkdtempSync(join(tmpdir(), 'parallax-e2e-'));
  const folder = join(home, basename(options.workspace));
  cpSync(options.workspace, folder, { recursive: true });
  const folders = { userData: join(home, 'user-data'), extensions: join(home, 'extensions') };
  writeSettings(folders.userData, settingsFor(options));
  for (const vsix of options.extensions ?? [builtPackage()]) await installExtension(vsix, folders);

  const server = await startCodeServer({ ...folders, port: await freePort(), env: options.env });
  let browser: Browser | undefined;
  const stop = async (): Promise<void> => {
    await browser?.close();
    await server.stop();
  };
  try {
    browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_FLAGS });
    const page = await browser.newPage({ viewport: options.viewport ?? { width: 1360, height: 860 } });
    page.setDefaultTimeout(READY);
    await page.goto(`${server.url}?folder=${encodeURIComponent(folder)}`);
    const editor = new Editor(page, folder, home, stop);
    await editor.workbench.ready(READY);
    return editor;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs a test in a new editor. If it fails, saves a picture and prints the extensions' logs. */
export async function withEditor(
  name: string,
  options: EditorOptions,
  body: (editor: Editor) => Promise<void>,
): Promise<void> {
  const editor = await launchEditor(options);
  try {
    await body(editor);
  } catch (error) {
    console.error(`Picture of the failure: ${await editor.screenshot(`${name}.failed`)}`);
    console.error([...editor.hostLogs(), ...editor.logs()].join('\n---\n'));
    throw error;
  } finally {
    await editor.close();
  }
}

function settingsFor(options: EditorOptions): Record<string, unknown> {
  return {
    ...QUIET_SETTINGS,
    'workbench.colorTheme': THEMES[options.theme ?? 'dark'],
    'editor.accessibilitySupport': options.accessibilitySupport ? 'on' : 'off',
    // So that tests can read what a terminal shows.
    'terminal.integrated.gpuAcceleration': 'off',
    ...options.settings,
  };
}

function builtPackage(): string {
  if (!existsSync(VSIX)) throw new Error('There is no package to test: run "npm run package" first.');
  return VSIX;
}
