// `npm test`: sets up, then runs every part, whatever becomes of the one before, and ends with the
// total of all test cases. `npm test -- unit engine` runs only those parts.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { audit } from './audit.mjs';
import { endGroup, ended, exitOnSignals, Failure, main, startGroup } from './lib/processes.mjs';
import { MODULES, NODE, ROOT } from './lib/project.mjs';
import { TARGET_AT_HAND, UNIVERSAL } from './lib/targets.mjs';
import { ensurePackaged } from './lib/vsix.mjs';
import { setUp } from './setup.mjs';

const MINUTE = 60_000;

const tool = (...path) => join(MODULES, ...path);

/**
 * In the order in which they run. A part with `tests` counts its cases, any other counts as one. `targets` are
 * the packages that it needs, if not just that for the platform at hand.
 */
const PARTS = {
  typecheck: { commands: [[tool('typescript', 'bin', 'tsc'), '--noEmit']], minutes: 5 },
  lint: {
    commands: [
      [tool('eslint', 'bin', 'eslint.js'), '.'],
      [tool('prettier', 'bin', 'prettier.cjs'), '--check', '.'],
    ],
    minutes: 5,
  },
  build: { commands: [['esbuild.mjs']], minutes: 5 },
  audit: { check: audit },
  unit: { tests: 'test/unit', concurrency: 2, minutes: 10 },
  engine: { tests: 'test/engine', concurrency: 2, minutes: 20 },
  package: { commands: [['scripts/package.mjs', '--target', 'all']], minutes: 10 },
  host: { tests: 'test/host', concurrency: 1, minutes: 10, editor: true },
  e2e: { tests: 'test/e2e', concurrency: 1, minutes: 20, editor: true, targets: [TARGET_AT_HAND, UNIVERSAL] },
};

/** The beginning of a reason that excuses a skipped test in CI: the machine lacks something for it. */
const EXCUSE = 'cannot run here:';

await main(async () => {
  const names = chosenParts(process.argv.slice(2));
  exitOnSignals();
  const editor = names.some((name) => PARTS[name].editor);
  const cases = await orFailed('set-up', async () => {
    await setUp({ editor, browser: editor });
    return [];
  });
  const ready = cases.length === 0;
  for (const name of ready ? names : []) {
    cases.push(...(await orFailed(name, () => runPart(name, names))));
  }
  report(cases);
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

function chosenParts(names) {
  const unknown = names.find((name) => !(name in PARTS));
  if (unknown)
    throw new Failure(`There is no part "${unknown}": choose from ${Object.keys(PARTS).join(', ')}.`);
  return Object.keys(PARTS).filter((name) => names.length === 0 || names.includes(name));
}

async function runPart(name, names) {
  const part = PARTS[name];
  console.log(`\n== ${name}`);
  const started = Date.now();
  // On its own, a part that drives the editor must not test yesterday's package.
  if (part.editor && !names.includes('package')) await ensurePackaged(part.targets);
  const cases = await casesOf(name, part);
  const good = cases.filter(({ outcome }) => outcome !== 'failed').length;
  console.log(`== ${name}: ${good} of ${cases.length} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return cases;
}

function casesOf(name, part) {
  if (part.check) return [runCheck(name, part)];
  return part.tests ? runTests(name, part) : runCommands(name, part);
}

/** A check says by itself what became of it. */
function runCheck(name, { check }) {
  const { outcome, reason } = check();
  console.log(`${outcome}: ${reason}`);
  return { name, outcome, reason };
}

async function runCommands(name, { commands, minutes }) {
  const problems = [];
  for (const command of commands) problems.push(await runNode(command, minutes));
  const problem = problems.find(Boolean);
  return [problem ? failed(name, problem) : { name, outcome: 'passed' }];
}

async function runTests(name, { tests, concurrency, minutes }) {
  const files = testFiles(tests);
  if (files.length === 0) return [failed(name, `there is no *.test.ts under ${tests}`)];
  const folder = mkdtempSync(join(tmpdir(), 'parallax-cases-'));
  const record = join(folder, 'cases.jsonl');
  try {
    const options = ['--test', `--test-concurrency=${concurrency}`, `--test-timeout=${minutes * MINUTE}`];
    const problem = await runNode([...options, ...reporters(record), ...files], minutes);
    const cases = existsSync(record) ? readCases(record) : [];
    // A run that ended badly without a bad test (no memory, no time) must not pass.
    if (problem && !cases.some(({ outcome }) => outcome === 'failed')) cases.push(failed(name, problem));
    return cases;
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

function reporters(record) {
  const own = join(ROOT, 'scripts', 'lib', 'case-reporter.mjs');
  return [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${own}`, `--test-reporter-destination=${record}`],
  ];
}

function readCases(record) {
  const lines = readFileSync(record, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => withoutFreeSkips(JSON.parse(line)));
}

/** In CI nobody sees that a test no longer runs, so a skipped one needs a reason that holds there. */
function withoutFreeSkips(testCase) {
  const { name, outcome, reason } = testCase;
  if (outcome !== 'skipped' || process.env.CI !== 'true' || reason.startsWith(EXCUSE)) return testCase;
  return failed(name, `skipped in CI (${reason}); a reason that is allowed there begins with "${EXCUSE}"`);
}

/** Runs Node 24 with all that it starts in one process group; resolves to what went wrong, if anything did. */
async function runNode(args, minutes) {
  const env = { ...process.env, PATH: [dirname(NODE), process.env.PATH].join(delimiter) };
  const child = startGroup(NODE, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  let problem;
  const timer = setTimeout(() => {
    problem = `not done after ${minutes} minutes`;
    void endGroup(child);
  }, minutes * MINUTE);
  const { code, signal, error } = await ended(child);
  clearTimeout(timer);
  await endGroup(child); // whatever the program left behind
  if (code === 0) return undefined;
  return problem ?? (error ? error.message : signal ? `ended by ${signal}` : `exit code ${code}`);
}

function failed(name, reason) {
  return { name, outcome: 'failed', reason };
}

function report(cases) {
  const count = (outcome) => cases.filter((one) => one.outcome === outcome).length;
  const failures = cases.filter(({ outcome }) => outcome === 'failed');
  if (failures.length > 0) console.log('\nFailed:');
  for (const { name, file, reason } of failures) {
    console.log(`  ${file ? `${file}: ` : ''}${name}${reason ? ` (${reason})` : ''}`);
  }
  const skipped = count('skipped');
  if (failures.length > 0) process.exitCode = 1;
  console.log(
    `\n${count('passed')} passed, ${failures.length} failed${skipped ? `, ${skipped} skipped` : ''}`,
  );
}
