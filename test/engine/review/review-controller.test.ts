/** A person's way through the queue, over the real engine; only the editor is not there. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ReviewController } from '../../../src/features/review/host/review-controller.ts';
import type { Params, EngineMethod } from '../../../src/shared/rpc.ts';
import { benchFor, type Bench } from './support.ts';

interface Person {
  readonly bench: Bench;
  readonly controller: ReviewController;
  /** The screens in their order, one line each: document and perspective, or the end. */
  readonly shown: string[];
  readonly focused: boolean[];
  readonly warnings: string[];
  labelled: number;
}

async function personFor(t: TestContext): Promise<Person> {
  const bench = await benchFor(t);
  await bench.judgeAll('debate');
  const person: Person = {
    bench,
    shown: [],
    focused: [],
    warnings: [],
    labelled: 0,
    controller: new ReviewController({
      engine: {
        request: (method: EngineMethod, params: Params<EngineMethod>) => bench.ask(method, params),
      } as never,
      userName: () => 'ann',
      actions: {
        publish: () => undefined,
        show: async ({ entry }, { left, answered, note }, takeFocus) => {
          person.focused.push(takeFocus);
          person.shown.push(
            [entry.documentId, entry.perspective.id, left, answered, ...(note ? [note] : [])].join(' '),
          );
        },
        showEnd: async ({ answered }, waiting) => void person.shown.push(`end ${answered} ${waiting}`),
        labelled: () => void person.labelled++,
        warn: (message) => void person.warnings.push(message),
      },
    }),
  };
  return person;
}

const openIds = async ({ bench }: Person): Promise<string[]> =>
  (await bench.queue()).entries.map(({ id }) => id);

test('each answer opens the next pair without taking the focus, until the end', async (t) => {
  const person = await personFor(t);
  const { controller, bench, shown } = person;
  await controller.next();
  for (const verdict of ['yes', 'no', 'unsure', 'yes', 'no', 'yes'] as const)
    await controller.answer(verdict);
  assert.equal(new Set(shown.slice(0, 6).map((line) => line.split(' ').slice(0, 2).join())).size, 6);
  assert.deepEqual(
    shown.map((line) => line.split(' ').slice(-2).join(' ')),
    ['6 0', '5 1', '4 2', '3 3', '2 4', '1 5', '6 0'],
  );
  assert.equal(shown.at(-1), 'end 6 0');
  assert.deepEqual(person.focused, [true, false, false, false, false, false]);
  assert.deepEqual(
    bench.lines().map(({ verdict }) => verdict),
    ['yes', 'no', 'unsure', 'yes', 'no', 'yes'],
  );
  assert.equal(person.labelled, 6);
  await controller.answer('yes');
  assert.equal(bench.lines().length, 6, 'there is nothing to answer');
  await controller.undo();
  assert.equal(
    shown.at(-1)?.split(' ').slice(0, 2).join(),
    shown[5]?.split(' ').slice(0, 2).join(),
    'the last pair is back',
  );
  assert.equal((await openIds(person)).length, 1);
});

test('a key that is pressed twice answers once', async (t) => {
  const { controller, bench, shown } = await personFor(t);
  await controller.next();
  await Promise.all([controller.answer('yes'), controller.answer('yes'), controller.skip()]);
  assert.equal(bench.lines().length, 1);
  assert.equal(shown.length, 2);
});

test('undo steps back over answers and skipped pairs', async (t) => {
  const person = await personFor(t);
  const { controller, bench } = person;
  const [first, second, third] = await openIds(person);
  await controller.next();
  await controller.answer('yes');
  await controller.skip();
  assert.equal(controller.current?.entry.id, third);
  await controller.undo();
  assert.equal(controller.current?.entry.id, second);
  assert.equal(bench.lines().length, 1, 'skipping is no answer');
  await controller.undo();
  assert.equal(controller.current?.entry.id, first);
  assert.equal((await openIds(person)).length, 6);
  assert.ok('withdraws' in bench.lines()[1]!);
  await controller.undo();
  assert.equal(controller.current?.entry.id, first, 'there is nothing to take back');
});

test('the review continues after the opened pair, and returns to earlier ones', async (t) => {
  const person = await personFor(t);
  const { controller } = person;
  const ids = await openIds(person);
  await controller.refresh();
  await controller.open(ids[4]!);
  await controller.answer('yes');
  assert.equal(controller.current?.entry.id, ids[5]);
  await controller.answer('yes');
  assert.equal(controller.current?.entry.id, ids[0]);
});

test('a note is stored with its answer, and not with the next one', async (t) => {
  const { controller, bench, shown } = await personFor(t);
  await assert.rejects(controller.note('too early'));
  await controller.next();
  await controller.note('Only half of it.');
  assert.match(shown.at(-1)!, /Only half of it\.$/u);
  await controller.answer('no');
  await controller.answer('no');
  assert.deepEqual(
    bench.lines().map(({ note }) => note),
    ['Only half of it.', undefined],
  );
});

test('a pair with a changed passage is skipped with a message', async (t) => {
  const person = await personFor(t);
  const { controller, bench, shown, warnings } = person;
  const [gone] = (await bench.queue()).entries;
  bench.write(gone!.documentId, 'Rewritten.');
  await bench.ask('index', { corpus: 'office', rebuild: false });
  await controller.next();
  assert.ok(warnings.length > 0 && warnings.every((warning) => warning.includes(gone!.documentId)));
  assert.equal(shown.length, 1);
  assert.ok(!shown[0]!.startsWith(gone!.documentId));
});

test('after a review nothing can be answered or undone, and answers stay', async (t) => {
  const person = await personFor(t);
  const { controller, bench } = person;
  await controller.next();
  await controller.answer('yes');
  controller.end();
  assert.equal(controller.isReviewing, false);
  await controller.answer('no');
  await controller.undo();
  assert.equal(bench.lines().length, 1);
});
