// `npm test`: sets up, then runs every part even if others fail, and ends with the total of all test cases.
// `npm test -- unit engine` runs only those parts, `npm test -- changed [--base REV]` those that a change can break.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';

import { audit } from './audit.mjs';
import { chosenByTree } from './lib/changed.mjs';
import { Cores } from './lib/cores.mjs';
import { memoryFolder } from './lib/memory-folder.mjs';
import { collect, endGroup, ended, exitOnSignals, Failure, main, startGroup } from './lib/processes.mjs';
import { MODULES, NODE, RESULTS, ROOT } from './lib/project.mjs';
import { TARGET_AT_HAND, UNIVERSAL } from './lib/targets.mjs';
import { ensurePackaged } from './lib/vsix.mjs';
import { setUp } from './setup.mjs';

const MINUTE = 60_000;

const tool = (...path) => join(MODULES, ...path);

/**
 * The number of concurrent processes, independent of the number of cores, so that runs are comparable everywhere. Two
 * more than the cores of the CI machine: tests wait for an editor, another process or a time limit, and with only one
 * more a core was idle for a tenth of a run.
 */
const CORES = 4;

/**
 * The number of concurrent editors and browsers. They need a core while they draw, so mostly waiting work runs beside
 * them.
 */
const WINDOWS = 2;

/** The packages that can be tested here. test/unit/packaging checks the sources of what differs in the others. */
const TRIED = [...new Set([TARGET_AT_HAND, UNIVERSAL])];

/**
 * In the order of priority when cores are scarce. A part with `tests` counts the cases of its files, any other counts
 * as one. Up to `atOnce` files share a process, which takes one core and loads common modules once; `minutes` is the
 * time limit of such a process or of a command, which only ends what hangs, however busy the machine is. Files in the folders `first` take longest, so they start early.
 * `targets` are the packages that a part needs; defaults to the one for the current platform. `package` rebuilds
 * `dist`, so no part that reads it runs at the same time, and it needs no further build. Meanwhile `unit` runs, and its
 * remaining files fill gaps at the end.
 */
const PARTS = {
  package: { commands: [['scripts/package.mjs', ...TRIED.flatMap((one) => ['--target', one])]], minutes: 30 },
  build: { commands: [['esbuild.mjs']], minutes: 15 },
  lint: {
    tools: [
      {
        path: tool('oxlint', 'bin', 'oxlint'),
        options: ['--no-error-on-unmatched-pattern'],
        files: /\.(ts|mjs)$/u,
      },
      {
        path: tool('oxfmt', 'bin', 'oxfmt'),
        options: ['--check', '--no-error-on-unmatched-pattern'],
        files: /./u,
      },
      { path: 'scripts/rooms.mjs', files: /^(?:src|webview)\/|^CONTRIBUTING\.md$/u },
    ],
    minutes: 15,
  },
  typecheck: { commands: [[tool('typescript-7', 'bin', 'tsc'), '--noEmit']], minutes: 15 },
  audit: { check: audit },
  host: { after: ['package'], tests: 'test/host', atOnce: 1, minutes: 30, editor: true },
  e2e: {
    after: ['package'],
    tests: 'test/e2e',
    atOnce: 1,
    minutes: 40,
    editor: true,
    targets: TRIED,
  },
  engine: {
    after: ['build', 'package'],
    tests: 'test/engine',
    first: ['external', 'faults', 'security', 'agents'],
    atOnce: 10,
    minutes: 30,
    built: true,
  },
  unit: { tests: 'test/unit', atOnce: 40, minutes: 15 },
};

/** The folder for temporary files. */
const TEMPORARY = process.env.TMPDIR ?? memoryFolder() ?? tmpdir();

/** Cache for compiled code, so that only the first of hundreds of processes compiles the engine's sources. */
const COMPILED = mkdtempSync(join(TEMPORARY, 'parallax-compiled-'));
process.once('exit', () => rmSync(COMPILED, { recursive: true, force: true }));

