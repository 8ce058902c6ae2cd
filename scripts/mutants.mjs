// `npm run mutants -- src/core/metrics`: applies every small mutation to the code of these files and folders, and
// reports which ones no test notices. Without arguments, the algorithms of src/core and of the features, and
// the room of experiments, which takes hours. `--by` names the files or folders of tests to run, if there are too many that reach the code. `--quick` leaves
// out code that runs once, on import, because each of those mutants needs a new process.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { Stryker } from '@stryker-mutator/core';

import { codeFiles, dependents, needsOf } from './lib/imports.mjs';
import { Failure, isMain, main } from './lib/processes.mjs';
import { RESULTS, ROOT } from './lib/project.mjs';

const FEATURES = 'src/features';
const EVERYTHING = [
  'src/core',
  'src/engine/experiment',
  ...readdirSync(join(ROOT, FEATURES)).map((feature) => `${FEATURES}/${feature}/core`),
];
/**
 * With more steps, almost every test reaches everything: a mutant that only distant tests notice takes minutes, and
 * should be noticed by a closer test.
 */
const REMOVES = 2;
/** Tests without processes, network or waiting, which can be run thousands of times. */
const TESTS = /^test\/unit\/[^/]+\/.*\.test\.ts$/u;
/** Faults in rooms of the engine appear only through the engine. */
const ENGINE_TESTS =
  /^test\/engine\/(?:(?:experiment|gate|compare|likeness|web-corpus)\/.*|cli\/(?:eval-command|nothing-judged|view-(?:analyses|tuning|pool)))\.test\.ts$/u;
const LONGEST_NAME = 100;
/** Not copied, to save time. */
const NOT_COPIED = ['dist/*.vsix', 'dist/node_modules', 'dist/webview', 'test-results', '.git'];

/**
 * The test files that reach the mutated code within a few steps; through the engine, in any number.
 *
 * @param {readonly string[]} targets files or folders, from the root
 * @param {Map<string, ReadonlySet<string>>} [needs] of every file
 */
export function testsOf(targets, needs = needsOf(codeFiles())) {
  const files = [...needs.keys()];
  const mutated = files.filter((file) => targets.some((one) => file === one || file.startsWith(`${one}/`)));
  if (mutated.length === 0) throw new Failure(`There is no code at ${targets.join(', ')}.`);
  const near = dependents(needs, mutated, REMOVES);
  const any = mutated.some((file) => /^src\/(?:engine|features\/[^/]+\/engine)\//u.test(file))
    ? dependents(needs, mutated)
    : new Set();
  return files.filter(
    (file) => (TESTS.test(file) && near.has(file)) || (ENGINE_TESTS.test(file) && any.has(file)),
  );
}

/**
 * The base name of the result files, which may have 255 bytes; a hash for many targets.
 *
 * @param {readonly string[]} targets
 */
export function resultsName(targets) {
  const name = targets.join('+').replaceAll('/', '-');
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `${name.slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`;
}

/**
 * The test files among these files and folders, for a run that must coexist with other work: processes that they leave
 * behind may be killed by others.
 *
 * @param {readonly string[]} places from the root
 * @param {readonly string[]} [files] all there are
 */
export function testsAt(places, files = codeFiles()) {
  return places.flatMap((place) => {
    const found = files.filter(
      (file) => file.endsWith('.test.ts') && (file === place || file.startsWith(`${place}/`)),
    );
    if (found.length === 0) throw new Failure(`There are no tests at ${place}.`);
    return found;
  });
}

async function mutate(targets, by, quick) {
  const tests = by.length > 0 ? testsAt(by) : testsOf(targets);
  const patterns = targets.map((one) => (statSync(join(ROOT, one)).isDirectory() ? `${one}/**/*.ts` : one));
  const name = resultsName([...targets, ...by]);
  const folder = join(RESULTS, 'mutants');
  mkdirSync(folder, { recursive: true });
  const incremental = join(folder, `${name}.incremental.json`);
  askAgain(incremental);
  console.log(`${targets.join(', ')}, by ${tests.length} files of tests`);
  const results = await new Stryker({
    mutate: patterns,
    testRunner: 'node',
    nodeRunner: { files: tests },
    plugins: [join(ROOT, 'scripts', 'mutants', 'node-runner.mjs')],
    ignorers: ['sentences'],
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTANTS_AT_ONCE ?? 1),
    // Most endless loops are stopped by a hit limit; the others by this time-out.
    timeoutMS: quick ? 15_000 : 60_000,
    dryRunTimeoutMinutes: 20,
    disableTypeChecks: false,
    ignorePatterns: NOT_COPIED,
    tempDirName: join('test-results', 'mutants-sandbox'),
    ignoreStatic: quick,
    incremental: true,
    incrementalFile: incremental,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: join(folder, `${name}.json`) },
    allowConsoleColors: false,
    warnings: false,
  }).runMutationTest();
  const text = reportOf(results);
  writeFileSync(join(folder, `${name}.txt`), text);
  return text;
}

/**
 * Drops results of surviving mutants that no test covers, such as those that run on import: a new test that would kill
 * them is not recognised as relevant to them.
 */
function askAgain(incremental) {
  if (!existsSync(incremental)) return;
  const kept = JSON.parse(readFileSync(incremental, 'utf8'));
  for (const file of Object.values(kept.files))
    file.mutants = file.mutants.filter(
      ({ status, static: isStatic }) =>
        status !== 'NoCoverage' && status !== 'Ignored' && !(isStatic && status === 'Survived'),
    );
  writeFileSync(incremental, JSON.stringify(kept));
}

/** A line for each file, the survivors with their places, and the share of killed mutants. */
function reportOf(results) {
  const dead = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);
  const counted = results.filter(({ status }) => status !== 'Ignored');
  const files = [...new Set(counted.map(({ fileName }) => fileName))].sort();
  const share = (some) =>
    (100 * some.filter(({ status }) => dead.has(status)).length) / Math.max(1, some.length);
  const lines = files.map((file) => {
    const own = counted.filter(({ fileName }) => fileName === file);
    return `${share(own).toFixed(1).padStart(6)} % of ${String(own.length).padStart(4)}  ${relative(ROOT, file)}`;
  });
  const survivors = counted
    .filter(({ status }) => !dead.has(status))
    .map(
      (one) =>
        `${relative(ROOT, one.fileName)}:${one.location.start.line} ${one.status} ${one.mutatorName}: ${shown(one)}`,
    );
  const total = share(counted);
  const untried = results.filter(({ statusReason }) => statusReason?.startsWith('Static')).length;
  const endless = counted.filter(({ status }) => status === 'Timeout').length;
  const left = `${endless > 0 ? `; ${endless} by going on for ever` : ''}${untried > 0 ? `; ${untried} of imports left out` : ''}`;
  return `${survivors.join('\n')}\n\n${lines.join('\n')}\n\n${total.toFixed(1)} % of ${counted.length} mutants killed${left}\n`;
}

function shown({ fileName, location: { start, end }, replacement }) {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const short = (text) => text.replace(/\s+/gu, ' ').slice(0, 90);
  return `${short(lines.join(' '))} -> ${short(replacement ?? '')}`;
}

if (isMain(import.meta.url))
  await main(async () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        by: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
      },
    });
    const [named, by] = [positionals, values.by].map((places) =>
      places.map((one) => one.replace(/\/$/u, '')),
    );
    const targets = named.length > 0 ? named : EVERYTHING;
    const missing = targets.find((one) => !existsSync(join(ROOT, one)));
    if (missing) throw new Failure(`There is nothing at ${missing}.`);
    console.log(await mutate(targets, by, values.quick));
  });
