// Replaces `node:test` while mutants run: stores the registered tests, so that they can be run again for every mutant
// in one process, instead of a process per mutant.
const real = process.getBuiltinModule('node:test');

/** @typedef {{ id: string, file: string, name: string, body: Function, chain: Suite[], reason?: string }} Case */

/** @typedef {{ name: string, skipped: boolean, hooks: Record<string, Function[]> }} Suite */

const suiteNamed = (name, skipped) => ({
  name,
  skipped,
  hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
});

/** @type {Case[]} */
export const cases = [];
let file = '';
/** @type {Suite[]} */
let chain = [];
const unfinished = [];

/** Tests registered until the next call belong to this file. */
export async function loadTestFile(name, load) {
  file = name;
  chain = [suiteNamed('', false)];
  await load();
  await Promise.all(unfinished.splice(0));
}

function argumentsOf(args) {
  const name =
    typeof args[0] === 'string' ? args[0] : (args.find((one) => typeof one === 'function')?.name ?? '');
  const options = args.find((one) => typeof one === 'object' && one !== null) ?? {};
  return { name, options, body: args.find((one) => typeof one === 'function') ?? (() => undefined) };
}

function register(args, extra = {}) {
  const { name, options, body } = argumentsOf(args);
  const skipped = { ...options, ...extra };
  if (skipped.skip || skipped.todo || chain.some((suite) => suite.skipped)) return Promise.resolve();
  const path = [...chain.slice(1).map((suite) => suite.name), name].join(' > ');
  let id = `${file}: ${path}`;
  for (let count = 2; cases.some((one) => one.id === id); count++) id = `${file}: ${path} (${count})`;
  cases.push({ id, file, name, body, chain: [...chain] });
  return Promise.resolve();
}

function suite(args, extra = {}) {
  const { name, options, body } = argumentsOf(args);
  const outer = chain;
  chain = [...outer, suiteNamed(name, Boolean(options.skip || extra.skip))];
  const inner = chain;
  const result = body();
  // An async body may register tests after it has yielded; all of them belong to its suite.
  if (result instanceof Promise) unfinished.push(result.finally(() => (chain = outer)));
  if (chain === inner && !(result instanceof Promise)) chain = outer;
  return Promise.resolve();
}

const hook = (kind) => (body) => chain.at(-1).hooks[kind].push(body);

export const test = Object.assign((...args) => register(args), {
  skip: (...args) => register(args, { skip: true }),
  todo: (...args) => register(args, { todo: true }),
  only: (...args) => register(args),
});
export const describe = Object.assign((...args) => suite(args), {
  skip: (...args) => suite(args, { skip: true }),
});
export const it = test;
export const mock = real.mock;
export const before = hook('before');
export const after = hook('after');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
export default Object.assign(test, {
  test,
  it,
  describe,
  suite: describe,
  before,
  after,
  beforeEach,
  afterEach,
  mock,
});

/** Runs tests in order with their hooks until one fails. Resolves to the failure or `undefined`. */
export async function runCases(chosen, began, ended) {
  const opened = [];
  let failure;
  for (const one of chosen) {
    failure = await guarded(() => changeSuites(opened, one.chain));
    const started = performance.now();
    began(one);
    failure ??= await guarded(() => runCase(one));
    ended(one, performance.now() - started, failure);
    if (failure !== undefined) break;
  }
  const atEnd = await guarded(() => changeSuites(opened, []));
  return failure ?? atEnd;
}

async function changeSuites(opened, wanted) {
  while (opened.some((suite, index) => suite !== wanted[index]))
    for (const body of opened.pop().hooks.after) await body();
  for (const suite of wanted.slice(opened.length)) {
    opened.push(suite);
    for (const body of suite.hooks.before) await body();
  }
}

async function runCase({ body, chain: suites, name }) {
  await runBody(name, body, suites);
}

async function runBody(name, body, suites) {
  const endings = [];
  const skipping = new AbortController();
  const context = {
    name,
    fullName: name,
    signal: skipping.signal,
    mock: real.mock,
    assert: real.assert,
    diagnostic: () => undefined,
    skip: () => undefined,
    todo: () => undefined,
    plan: () => undefined,
    after: (ending) => endings.push(ending),
    before: (beginning) => beginning(),
    test: (...args) => {
      const { name: inner, options, body: innerBody } = argumentsOf(args);
      return options.skip || options.todo ? Promise.resolve() : runBody(inner, innerBody, []);
    },
  };
  try {
    for (const suite of suites) for (const each of suite.hooks.beforeEach) await each(context);
    await called(body, context);
  } finally {
    for (const ending of endings.splice(0).reverse()) await ending(context);
    for (const suite of [...suites].reverse()) for (const each of suite.hooks.afterEach) await each(context);
    real.mock.reset();
  }
}

/** A body with two parameters reports its end with a callback. */
function called(body, context) {
  if (body.length < 2) return body(context);
  return new Promise((resolve, reject) => body(context, (error) => (error ? reject(error) : resolve())));
}

async function guarded(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error ?? new Error('something empty was thrown');
  }
}