/** The number of slowest tests that are listed. */
const SLOWEST = 20;

/** The last duration of every test file, in milliseconds. */
const DURATIONS = join(RESULTS, 'durations.json');

/** Prefix of a reason that excuses a skipped test in CI, because the machine lacks something for it. */
const EXCUSE = 'cannot run here:';

await main(async () => {
  const { names, chosen } = chosenParts(process.argv.slice(2));
  exitOnSignals();
  const editor = names.some((name) => PARTS[name].editor);
  const cases = await orFailed('set-up', async () => {
    await setUp({ editor, browser: editor });
    return [];
  });
  const ready = cases.length === 0;
  const [cores, windows] = [new Cores(CORES), new Cores(WINDOWS)];
  const running = new Map();
  for (const name of ready ? names : []) {
    const before = (PARTS[name].after ?? []).map((one) => running.get(one));
    running.set(
      name,
      orFailed(name, () => runPart(name, { names, chosen, cores, windows, before })),
    );
  }
  for (const part of running.values()) cases.push(...(await part));
  keepDurations(cases);
  report(cases);
});

/** A part that cannot run counts as a failed case: the others still run, and the last line is still the total. */
async function orFailed(name, body) {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    return [failed(name, error.message)];
  }
}

/** The names of the parts to run, with the files of each if not all. */
function chosenParts(args) {
  const { positionals, values } = parsed(args);
  if (positionals.includes('changed')) return changedParts(positionals, values.base);
  if (values.base !== undefined) throw new Failure('--base goes with "changed".');
  const unknown = positionals.find((name) => !(name in PARTS));
  if (unknown)
    throw new Failure(
      `There is no part "${unknown}": choose from ${Object.keys(PARTS).join(', ')}, or changed.`,
    );
  const wanted = Object.keys(PARTS).filter((name) => positionals.length === 0 || positionals.includes(name));
  const names = wanted.filter((name) => !(name === 'build' && wanted.includes('package')));
  return { names, chosen: {} };
}

function parsed(args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { base: { type: 'string' } } });
  } catch (error) {
    throw new Failure(error.message);
  }
}

function changedParts(positionals, base) {
  if (positionals.length > 1) throw new Failure('"changed" chooses the parts by itself.');
  const { changed, files } = chosenByTree(base);
  console.log(`${changed.length} files changed.`);
  const names = Object.keys(PARTS).filter((name) => files[name]?.length > 0);
  for (const name of names) console.log(`  ${name}: ${files[name].length} files`);
  return { names, chosen: files };
}

async function runPart(name, { names, chosen, cores, windows, before }) {
  const part = PARTS[name];
  await Promise.all(before);
  const rank = Object.keys(PARTS).indexOf(name) + 1;
  const inTurn = (work) => cores.use(1, work, rank);
  if (!part.tests)
    return inTurn(() =>
      shown(name, (say) => (part.check ? runCheck(name, part, say) : runCommands(name, chosen[name], say))),
    );
  const files = chosen[name] ?? testFiles(part.tests);
  if (files.length === 0) return [failed(name, `there is no *.test.ts under ${part.tests}`)];
  const unready = await madeReady(part, names, cores);
  if (unready) return [unready];
  const start = part.editor ? (work) => windows.use(1, () => inTurn(work)) : inTurn;
  const runs = sharing(files, part).map((group) =>
    start(() => shown(titleOf(name, group), (say) => runTests(group, part, say))),
  );
  return (await Promise.all(runs)).flat();
}

