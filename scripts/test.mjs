// `npm test`: sets up, then runs every part, whatever becomes of the others, and ends with the total of all test
// cases. `npm test -- unit engine` runs only those parts, `npm test -- changed [--base REV]` what a change can break.
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
 * Processes at a time, however many cores there are, so that a run is the same everywhere. Two more than the machine in CI has
 * cores: tests wait for an editor, another process or a time limit, and with one more a core was idle for a tenth of a run.
 */
const CORES = 4;

/** Editors and browsers at a time. They want a core when they draw, so that beside them goes what mostly waits. */
const WINDOWS = 2;

/** Packages that can be tried here. What differs in the others, test/unit/packaging looks for where it comes from. */
const TRIED = [...new Set([TARGET_AT_HAND, UNIVERSAL])];

/**
 * In the order in which they go first where cores are short. A part with `tests` counts the cases of its files, any other
 * counts as one. Up to `atOnce` files share a process, which takes one core and loads what they have in common once;
 * `minutes` are those of such a process, or of a command. Files in the folders `first` take longest, and so are not left for
 * the end. `targets` are the packages that a part needs, if not just that for the platform at hand.
 * `package` makes `dist` anew, so that nothing that reads it runs beside it; what it builds need not be built once more.
 * Until it is done there is `unit`, and at the end what is left of that fills the gaps.
 */
const PARTS = {
  package: { commands: [['scripts/package.mjs', ...TRIED.flatMap((one) => ['--target', one])]], minutes: 10 },
  build: { commands: [['esbuild.mjs']], minutes: 5 },
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
    minutes: 5,
  },
  typecheck: { commands: [[tool('typescript-7', 'bin', 'tsc'), '--noEmit']], minutes: 5 },
  audit: { check: audit },
  host: { after: ['package'], tests: 'test/host', atOnce: 1, minutes: 10, editor: true },
  e2e: {
    after: ['package'],
    tests: 'test/e2e',
    atOnce: 1,
    minutes: 20,
    editor: true,
    targets: TRIED,
  },
  engine: {
    after: ['build', 'package'],
    tests: 'test/engine',
    first: ['external', 'faults', 'security', 'agents'],
    atOnce: 10,
    minutes: 10,
    built: true,
  },
  unit: { tests: 'test/unit', atOnce: 40, minutes: 5 },
};

/** Where everything that is temporary lies. */
const TEMPORARY = process.env.TMPDIR ?? memoryFolder() ?? tmpdir();

/** For what processes compile, so that only the first of hundreds that load the engine's sources has to. */
const COMPILED = mkdtempSync(join(TEMPORARY, 'parallax-compiled-'));
process.once('exit', () => rmSync(COMPILED, { recursive: true, force: true }));

/** How many of the slowest are named. */
const SLOWEST = 20;

/** How long every file of tests took when it ran last, in milliseconds. */
const DURATIONS = join(RESULTS, 'durations.json');

/** The beginning of a reason that excuses a skipped test in CI: the machine lacks something for it. */
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
  const { records, unstable } = await withSecondRuns(cases);
  keepDurations(records);
  report(records, unstable);
});

/** A part that cannot run is a failed case: the others still run, and the last line is still the total. */
async function orFailed(name, body) {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    return [failed(name, error.message)];
  }
}

/**
 * Runs files that failed in an editor once more, with nothing beside them: the editor itself gives up by the clock, for
 * instance after five seconds on a list of tasks. What then passes counts, and is named.
 */
async function withSecondRuns(records) {
  const again = Object.values(PARTS)
    .filter(({ editor }) => editor)
    .flatMap((part) => {
      const failures = records.filter(
        ({ file, outcome }) => outcome === 'failed' && isUnder(file, part.tests),
      );
      return [...new Set(failures.map(({ file }) => file))].map((file) => ({ file, part, failures }));
    });
  const unstable = [];
  for (const { file, part, failures } of again) {
    const second = await shown(`once more: ${file}`, (say) => runTests([file], part, say));
    records = [...records.filter((one) => one.file !== file), ...second];
    if (!second.some(({ outcome }) => outcome === 'failed'))
      unstable.push(...failures.filter((one) => one.file === file));
  }
  return { records, unstable };
}

