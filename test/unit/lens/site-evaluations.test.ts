import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { SiteEvaluations, type KnownSite } from '../../../src/features/lens/host/site-evaluations.ts';
import type { PlanningWorkspace } from '../../../src/features/lens/host/site-plan.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { CALL, comparisonOf, siteOf, workspaceOf } from './support.ts';

interface Bench {
  readonly evaluations: SiteEvaluations;
  readonly asked: string[];
  readonly stored: Map<string, unknown>;
  changes: number;
  workspace: PlanningWorkspace;
  /** Called before the engine answers a comparison. */
  onCompare: (signal: AbortSignal | undefined) => Promise<void>;
}

function bench(stored = new Map<string, unknown>(), indexed = true): Bench {
  const asked: string[] = [];
  // Implements the engine's protocol with scripted answers.
  const request = async (
    method: string,
    params: unknown,
    options: { signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    asked.push(method);
    if (method === 'status') return { indexed };
    if (method === 'index') return {};
    await made.onCompare(options.signal);
    return comparisonOf((params as Params<'compare'>).pipelines.map(({ name }) => name));
  };
  const made: Bench = {
    asked,
    stored,
    changes: 0,
    workspace: workspaceOf(),
    onCompare: () => Promise.resolve(),
    evaluations: new SiteEvaluations({
      engine: { request: request as never },
      workspace: () => made.workspace,
      memory: {
        get: <T>(key: string) => structuredClone(stored.get(key)) as T | undefined,
        set: (key, value) => void stored.set(key, structuredClone(value)),
      },
      changed: () => void made.changes++,
      indexed: () => Promise.resolve(),
    }),
  };
  return made;
}

async function known(call = CALL): Promise<KnownSite> {
  return { key: 'app/rag.py##as_retriever#0', file: 'app/rag.py', site: await siteOf(call) };
}

test('sends nothing to the engine before an evaluation', async () => {
  const { evaluations, asked } = bench();
  assert.equal(evaluations.state(await known()).figures, undefined);
  assert.deepEqual(asked, []);
});

test('reports an invalid parallax.json and does not fall back to defaults', async () => {
  const made = bench();
  const configProblem = 'parallax.json is not valid JSON.';
  made.workspace = { ...workspaceOf(), configProblem };
  const site = await known();
  const { planned } = made.evaluations.state(site);
  assert.deepEqual(planned, { reason: 'bad-config', message: configProblem });
  await assert.rejects(made.evaluations.evaluate(site), (error) => ParallaxError.is(error, 'bad-config'));
  made.workspace = workspaceOf({}, { evalQueries: [] });
  made.evaluations.workspaceChanged();
  await assert.rejects(made.evaluations.evaluate(site), (error) => ParallaxError.is(error, 'no-eval-set'));
  assert.deepEqual(made.asked, []);
});

test('announces an evaluation once at its start and once at its end', async () => {
  const made = bench();
  const site = await known();
  let during = false;
  made.onCompare = () => Promise.resolve(void (during = made.evaluations.state(site).running));
  await made.evaluations.evaluate(site);
  const state = made.evaluations.state(site);
  assert.deepEqual([during, state.running, state.stale, made.changes], [true, false, false, 2]);
  assert.equal(state.figures?.measures['MRecall@5']?.value, 0.4);
});

test('indexes a corpus without an index first', async () => {
  const made = bench(new Map(), false);
  await made.evaluations.evaluate(await known());
  assert.deepEqual(made.asked, ['status', 'index', 'compare']);
});

test('marks figures stale after a change of call, corpus or labels, and after a restart', async () => {
  const made = bench();
  const site = await known();
  await made.evaluations.evaluate(site);
  assert.equal(made.evaluations.state(await known(`\n\n${CALL}`)).stale, false);
  assert.equal(made.evaluations.state(await known(CALL.replace('5', '6'))).stale, true);
  assert.equal(made.evaluations.state(site).stale, false);
  made.evaluations.figuresChanged();
  assert.equal(made.evaluations.state(site).stale, true);
  await made.evaluations.evaluate(site);
  assert.equal(made.evaluations.state(site).stale, false);
  const restarted = bench(made.stored).evaluations.state(site);
  assert.equal(restarted.figures?.comparison, 'c1');
  assert.equal(restarted.stale, true);
});

test('a comparison repeated with the same judge gives the call its figures', async () => {
  const made = bench();
  const site = await known();
  const { comparison } = await made.evaluations.evaluate(site);
  const names = made.evaluations.state(site).figures!.whatIfs.map(({ name }) => name);
  const before = { ...comparisonOf(['call', ...names]), id: comparison };
  const after = { ...comparisonOf(['call', ...names]), id: 'c2' };
  made.evaluations.figuresChanged();
  made.evaluations.comparedAgain({ ...before, id: 'of another call' }, after);
  made.evaluations.comparedAgain({ ...before, judge: 'another' }, after);
  assert.equal(made.evaluations.state(site).stale, true);
  const { origin, standIn, asked, whatIfs } = made.evaluations.state(site).figures!;
  made.evaluations.comparedAgain(before, after);
  const { figures, stale } = made.evaluations.state(site);
  assert.deepEqual([figures?.comparison, stale], ['c2', false]);
  assert.deepEqual([figures?.origin, figures?.standIn, figures?.asked], [origin, standIn, asked]);
  assert.deepEqual(
    figures?.whatIfs.map(({ name, oracle }) => [name, oracle]),
    whatIfs.map(({ name, oracle }) => [name, oracle]),
  );
});

test('marks figures stale once the configuration differs', async () => {
  const made = bench();
  const site = await known();
  await made.evaluations.evaluate(site);
  made.workspace = workspaceOf({}, { judge: 'vscode' });
  made.evaluations.workspaceChanged();
  assert.equal(made.evaluations.state(site).stale, true);
});

test('cancelling keeps the existing figures', async () => {
  const made = bench();
  const site = await known();
  await made.evaluations.evaluate(site);
  made.onCompare = async (signal) => {
    made.evaluations.cancel(site.key);
    if (signal?.aborted) throw new ParallaxError('cancelled', 'Cancelled.');
  };
  await assert.rejects(made.evaluations.evaluate(site), { id: 'cancelled' });
  const state = made.evaluations.state(site);
  assert.deepEqual([state.running, state.figures?.comparison], [false, 'c1']);
});

test('refuses an impossible plan with its reason', async () => {
  const made = bench();
  made.workspace = workspaceOf({}, { evalQueries: [] });
  await assert.rejects(made.evaluations.evaluate(await known()), /There is no eval set/u);
  assert.deepEqual(made.asked, []);
});

test('discards stored state of another version', async () => {
  const { evaluations } = bench(new Map<string, unknown>([['inline.figures', { a: { at: 1 } }]]));
  assert.equal(evaluations.state(await known()).figures, undefined);
});
