/** Reviews drafts one after the other in a file that is a string, without the editor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDraft, type Draft } from '../../../src/features/building/core/draft.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { DraftsController } from '../../../src/features/building/host/drafts-controller.ts';
import { toDraftsSchema, type DraftsState } from '../../../src/features/building/contract/panel.ts';

const line = (id: string, review = 'proposed'): string =>
  `{"v":1,"id":"${id}", "review" : "${review}","text":"${id}?","cost":1.50,"perspectives":[{"id":"p1","text":"Yes.","stance":"support"},{"id":"p2","text":"No."}],"passages":[{"document":"a.md","hash":"h","text":"It is so.","supports":["p1"]},{"document":"b.md","hash":"i","text":"It is not.","supports":["p2"]}],"made":{"from":"log","prompts":[],"model":"m","at":""}}`;

interface Bench {
  readonly controller: DraftsController;
  file: string;
  readOnly: boolean;
  /** The user's answer when asked for a reason. `undefined` cancels. */
  reason: string | undefined;
  readonly states: DraftsState[];
  state(): DraftsState;
  draft(place: number): Draft;
}

function setUp(lines: readonly string[]): Bench {
  const bench: Bench = {
    file: lines.join('\n') + '\n',
    readOnly: false,
    reason: undefined,
    states: [],
    state: () => bench.states.at(-1)!,
    draft: (place) => parseDraft(bench.file.split('\n')[place]!) as Draft,
    controller: new DraftsController({
      read: () => Promise.resolve(bench.file),
      replaceLine: async (number, before, after) => {
        const all = bench.file.split('\n');
        assert.equal(all[number - 1], before);
        if (bench.readOnly) throw new ParallaxError('bad-file', 'It is read-only.');
        bench.file = all.with(number - 1, after).join('\n');
      },
      actions: {
        publish: (state) => {
          toDraftsSchema.parse({ type: 'state', state });
          bench.states.push(state);
        },
        addAccepted: async () => undefined,
        askForReason: async () => bench.reason,
        openFile: async () => undefined,
        applyRemedy: async () => undefined,
      },
    }),
  };
  return bench;
}

test('shows the first open draft with the passages of its perspectives', async () => {
  const bench = setUp([line('one', 'accepted'), 'no json', '', line('two'), line('three')]);
  await bench.controller.handle({ type: 'ready' });
  const { drafts, current, unreadable, canUndo } = bench.state();
  assert.deepEqual(
    drafts.map(({ id, review }) => [id, review]),
    [
      ['one', 'accepted'],
      ['two', 'proposed'],
      ['three', 'proposed'],
    ],
  );
  assert.equal(current?.id, 'two');
  assert.deepEqual(
    current.perspectives.map(({ letter, text, stance }) => [letter, text, stance]),
    [
      ['A', 'Yes.', 'support'],
      ['B', 'No.', undefined],
    ],
  );
  assert.deepEqual(current.passages[1], { name: 'b.md', text: 'It is not.', supports: ['p2'] });
  assert.deepEqual([unreadable, canUndo], [1, false]);
});

test('a decision changes one line and shows the next draft; undo returns to it', async () => {
  const bench = setUp([line('one'), line('two'), line('three')]);
  const before = bench.file;
  await bench.controller.handle({ type: 'ready' });
  await bench.controller.handle({ type: 'skip' });
  assert.equal(bench.state().current?.id, 'two');
  await bench.controller.handle({ type: 'review', id: 'two', review: 'accepted' });
  assert.equal(bench.file, [line('one'), line('two', 'accepted'), line('three'), ''].join('\n'));
  assert.equal(bench.state().current?.id, 'three');
  await bench.controller.handle({ type: 'review', id: 'three', review: 'rejected' });
  assert.equal(bench.state().current?.id, 'one', 'what was passed over comes again');
  await bench.controller.handle({ type: 'review', id: 'one', review: 'rejected' });
  assert.equal(bench.state().current, undefined);
  for (const id of ['one', 'three', 'two']) {
    await bench.controller.handle({ type: 'undo' });
    assert.equal(bench.state().current?.id, id);
  }
  assert.equal(bench.file, before);
  assert.equal(bench.state().canUndo, false);
});