function isUnder(file, folder) {
  return file?.startsWith(`${folder}/`) ?? false;
}

/** The names of the parts to run, and of each the files if not all. */
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

/** Prints the output of work in one piece at its end, because other work goes on beside it. */
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

/** A check says by itself what became of it. */
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
 * Builds or packages what a part reads, with nothing beside it, unless another part of this run does.
 *
 * @returns the build that failed, if it did
 */
async function madeReady({ editor, built, targets }, names, cores) {
  if (names.includes('package')) return undefined;
  if (editor) await cores.use(CORES, () => ensurePackaged(targets));
  if (!built || names.includes('build')) return undefined;
  const [build] = await cores.use(CORES, () => shown('build', (say) => runCommands('build', undefined, say)));
  return build.outcome === 'failed' ? build : undefined;
}

/** Neighbours share a process, since they have most in common; those that have one alone begin with the slowest. */
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
    // A run that ended badly without a bad test (no memory, no time) must not pass.
    if (problem && !cases.some(({ outcome }) => outcome === 'failed')) cases.push(failed(files[0], problem));
    if (files.length > 1) return cases;
    // With what it does before its first test.
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

/** So that no long one is left for the end: as they took last time, and those that nobody knows by their length. */
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

/** @param files those of the run: what a helper declares for the only one is its own */
function readCases(record, files) {
  const lines = readFileSync(record, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { file, ...rest } = JSON.parse(line);
    return withoutFreeSkips({ ...rest, file: posix(files.length === 1 ? files[0] : relative(ROOT, file)) });
  });
}

/** In CI nobody sees that a test no longer runs, so a skipped one needs a reason that holds there. */
function withoutFreeSkips(testCase) {
  const { name, outcome, reason } = testCase;
  if (outcome !== 'skipped' || process.env.CI !== 'true' || reason.startsWith(EXCUSE)) return testCase;
  return failed(name, `skipped in CI (${reason}); a reason that is allowed there begins with "${EXCUSE}"`);
}

/**
 * Runs Node 24 with all that it starts in one process group; resolves to what went wrong, if anything did. What it
 * printed goes to `say`.
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

/** For the next run, and for whoever asks where the time goes. */
function keepDurations(records) {
  const files = timesOf(records).map(({ file, ms }) => [file, Math.round(ms)]);
  if (files.length === 0) return;
  mkdirSync(RESULTS, { recursive: true });
  const all = { ...keptDurations(), ...Object.fromEntries(files) };
  writeFileSync(DURATIONS, `${JSON.stringify(all, null, 2)}\n`);
}

/** Of each file, how long its tests took together. */
function timesOf(records) {
  const times = new Map();
  for (const { file, ms, isOutermost } of records)
    if (isOutermost) times.set(file, (times.get(file) ?? 0) + ms);
  return [...times].map(([file, ms]) => ({ file, ms }));
}

function report(records, unstable) {
  const cases = records.filter(isCase);
  reportSlowest('files', timesOf(records), ({ file }) => file);
  reportSlowest('tests', cases, ({ file, name }) => `${file}: ${name}`);
  const count = (outcome) => cases.filter((one) => one.outcome === outcome).length;
  const failures = cases.filter(({ outcome }) => outcome === 'failed');
  reportCases('Failed, and passed when run once more', unstable);
  reportCases('Failed', failures);
  const skipped = count('skipped');
  if (failures.length > 0) process.exitCode = 1;
  console.log(
    `\n${count('passed')} passed, ${failures.length} failed${skipped ? `, ${skipped} skipped` : ''}`,
  );
}

function reportCases(title, cases) {
  if (cases.length > 0) console.log(`\n${title}:`);
  for (const { name, file, reason } of cases)
    console.log(`  ${file ? `${file}: ` : ''}${name}${reason ? ` (${reason})` : ''}`);
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
