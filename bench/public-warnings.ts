/**
 * Warnings beside calls in public code: checks every program in a folder of repositories and prints each warning with
 * its line, for review. Then prints the numbers by kind, and the time for each program.
 *
 *   npm run bench -- public-warnings --repos <folder> [--only <id>]
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Program } from '../src/features/agents/tools/programs.ts';
import { createSiteDetector, type Detection } from '../src/sites/detector.ts';
import { languageIdOf } from '../src/sites/syntax/language.ts';
import { detectAmong } from '../src/sites/workspace/detect-among.ts';
import { Neighbours } from '../src/sites/workspace/neighbours.ts';
import { wasm } from '../test/unit/sites/wasm-files.ts';
import { filesOf, programsAmong } from './support/public-programs.ts';
import { milliseconds, percentiles, table } from './support/report.ts';

const { values } = parseArgs({ options: { repos: { type: 'string' }, only: { type: 'string' } } });
const repos = values.repos;
if (repos === undefined) {
  process.stderr.write('Where are the repositories? --repos <folder with one folder for each>\n');
  process.exit(1);
}

const detector = createSiteDetector({ wasm });
const counts = new Map<string, number>();
const times: number[] = [];
let [programs, calls] = [0, 0];

for (const repo of readdirSync(repos)) await look(path.join(repos, repo), repo);
const { p50, p99 } = percentiles(times);
process.stdout.write(
  `\n${table(
    ['warning', 'number'],
    [...counts].toSorted().map(([id, count]) => [id, String(count)]),
  )}\n\n${programs} programs with ${calls} calls, ${[...counts.values()].reduce((a, b) => a + b, 0)} warnings; first sight ` +
    `${milliseconds(p50)} ms (median), ${milliseconds(p99)} ms (p99), ${milliseconds(Math.max(...times))} ms (longest).\n`,
);

async function look(folder: string, repo: string): Promise<void> {
  const files = filesOf(folder);
  const sources = new Set(files.filter((file) => languageIdOf(file)));
  const neighbours = new Neighbours({
    files: () => Promise.resolve(sources),
    read: (file) => readFile(path.join(folder, file), 'utf8').catch(() => undefined),
    exports: (text, languageId) => detector.exports(text, languageId),
    callers: (...asked) => detector.callers(...asked),
  });
  for (const program of programsAmong(folder, files)) {
    programs++;
    report(repo, program, await detectionOf(program, neighbours));
  }
}

/** As in the editor: first alone, then with decisions of other files. */
async function detectionOf({ file, cells, isNotebook }: Program, neighbours: Neighbours): Promise<Detection> {
  const [{ text, languageId } = { text: '', languageId: '' }] = cells;
  const began = performance.now();
  const first = isNotebook ? await detector.detectNotebook(cells) : await detector.detect(text, languageId);
  times.push(performance.now() - began);
  if (isNotebook || first.sites.length === 0) return first;
  return detectAmong(detector, neighbours, { file, text, languageId });
}

function report(repo: string, { file, cells }: Program, detection: Detection): void {
  calls += detection.sites.length;
  for (const { id, message, place } of detection.problems) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
    if (values.only !== undefined && id !== values.only) continue;
    const before = (cells[place.cell]?.text ?? '').slice(0, place.start);
    process.stdout.write(
      `${id} | ${repo} ${file} | cell ${place.cell}, line ${before.split('\n').length} | ${message}\n`,
    );
  }
}
