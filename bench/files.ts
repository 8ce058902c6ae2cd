/**
 * Indexing a folder of many small unchanged files again: opening the index and updating it, compared with a plain walk
 * in the same run, which lists every folder and reads the size and times of each file.
 *
 *   npm run bench -- files [--count 100000] [--runs 3]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openPlainIndex } from './support/plain-index.ts';
import { measured } from './support/scale-index.ts';
import { table, thousands, times } from './support/report.ts';
import type { Step } from './support/scale-figures.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100000' }, runs: { type: 'string', default: '3' } },
});
const count = Number(values.count);
const FILES_PER_FOLDER = 20;

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-files-'));
try {
  const docs = path.join(folder, 'docs');
  writeFiles(docs);
  const first = await indexing();
  process.stdout.write(`${thousands(count)} files, indexed for the first time: ${shown(first)}\n\n`);
  const rows: string[][] = [];
  for (let run = 1; run <= Number(values.runs); run++) {
    const walk = await measured(() => plainWalk(docs));
    const again = await indexing();
    rows.push([String(run), shown(again), shown(walk), times(again.wallMs / walk.wallMs)]);
  }
  const header = ['run', 'indexing again (processor)', 'plain walk (processor)', 'ratio'];
  process.stdout.write(`${table(header, rows)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

function writeFiles(docs: string): void {
  for (let n = 0; n < count; n++) {
    const place = path.join(docs, `part-${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(place, { recursive: true });
    writeFileSync(
      path.join(place, `file-${n}.md`),
      `# Topic number ${n}\n\nPeople say thing ${n % 977} about it.\n`,
    );
  }
}

/** The cost of opening the index and updating it. */
function indexing(): Promise<Step> {
  return measured(async () => {
    const index = await openPlainIndex({
      folder,
      store: path.join(folder, 'index'),
      corpus: { roots: ['docs'] },
      dimensions: 384,
      log: (message) => void process.stderr.write(`${message}\n`),
    });
    await index.update({});
    await index.close();
  });
}

async function plainWalk(place: string): Promise<void> {
  for (const entry of await readdir(place, { withFileTypes: true })) {
    const found = path.join(place, entry.name);
    if (entry.isDirectory()) await plainWalk(found);
    else await stat(found);
  }
}

function shown({ wallMs, cpuMs }: Step): string {
  return `${(wallMs / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s)`;
}