test('stores an optional reason for a rejection; cancelling changes nothing', async () => {
  const bench = setUp([line('one'), line('two')]);
  const before = bench.file;
  await bench.controller.handle({ type: 'ready' });
  await bench.controller.handle({ type: 'reject-with-reason', id: 'one' });
  assert.deepEqual([bench.file, bench.state().current?.id], [before, 'one']);
  bench.reason = ' Nobody asks this. ';
  await bench.controller.handle({ type: 'reject-with-reason', id: 'one' });
  assert.deepEqual([bench.draft(0).review, bench.draft(0).because], ['rejected', 'Nobody asks this.']);
  assert.equal(bench.state().current?.id, 'two');
  await bench.controller.handle({ type: 'show', id: 'one' });
  assert.equal(bench.state().current?.because, 'Nobody asks this.');
  await bench.controller.handle({ type: 'review', id: 'one', review: 'accepted' });
  assert.equal(bench.draft(0).because, undefined, 'it holds no longer');
  bench.reason = ' ';
  await bench.controller.handle({ type: 'reject-with-reason', id: 'two' });
  assert.deepEqual([bench.draft(1).review, bench.draft(1).because], ['rejected', undefined]);
});

test('shows the source of a perspective if the draft has it', async () => {
  const [before = '', after = ''] = line('one').split('"text":"Yes."');
  const bench = setUp([`${before}"text":"Yes.","from":["a › b"]${after}`]);
  await bench.controller.handle({ type: 'ready' });
  assert.deepEqual(
    bench.state().current?.perspectives.map(({ from }) => from),
    [['a › b'], undefined],
  );
});

test('a new text keeps id, stance and passages; a removed perspective loses its support', async () => {
  const bench = setUp([line('one')]);
  await bench.controller.handle({ type: 'ready' });
  await bench.controller.handle({
    type: 'reword',
    id: 'one',
    text: ' One, or two? ',
    perspectives: [{ id: 'p1', text: 'Two.' }, { text: 'Three.' }, { text: ' ' }],
  });
  const { text, perspectives, passages } = bench.draft(0);
  assert.equal(text, 'One, or two?');
  assert.deepEqual(perspectives, [
    { id: 'p1', text: 'Two.', stance: 'support' },
    { id: 'p3', text: 'Three.' },
  ]);
  assert.deepEqual(
    passages.map(({ supports }) => supports),
    [['p1'], []],
  );
  assert.match(bench.file, /"cost":1\.50/u);
  assert.equal(bench.state().current?.id, 'one', 'it still waits');
  await bench.controller.handle({ type: 'undo' });
  assert.equal(bench.file, `${line('one')}\n`);
});

test('shows a failure until the next success', async () => {
  const bench = setUp([line('one')]);
  await bench.controller.handle({ type: 'ready' });
  await bench.controller.handle({ type: 'reword', id: 'one', text: '  ', perspectives: [] });
  assert.match(bench.state().error?.message ?? '', /needs a question/u);
  await bench.controller.handle({ type: 'reword', id: 'one', text: 'One?', perspectives: [] });
  assert.equal(bench.state().error, undefined);
  await bench.controller.handle({ type: 'review', id: 'one', review: 'accepted' });
  assert.match(bench.state().error?.message ?? '', /no perspectives/u);
  bench.readOnly = true;
  await bench.controller.handle({ type: 'review', id: 'one', review: 'rejected' });
  assert.equal(bench.state().error?.message, 'It is read-only.');
  bench.file = '';
  await bench.controller.handle({ type: 'review', id: 'one', review: 'rejected' });
  assert.match(bench.state().error?.message ?? '', /no longer in the file/u);
  await bench.controller.refresh();
  assert.deepEqual(bench.state(), { drafts: [], unreadable: 0, canUndo: true });
});