/** Prints the output of work in one piece at its end, because other work runs concurrently. */
async function shown(title, body) {
  const started = Date.now();
  const kept = [];
  let records;
  try {
    records = await body((text) => kept.push(text));
  } finally {
    console.log(`\n== ${title}\n${kept.join('')}`.trimEnd());
  }
  const cases = records.filter(isCase);
  const good = cases.filter(({ outcome }) => outcome !== 'failed').length;
  console.log(`== ${title}: ${good} of ${cases.length} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return records;
}

/** A check reports its own outcome. */
async function runCheck(name, { check }, say) {
  const { outcome, reason } = await check();
  say(`${outcome}: ${reason}\n`);
  return [{ name, outcome, reason }];
}

async function runCommands(name, chosen, say) {
  const { commands, tools = [], minutes } = PARTS[name];
  const ofFiles = ({ path, options = [], files }) => {
    const own = chosen?.filter((file) => files.test(file)) ?? ['.'];
    return own.length > 0 ? [[path, ...options, ...own]] : [];
  };
  const problems = [];
  for (const command of commands ?? tools.flatMap(ofFiles))
    problems.push(await runNode(command, minutes, say));
  const problem = problems.find(Boolean);
  return [problem ? failed(name, problem) : { name, outcome: 'passed' }];
}

/**
 * Builds or packages what a part needs, with no other work beside it, unless another part of this run does.
 *
 * @returns the build that failed, if any
 */
async function madeReady({ editor, built, targets }, names, cores) {
  if (names.includes('package')) return undefined;
  if (editor) await cores.use(CORES, () => ensurePackaged(targets));
  if (!built || names.includes('build')) return undefined;
  const [build] = await cores.use(CORES, () => shown('build', (say) => runCommands('build', undefined, say)));
  return build.outcome === 'failed' ? build : undefined;
}

/**
 * Neighbouring files share a process, because they have most in common; files with their own process start with the
 * slowest.
 */
function sharing(files, { tests, first = [], atOnce }) {
  const isEarly = (file) => first.some((folder) => file.startsWith(join(tests, folder) + sep));
  const sorted =
    atOnce === 1
      ? slowestFirst(files)
      : [...files.filter(isEarly), ...files.filter((file) => !isEarly(file))];
  return Array.from({ length: Math.ceil(files.length / atOnce) }, (_, index) =>
    sorted.slice(index * atOnce, (index + 1) * atOnce),
  );
}

function titleOf(name, files) {
  return files.length === 1 ? `${name}: ${files[0]}` : `${name}: ${files[0]} to ${files.at(-1)}`;
}

async function runTests(files, { minutes }, say) {
  const folder = mkdtempSync(join(TEMPORARY, 'parallax-cases-'));
  const record = join(folder, 'cases.jsonl');
  const options = ['--test', '--test-isolation=none', `--test-timeout=${minutes * MINUTE}`];
  const started = Date.now();
  try {
    const problem = await runNode([...options, ...reporters(record), ...files], minutes, say);
    const cases = existsSync(record) ? readCases(record, files) : [];
    const silent = files.filter((file) => !cases.some((one) => one.file === posix(file)));
    cases.push(...silent.map((file) => failed(file, problem ?? 'there is no test in it')));
    // A run that ended badly without a failing test (out of memory, out of time) must not pass.
    if (problem && !cases.some(({ outcome }) => outcome === 'failed')) cases.push(failed(files[0], problem));
    if (files.length > 1) return cases;
    // Includes the time before its first test.
    const whole = { file: posix(files[0]), ms: Date.now() - started, isOutermost: true };
    return [...cases.map((one) => ({ ...one, isOutermost: false })), whole];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function testFiles(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  const names = readdirSync(join(ROOT, folder), { recursive: true });
  return names
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .sort();
}

/** So that no slow file is left for the end. Ordered by the last duration, unknown files by their size. */
function slowestFirst(files) {
  const known = keptDurations();
  const weight = (file) => known[posix(file)] ?? statSync(join(ROOT, file)).size;
  return [...files].sort((a, b) => weight(b) - weight(a));
}

function posix(file) {
  return file.split(sep).join('/');
}

function reporters(record) {
  const own = join(ROOT, 'scripts', 'lib', 'case-reporter.mjs');
  return [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${own}`, `--test-reporter-destination=${record}`],
  ];
}

