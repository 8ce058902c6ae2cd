// Runs tests of Node's test runner for Stryker, which otherwise supports it only with a process per file: here tests
// are loaded once (replayed-tests.mjs), and the mutants that each test reaches are known.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import {
  commonTokens,
  declareFactoryPlugin,
  declareValuePlugin,
  PluginKind,
  tokens,
} from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';
import fastCheck from 'fast-check';

import { cases, loadTestFile, runCases } from './replayed-tests.mjs';

const SPACE = '__stryker__';
const REPLAYED = new URL('./replayed-tests.mjs', import.meta.url).href;
/** In the copy of the repository: the results of the first run, for processes that start later. */
const USABLE = 'usable-tests.json';
const NODE_TEST = 'node:test';

class NodeRunner {
  #options;
  #loaded = false;
  #stray;
  /** The duration of every usable test, in milliseconds. */
  #times = {};

  constructor(options) {
    this.#options = options;
  }

  capabilities() {
    // Modules stay loaded, so for a mutant in code that runs on import Stryker starts a new process. If such mutants
    // are ignored, code that runs both on import and in a test is only observed in the test.
    return { reloadEnvironment: this.#options.ignoreStatic };
  }

  init() {
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === NODE_TEST ? { url: REPLAYED, shortCircuit: true } : next(specifier, context),
    });
    globalThis[SPACE] ??= {};
    // The same inputs for every mutant, and no shrinking after the first failure.
    fastCheck.configureGlobal({ seed: 20260101, endOnFailure: true });
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.prependListener(event, (error) => (this.#stray ??= error ?? new Error(event)));
  }

  /**
   * Leaves out and reports tests that fail on code that is only instrumented (for example because they read it as
   * text).
   */
  async dryRun() {
    await this.#load((file, error) => console.error(`left out ${file}: ${error}`));
    const tests = [];
    const began = ({ id }) => (globalThis[SPACE].currentTestId = id);
    const ended = ({ id, name, file }, timeSpentMs, failure) => {
      globalThis[SPACE].currentTestId = undefined;
      if (failure !== undefined) return console.error(`left out ${id}: ${failure}`);
      tests.push({ id, name, fileName: resolve(file), timeSpentMs, status: TestStatus.Success });
    };
    for (let next = 0; next < cases.length; next++) {
      const { file } = cases[next];
      const last = cases.findLastIndex((one) => one.file === file);
      // A failure ends a run; the remaining tests of the file run separately.
      const rest = cases.slice(next, last + 1);
      let done = 0;
      await runCases(rest, began, (...args) => {
        done++;
        ended(...args);
      });
      next += Math.max(1, done) - 1;
    }
    this.#times = Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]));
    writeFileSync(USABLE, JSON.stringify(this.#times));
    keepOnly(this.#times);
    return { status: DryRunStatus.Complete, tests, mutantCoverage: globalThis[SPACE].mutantCoverage };
  }

  async mutantRun({ activeMutant, sandboxFileName, testFilter, hitLimit, mutantActivation }) {
    const space = globalThis[SPACE];
    space.hitCount = hitLimit === undefined ? undefined : 0;
    space.hitLimit = hitLimit;
    if (mutantActivation === 'static') space.activeMutant = activeMutant.id;
    const unloadable = await failureOf(() => this.#load());
    if (unloadable !== undefined) return killed('', unloadable, 0);
    space.activeMutant = activeMutant.id;
    const wanted = testFilter && new Set(testFilter);
    const chosen = this.#inOrder(wanted ? cases.filter(({ id }) => wanted.has(id)) : cases, sandboxFileName);
    this.#stray = undefined;
    let last = '';
    const failure = await runCases(
      chosen,
      ({ id }) => (last = id),
      () => undefined,
    );
    space.activeMutant = undefined;
    if (space.hitLimit !== undefined && space.hitCount > space.hitLimit)
      return { status: MutantRunStatus.Timeout, reason: 'the mutated code ran far more often than it does' };
    const found = failure ?? this.#stray;
    return found === undefined
      ? { status: MutantRunStatus.Survived, nrOfTests: chosen.length }
      : killed(last, found, chosen.length);
  }

  /** Files in the same room first, then fast ones, because the first failing test kills a mutant. */
  #inOrder(chosen, mutated) {
    const room = basename(mutated.endsWith('.ts') ? dirname(mutated) : mutated);
    const cost = new Map();
    for (const { id, file } of chosen) cost.set(file, (cost.get(file) ?? 0) + (this.#times[id] ?? 0));
    const rank = (file) => (file.split('/').includes(room) ? 0 : 1);
    return [...chosen].sort(
      (a, b) => rank(a.file) - rank(b.file) || cost.get(a.file) - cost.get(b.file) || 0,
    );
  }

  /**
   * @param {(file: string, error: unknown) => void} [leftOut] for the first run; in later runs an error is a failure
   */
  async #load(leftOut) {
    if (this.#loaded) return;
    this.#loaded = true;
    const times = existsSync(USABLE) ? JSON.parse(readFileSync(USABLE, 'utf8')) : undefined;
    for (const file of this.#options.nodeRunner.files) {
      if (times && !Object.keys(times).some((id) => id.startsWith(`${file}: `))) continue;
      const error = await failureOf(() =>
        loadTestFile(file, () => import(pathToFileURL(resolve(file)).href)),
      );
      if (error === undefined) continue;
      if (!leftOut) throw error;
      leftOut(file, error);
    }
    if (!times) return;
    this.#times = times;
    keepOnly(times);
  }
}

function keepOnly(times) {
  cases.splice(0, cases.length, ...cases.filter(({ id }) => id in times));
}

function killed(id, failure, nrOfTests) {
  return {
    status: MutantRunStatus.Killed,
    killedBy: id ? [id] : [],
    failureMessage: told(failure),
    nrOfTests,
  };
}

function told(failure) {
  return String(failure?.stack ?? failure);
}

async function failureOf(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Ignores sentences for users and descriptions in schemas, whose wording is for readers to judge. */
const sentences = {
  shouldIgnore({ node, parent }) {
    if (!node || !parent || !['StringLiteral', 'TemplateLiteral'].includes(node.type)) return undefined;
    const called = parent.callee ?? parent.tag;
    const isText =
      (/^(CallExpression|TaggedTemplateExpression)$/u.test(parent.type) &&
        called?.type === 'MemberExpression' &&
        /^(t|describe)$/u.test(called.property?.name ?? '')) ||
      (/^(NewExpression|CallExpression)$/u.test(parent.type) && /Error$/u.test(called?.name ?? ''));
    return isText ? 'the words of a sentence' : undefined;
  },
};

function createRunner(options) {
  return new NodeRunner(options);
}
createRunner.inject = tokens(commonTokens.options);

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'node', createRunner),
  declareValuePlugin(PluginKind.Ignore, 'sentences', sentences),
];

export const strykerValidationSchema = {
  type: 'object',
  properties: {
    nodeRunner: {
      type: 'object',
      properties: { files: { type: 'array', items: { type: 'string' } } },
    },
  },
};
