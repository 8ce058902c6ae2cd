/** Runs a program twice: unchanged, and with its calls observed. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { tmpdir } from 'node:os';
import { observedCalls } from '../../../src/features/agents/tools/live-plan.ts';
import { FolderPrograms } from '../../../src/cli/folder-programs.ts';
import { LiveRun } from '../../../src/features/live/engine/live-run.ts';
import { liveEnvironment } from '../../../src/features/live/contract/environment.ts';
import type { LiveMeasure } from '../../../src/features/live/contract/protocol.ts';
import type { LiveEvent } from '../../../src/features/live/contract/requests.ts';
import { builtInRules } from '../../../src/sites/rules/library.ts';

const HOOKS = fileURLToPath(new URL('../../../media/live/', import.meta.url));

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | string | null;
}

export interface Observed {
  readonly plain: Outcome;
  readonly observed: Outcome;
  readonly events: readonly LiveEvent[];
  /** Keys of the call sites, in order of the files and lines. */
  readonly sites: readonly string[];
}

export interface ObservedOptions {
  /** Arguments of node, including the program. */
  readonly run: readonly string[];
  readonly measure?: (sites: readonly string[]) => LiveMeasure;
  readonly node?: string;
  /** Called while the observed program runs. */
  readonly meanwhile?: (run: LiveRun, event: LiveEvent) => void;
  /** Changes files between planning and run. */
  readonly between?: (folder: string) => Promise<void>;
}

/** @param files of the program, by their path; packages under node_modules */
export async function observe(
  files: Readonly<Record<string, string>>,
  { run: argv, measure, node = process.execPath, meanwhile, between }: ObservedOptions,
): Promise<Observed> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-observed-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    const { texts, sites } = await observedCalls(new FolderPrograms(folder), { rules: builtInRules() });
    const plain = await outcomeOf(node, argv, folder, {});
    await between?.(folder);
    const events: LiveEvent[] = [];
    const keys = sites.map(({ key }) => key);
    const run: LiveRun = await LiveRun.open({
      base: folder,
      texts,
      measure: measure?.(keys),
      report: (event) => {
        events.push(event);
        if (event.type !== 'ready') meanwhile?.(run, event);
      },
    });
    const environment = liveEnvironment(
      {
        plan: run.plan,
        node: pathToFileURL(path.join(HOOKS, 'node', 'register.mjs')).href,
        python: HOOKS,
        delimiter: path.delimiter,
      },
      {},
    );
    const observed = await outcomeOf(node, argv, folder, { ...environment, PYTHONPATH: '' });
    await run.close();
    return { plain, observed, events, sites: keys };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outcomeOf(
  node: string,
  argv: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: '', ...environment };
    execFile(node, argv, { cwd, env, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? (error.signal ?? error.code ?? null) : 0;
      resolve({ stdout, stderr, code });
    });
  });
}

/** Stand-ins for packages, as far as the tests' calls need them. */
export const PACKAGES: Readonly<Record<string, string>> = {
  'node_modules/@langchain/core/package.json': JSON.stringify({
    name: '@langchain/core',
    version: '1.0.0',
    exports: { './vectorstores': './vectorstores.mjs', './common': './common.cjs' },
  }),
  'node_modules/@langchain/core/common.cjs': `
class Document { constructor(pageContent, source) { this.pageContent = pageContent; this.metadata = { source }; } }
const find = (query, k) => Array.from({ length: k }, (_, n) => new Document(query + ' has an answer, number ' + n, n + '.md'));
class MemoryVectorStore {
  async similaritySearch(query, k = 4) { if (query === 'fail') throw new TypeError('no such query'); return find(query, k); }
  similaritySearchNow(query, k = 4) { return find(query, k); }
  async similaritySearchVectorWithScore(vector, k) { return find('number ' + vector[0], k).map((document, n) => [document, 1 / (n + 1)]); }
  asRetriever(k = 3) { return new VectorStoreRetriever(this, k); }
}
class VectorStoreRetriever {
  #store; constructor(store, k) { this.#store = store; this.k = k; }
  async invoke(query) { return this.#store.similaritySearch(query, this.k); }
  pipe(next) { const self = this; return { async invoke(query) { return next(await self.invoke(query)); } }; }
}
module.exports = { MemoryVectorStore, Document };
`,
  'node_modules/@langchain/core/vectorstores.mjs': `
import common from '@langchain/core/common';
export const { MemoryVectorStore, Document } = common;
`,
};
