/** How the parts of `npm test` share the cores. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Cores } from '../../../scripts/lib/cores.mjs';

/** A task that reports its start and ends on request. */
function work(running: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const run = async () => {
    running.push(name);
    await promise;
    running.splice(running.indexOf(name), 1);
    return name;
  };
  return { run, end: () => resolve(undefined) };
}

test('never exceeds the cores, and nothing overtakes a waiting task', async () => {
  const cores = new Cores(2);
  const running: string[] = [];
  const [small, large, next, free] = ['small', 'large', 'next', 'free'].map((name) => work(running, name));
  const all = [
    cores.use(1, small!.run),
    cores.use(2, large!.run),
    cores.use(1, next!.run),
    cores.use(0, free!.run),
  ];
  await turn();
  assert.deepEqual(running, ['small'], 'one core is free, but who asked first needs two');
  small!.end();
  await turn();
  assert.deepEqual(running, ['large']);
  large!.end();
  await turn();
  assert.deepEqual(running, ['next', 'free']);
  next!.end();
  free!.end();
  assert.deepEqual(await Promise.all(all), ['small', 'large', 'next', 'free']);
});

test('lower ranks go first, then earlier requests', async () => {
  const cores = new Cores(1);
  const done: string[] = [];
  const asked = [
    ['runs already', 9],
    ['last', 2],
    ['second', 1],
    ['third', 1],
    ['first', undefined],
  ] as const;
  const run = (name: string) => Promise.resolve(void done.push(name));
  await Promise.all(asked.map(([name, rank]) => cores.use(1, () => run(name), rank)));
  assert.deepEqual(done, ['runs already', 'first', 'second', 'third', 'last']);
});

test('a failing task releases its cores', async () => {
  const cores = new Cores(1);
  await assert.rejects(
    cores.use(1, () => Promise.reject(new Error('no'))),
    /no/u,
  );
  assert.equal(await cores.use(1, () => Promise.resolve('after')), 'after');
});