/** @param files those of the run; cases in helpers count for the only file */
function readCases(record, files) {
  const lines = readFileSync(record, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { file, ...rest } = JSON.parse(line);
    return withoutFreeSkips({ ...rest, file: posix(files.length === 1 ? files[0] : relative(ROOT, file)) });
  });
}

/** In CI a test that no longer runs would go unnoticed, so a skipped one needs an allowed reason. */
function withoutFreeSkips(testCase) {
  const { name, outcome, reason } = testCase;
  if (outcome !== 'skipped' || process.env.CI !== 'true' || reason.startsWith(EXCUSE)) return testCase;
  return failed(name, `skipped in CI (${reason}); a reason that is allowed there begins with "${EXCUSE}"`);
}

/**
 * Runs Node 24 with its children in a process group. Resolves to the problem, if there was one. Passes the output to
 * `say`.
 */
async function runNode(args, minutes, say) {
  const path = [dirname(NODE), process.env.PATH].join(delimiter);
  const env = {
    NODE_COMPILE_CACHE: COMPILED,
    PARALLAX_ANSWERS: 'off',
    ...process.env,
    PATH: path,
    TMPDIR: TEMPORARY,
  };
  const child = startGroup(NODE, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = collect(child);
  let problem;
  const timer = setTimeout(() => {
    problem = `not done after ${minutes} minutes`;
    void endGroup(child);
  }, minutes * MINUTE);
  const { code, signal, error } = await ended(child);
  clearTimeout(timer);
  await endGroup(child); // whatever the program left behind
  say(printed());
  if (code === 0) return undefined;
  return problem ?? (error ? error.message : signal ? `ended by ${signal}` : `exit code ${code}`);
}

function isCase({ outcome }) {
  return outcome !== undefined;
}

function failed(name, reason) {
  return { name, outcome: 'failed', reason };
}

function keptDurations() {
  return existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};
}

/** Stores the durations for the next run and for inspection. */
function keepDurations(records) {
  const files = timesOf(records).map(({ file, ms }) => [file, Math.round(ms)]);
  if (files.length === 0) return;
  mkdirSync(RESULTS, { recursive: true });
  const all = { ...keptDurations(), ...Object.fromEntries(files) };
  writeFileSync(DURATIONS, `${JSON.stringify(all, null, 2)}\n`);
}

/** For each file, the total duration of its tests. */
function timesOf(records) {
  const times = new Map();
  for (const { file, ms, isOutermost } of records)
    if (isOutermost) times.set(file, (times.get(file) ?? 0) + ms);
  return [...times].map(([file, ms]) => ({ file, ms }));
}

function report(records) {
  const cases = records.filter(isCase);
  reportSlowest('files', timesOf(records), ({ file }) => file);
  reportSlowest('tests', cases, ({ file, name }) => `${file}: ${name}`);
  const count = (outcome) => cases.filter((one) => one.outcome === outcome).length;
  const failures = cases.filter(({ outcome }) => outcome === 'failed');
  if (failures.length > 0) console.log('\nFailed:');
  for (const { name, file, reason } of failures)
    console.log(`  ${file ? `${file}: ` : ''}${name}${reason ? ` (${reason})` : ''}`);
  const skipped = count('skipped');
  if (failures.length > 0) process.exitCode = 1;
  console.log(
    `\n${count('passed')} passed, ${failures.length} failed${skipped ? `, ${skipped} skipped` : ''}`,
  );
}

function reportSlowest(what, timed, title) {
  const slowest = timed
    .filter(({ ms }) => ms !== undefined)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
  if (slowest.length > 1) console.log(`\nSlowest ${what}:`);
  for (const one of slowest.length > 1 ? slowest : [])
    console.log(`${(one.ms / 1000).toFixed(1).padStart(7)} s  ${title(one)}`);
}
