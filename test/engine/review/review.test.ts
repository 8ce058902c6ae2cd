/** The review queue over the real engine: what comes into it, what people see, what becomes of answers. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { writeTinyNli } from '../../fixtures/tiny-encoder/make.ts';
import { benchFor, DOCUMENTS, judgingTask, QUERY, type Bench } from './support.ts';

const summary = ({ entries }: Awaited<ReturnType<Bench['queue']>>): string[] =>
  entries.map(({ reason, documentId, perspective }) => `${reason} ${documentId} ${perspective.id}`).sort();

const ALL = Object.keys(DOCUMENTS).flatMap((name) => ['p1', 'p2'].map((id) => `${name} ${id}`));

test('a debate without agreement waits for people, and leaves when one has answered', async (t) => {
  const bench = await benchFor(t);
  const { escalated } = await bench.judgeAll('debate');
  assert.equal(escalated, 6);
  const queue = await bench.queue();
  assert.deepEqual(summary(queue), ALL.map((pair) => `escalated ${pair}`).sort());
  assert.deepEqual([queue.open, queue.waiting], [6, 0]);

  const [entry] = queue.entries;
  const { passage, opinions, standard, answers } = await bench.ask('reviewItem', { id: entry!.id });
  assert.equal(passage.documentId, entry!.documentId);
  assert.equal(opinions.length, 1);
  assert.deepEqual(
    opinions[0]!.debate?.rounds.map((turns) => turns.map(({ label, argument }) => `${label}: ${argument}`)),
    [
      ['yes: First argument for yes.', 'no: First argument for no.'],
      ['yes: Second argument for yes.', 'no: Second argument for no.'],
    ],
  );
  const [span] = opinions[0]!.debate!.rounds[1]![0]!.evidence;
  assert.match(passage.text.slice(span!.start, span!.end), /^It supports/);
  assert.equal(standard.id, 'berds-1');
  assert.deepEqual(answers, []);

  await bench.ask('reviewAnswer', { id: entry!.id, verdict: 'yes', by: 'ann', note: 'Says so.' });
  const after = await bench.queue();
  assert.equal(after.open, 5);
  assert.ok(after.entries.every(({ id }) => id !== entry!.id));
  const [line] = bench.lines();
  assert.deepEqual(
    [
      line!['verdict'],
      line!['note'],
      line!['informed'],
      line!['queryText'],
      line!['hash'],
      line!['standard'],
    ],
    ['yes', 'Says so.', true, QUERY.text, passage.hash, 'berds-1'],
  );
  const judged = await bench.ask('judgements', { ...judgingTask('debate'), slots: [passage.slot] });
  const own = judged.pairs.find(({ perspectiveId }) => perspectiveId === entry!.perspective.id)!;
  assert.deepEqual([own.judgement.source, own.judgement.verdict], ['human', 'yes']);
});

test('an answer is withdrawn by a line, and the person’s former one counts again', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('debate');
  const { id, perspective, documentId } = (await bench.queue()).entries[0]!;
  const first = await bench.ask('reviewAnswer', { id, verdict: 'no', by: 'ann' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await bench.ask('reviewAnswer', { id, verdict: 'yes', by: 'ann' });
  const verdict = async (): Promise<string | undefined> => {
    const { pairs } = await bench.ask('judgements', { ...judgingTask('labels'), slots: await bench.slots() });
    return pairs.find(({ perspectiveId }) => perspectiveId === perspective.id)?.judgement.verdict;
  };
  assert.equal(await verdict(), 'yes');
  await bench.ask('reviewUndo', { id, by: 'ann', at: second.at });
  assert.equal(await verdict(), 'no');
  assert.equal((await bench.queue()).open, 5, 'still answered, by the first label');
  await bench.ask('reviewUndo', { id, by: 'ann', at: first.at });
  assert.equal(await verdict(), undefined);
  assert.ok(summary(await bench.queue()).includes(`escalated ${documentId} ${perspective.id}`));
  assert.equal(bench.lines().length, 4, 'nothing was taken out of the file');
  await assert.rejects(bench.ask('reviewUndo', { id, by: 'ann', at: first.at }), (error) =>
    ParallaxError.is(error, 'not-found'),
  );
});

test('contradicting judges wait for people once, in whatever order they were asked', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('optimist');
  assert.equal((await bench.queue()).open, 0);
  await bench.judgeAll('pessimist');
  assert.deepEqual(summary(await bench.queue()), ALL.map((pair) => `disagreement ${pair}`).sort());
  const { opinions } = await bench.ask('reviewItem', { id: (await bench.queue()).entries[0]!.id });
  assert.deepEqual(opinions.map(({ judge, verdict }) => `${judge} ${verdict}`).sort(), [
    'optimist yes',
    'pessimist no',
  ]);
  const again = await bench.ask('reviewAdd', { from: 'memory', corpus: 'office', queries: [QUERY] });
  assert.deepEqual(again, { found: 6, added: 0, leftOut: 0 });
});

test('the queue outlives the engine, and needs neither trust nor its judges', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('debate');
  await bench.restart({ trusted: false, judges: {} });
  const queue = await bench.queue();
  assert.equal(queue.open, 6);
  const { opinions } = await bench.ask('reviewItem', { id: queue.entries[0]!.id });
  assert.equal(opinions[0]?.debate?.rounds.length, 2);
  await bench.ask('reviewAnswer', { id: queue.entries[0]!.id, verdict: 'unsure', by: 'ann' });
  assert.equal((await bench.queue()).open, 5);
});

test('cached verdicts are found again by their questions', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('debate');
  const { entries } = await bench.queue();
  await bench.ask('reviewRemove', { ids: entries.map(({ id }) => id) });
  assert.equal((await bench.queue()).open, 0);
  const nothing = await bench.ask('reviewAdd', {
    from: 'memory',
    corpus: 'office',
    queries: [{ id: 'x', text: 'Another?', perspectives: [{ id: 'p1', text: 'Another.' }] }],
  });
  assert.deepEqual(nothing, { found: 0, added: 0, leftOut: 0 });
  const found = await bench.ask('reviewAdd', { from: 'memory', corpus: 'office', queries: [QUERY] });
  assert.deepEqual(found, { found: 6, added: 6, leftOut: 0 });
  assert.ok((await bench.queue()).entries.every(({ reason }) => reason === 'escalated'));
});

test('people who contradict an unseen verdict are asked again, others are not', async (t) => {
  const bench = await benchFor(t);
  const [calm] = await bench.slots();
  const label = (judge: string): Promise<unknown> =>
    bench.ask('label', {
      corpus: 'office',
      slot: calm!,
      query: QUERY,
      perspective: QUERY.perspectives[0]!,
      by: 'ann',
      verdict: 'yes',
      judge,
    });
  const find = (): Promise<unknown> =>
    bench.ask('reviewAdd', { from: 'memory', corpus: 'office', queries: [QUERY] });
  await bench.judgeAll('pessimist');
  await label('optimist');
  assert.equal(bench.lines()[0]!['informed'], false, 'that judge had not answered');
  await find();
  assert.deepEqual(summary(await bench.queue()), ['disagreement docs/calm.md p1']);
  const [entry] = (await bench.queue()).entries;
  const { answers, opinions } = await bench.ask('reviewItem', { id: entry!.id });
  assert.deepEqual([answers[0]?.verdict, opinions[0]?.verdict], ['yes', 'no']);
  await bench.ask('reviewAnswer', { id: entry!.id, verdict: 'yes', by: 'ann' });
  await find();
  assert.equal((await bench.queue()).open, 0, 'the same answer again, and the matter is settled');

  await bench.ask('reviewRemove', { ids: [entry!.id] });
  assert.deepEqual(
    await find(),
    { found: 0, added: 0, leftOut: 0 },
    'it was decided with the argument in view',
  );
});

test('a colleague’s label from git answers a pair, also by quote or document', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('debate');
  const from = (fields: Record<string, unknown>): string =>
    JSON.stringify({
      v: 1,
      query: 'q1',
      perspective: 'p1',
      perspectiveText: QUERY.perspectives[0]!.text,
      verdict: 'no',
      by: { kind: 'human', name: 'bob' },
      at: '2026-01-01T00:00:00Z',
      ...fields,
    });
  bench.write(
    '.parallax/judgements.jsonl',
    from({ document: 'docs/calm.md', quote: 'The office cats calm everyone.' }),
  );
  assert.equal((await bench.queue()).open, 5);
  appendFileSync(bench.labelsFile, `\n${from({ document: 'docs/printer.md' })}`);
  assert.equal((await bench.queue()).open, 4);
  const { id } = (await bench.queue()).entries[0]!;
  await bench.ask('reviewAnswer', { id, verdict: 'yes', by: 'ann' });
  assert.equal(bench.lines().length, 3, 'the open last line did not swallow the new one');
});

test('several people: blind until all have answered, then the majority decides; ties are shown', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('optimist');
  const sample = { from: 'sample' as const, corpus: 'office', judge: 'optimist', queries: [QUERY], seed: 7 };
  const added = await bench.ask('reviewAdd', { ...sample, count: 2, people: 2 });
  assert.deepEqual(added, { found: 2, added: 2, leftOut: 0 });
  const [{ id } = { id: '' }] = (await bench.queue('ann')).entries;
  const answer = (by: string, verdict: 'yes' | 'no'): Promise<unknown> =>
    bench.ask('reviewAnswer', { id, verdict, by });
  const isOpen = async (by: string): Promise<boolean> =>
    (await bench.queue(by)).entries.some((entry) => entry.id === id);

  const shown = await bench.ask('reviewItem', { id });
  assert.deepEqual([shown.opinions, shown.answers], [[], []], 'what the judge said would sway people');
  await answer('ann', 'yes');
  assert.equal(bench.lines()[0]!['informed'], false);
  assert.deepEqual([await isOpen('ann'), await isOpen('bob')], [false, true]);
  assert.equal((await bench.queue('ann')).waiting, 1);
  assert.deepEqual((await bench.ask('reviewItem', { id })).answers, [], 'Bob does not see what Ann said');
  await answer('bob', 'no');
  assert.deepEqual([await isOpen('ann'), await isOpen('bob')], [true, true]);
  const { entry, answers } = await bench.ask('reviewItem', { id });
  assert.equal(entry.divided, true);
  assert.deepEqual(answers.map(({ person, verdict }) => `${person} ${verdict}`).sort(), [
    'ann yes',
    'bob no',
  ]);
  await answer('eve', 'no');
  assert.deepEqual([await isOpen('ann'), await isOpen('bob'), await isOpen('eve')], [false, false, false]);
  assert.equal(bench.lines().length, 3, 'every answer is kept');
});

test('a sample depends on its seed, and omits what people labelled', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('optimist');
  const draw = async (seed: number, count = 3): Promise<string[]> => {
    const { entries } = await bench.queue();
    await bench.ask('reviewRemove', { ids: entries.map(({ id }) => id) });
    await bench.ask('reviewAdd', {
      from: 'sample',
      corpus: 'office',
      judge: 'optimist',
      queries: [QUERY],
      people: 1,
      seed,
      count,
    });
    return (await bench.queue()).entries.map(({ id }) => id);
  };
  const first = await draw(1);
  assert.equal(first.length, 3);
  assert.deepEqual(await draw(1), first);
  const others: string[][] = [];
  for (const seed of [2, 3, 4, 5]) others.push(await draw(seed));
  assert.ok(others.some((ids) => ids.join() !== first.join()));
  await draw(1);
  await bench.ask('reviewAnswer', { id: first[0]!, verdict: 'yes', by: 'ann' });
  assert.equal((await draw(1, 100)).length, 5);
});

test('attention checks look like a sample, are answered by each person, and are no labels', async (t) => {
  const bench = await benchFor(t);
  const slots = await bench.slots();
  for (const by of ['ann', 'bob'])
    await bench.ask('label', {
      corpus: 'office',
      slot: slots[0]!,
      query: QUERY,
      perspective: QUERY.perspectives[0]!,
      verdict: 'yes',
      by,
    });
  const checks = {
    from: 'attention' as const,
    corpus: 'office',
    queries: [QUERY],
    count: 5,
    by: 'eve',
    seed: 1,
  };
  assert.deepEqual(await bench.ask('reviewAdd', checks), { found: 1, added: 1, leftOut: 0 });
  const { entries } = await bench.queue('eve');
  assert.deepEqual(
    entries.map(({ reason, answered, divided }) => [reason, answered, divided]),
    [['calibration', 0, false]],
  );
  const { id } = entries[0]!;
  assert.deepEqual((await bench.ask('reviewItem', { id })).answers, []);
  const { at } = await bench.ask('reviewAnswer', { id, verdict: 'no', by: 'eve' });
  await bench.ask('reviewAnswer', { id, verdict: 'yes', by: 'ann' });
  assert.equal((await bench.queue('eve')).open, 0);
  assert.equal((await bench.queue('bob')).open, 1, "Bob's attention is his own");
  const { pairs } = await bench.ask('judgements', { ...judgingTask('labels'), slots: [slots[0]!] });
  assert.deepEqual(
    pairs.map(({ judgement }) => judgement.verdict),
    ['yes'],
  );
  const attention = async (): Promise<unknown> => (await bench.ask('labelAgreement', {})).attention;
  assert.deepEqual(await attention(), [
    { person: 'eve', checks: 1, passed: 0 },
    { person: 'ann', checks: 1, passed: 1 },
  ]);
  await bench.ask('reviewUndo', { id, by: 'eve', at });
  assert.deepEqual(await attention(), [{ person: 'ann', checks: 1, passed: 1 }]);
  assert.equal((await bench.queue('eve')).open, 1);
});

test('unjudged pairs of a query can be sent to people, and are escalated if a debate fails', async (t) => {
  const bench = await benchFor(t);
  const slots = await bench.slots();
  await bench.ask('label', {
    corpus: 'office',
    slot: slots[0]!,
    query: QUERY,
    perspective: QUERY.perspectives[0]!,
    verdict: 'yes',
    by: 'ann',
  });
  const added = await bench.ask('reviewAdd', { from: 'query', ...judgingTask('debate'), slots });
  assert.deepEqual(added, { found: 5, added: 5, leftOut: 0 });
  assert.ok((await bench.queue()).entries.every(({ reason }) => reason === 'hole'));
  await bench.judgeAll('debate');
  const { entries, open } = await bench.queue();
  assert.equal(open, 5);
  assert.ok(entries.every(({ reason }) => reason === 'escalated'));
  const again = await bench.ask('reviewAdd', { from: 'query', ...judgingTask('debate'), slots });
  assert.equal(again.found, 0);
});

test('unjudged pairs of a comparison are those in the top k of any pipeline', async (t) => {
  const bench = await benchFor(t);
  const comparison = await bench.ask('compare', {
    judge: 'labels',
    k: 1,
    datasets: [{ name: 'cats', corpus: 'office', evalSet: 'e.jsonl', queries: [QUERY] }],
    pipelines: [{ name: 'bm25', pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 1 }) }],
  });
  const added = await bench.ask('reviewAdd', { from: 'comparison', id: comparison.id });
  assert.deepEqual(added, { found: 2, added: 2, leftOut: 0 });
  assert.equal(new Set((await bench.queue()).entries.map(({ documentId }) => documentId)).size, 1);
  await assert.rejects(bench.ask('reviewAdd', { from: 'comparison', id: 'gone' }), (error) =>
    ParallaxError.is(error, 'not-found'),
  );
});

test('queries that narrow corrected figures are sampled, and labels carry the probability', async (t) => {
  const bench = await benchFor(t);
  const queries = ['a', 'b', 'c', 'd', 'e'].map((id) => ({
    id,
    text: `${QUERY.text} ${id}`,
    perspectives: QUERY.perspectives.map((each) => ({ ...each, text: `${each.text} ${id}` })),
  }));
  const pipeline = { name: 'bm25', pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 1 }) };
  const compared = (judge: string) =>
    bench.ask('compare', {
      judge,
      k: 1,
      datasets: [{ name: 'cats', corpus: 'office', evalSet: 'e.jsonl', queries }],
      pipelines: [pipeline],
    });
  const { id } = await compared('optimist');
  const everything = await bench.ask('reviewAdd', { from: 'narrowing', id, count: 1000, seed: 1 });
  assert.deepEqual(everything, { found: 10, added: 10, leftOut: 0 }, 'two perspectives of five queries');
  const all = (await bench.queue()).entries;
  assert.ok(all.every(({ reason }) => reason === 'narrowing'));
  const first = all.filter(({ query }) => query.id === all[0]!.query.id);
  assert.deepEqual(first, all.slice(0, 2), 'one query after the other');
  for (const entry of first) await bench.ask('reviewAnswer', { id: entry.id, verdict: 'yes', by: 'ann' });
  assert.deepEqual(
    bench.lines().map((line) => line['chance']),
    [1, 1],
    'all of them were drawn',
  );

  await bench.ask('reviewRemove', { ids: all.map((entry) => entry.id) });
  const added = await bench.ask('reviewAdd', { from: 'narrowing', id, count: 2, seed: 1 });
  assert.deepEqual(added, { found: 4, added: 4, leftOut: 0 });
  const { entries } = await bench.queue();
  assert.ok(
    entries.every(({ query }) => query.id !== first[0]!.query.id),
    'people have decided that one',
  );
  await bench.ask('reviewAnswer', { id: entries[0]!.id, verdict: 'no', by: 'ann' });
  assert.equal(bench.lines().at(-1)!['chance'], 2 / 4);
  assert.equal(bench.lines().at(-1)!['informed'], false);

  const { id: ofPeople } = await compared('labels');
  await assert.rejects(
    bench.ask('reviewAdd', { from: 'narrowing', id: ofPeople, count: 2, seed: 1 }),
    (error) =>
      ParallaxError.is(error, 'bad-argument') && /figures of a judge are corrected/.test(error.message),
  );
});

test('a skipped pair comes last, and one with a changed text leaves with a message', async (t) => {
  const bench = await benchFor(t);
  await bench.judgeAll('debate');
  const [first, second] = (await bench.queue()).entries;
  await bench.ask('reviewSkip', { id: first!.id });
  const { entries } = await bench.queue();
  assert.deepEqual(
    [entries[0]!.id, entries.at(-1)!.id, entries.at(-1)!.skipped],
    [second!.id, first!.id, true],
  );

  bench.write(second!.documentId, 'Something else entirely.');
  await bench.ask('index', { corpus: 'office', rebuild: false });
  await assert.rejects(
    bench.ask('reviewItem', { id: second!.id }),
    (error) => ParallaxError.is(error, 'not-found') && error.message.includes(second!.documentId),
  );
  assert.ok((await bench.queue()).entries.every(({ id }) => id !== second!.id));
  await assert.rejects(bench.ask('reviewItem', { id: 'nobody' }), (error) =>
    ParallaxError.is(error, 'not-found'),
  );
});

test('another support standard is another question', async (t) => {
  const bench = await benchFor(t, { strict: { type: 'debate', agents: 'agent', standard: 'strict' } });
  await bench.judgeAll('debate');
  await bench.judgeAll('strict');
  assert.equal((await bench.queue()).open, 12);
  for (const { id, documentId, perspective } of (await bench.queue()).entries) {
    const { standard } = await bench.ask('reviewItem', { id });
    if (documentId === 'docs/calm.md' && perspective.id === 'p1' && standard.id === 'strict-1')
      await bench.ask('reviewAnswer', { id, verdict: 'no', by: 'ann' });
  }
  const [calm] = await bench.slots();
  const said = async (judge: string): Promise<string | undefined> => {
    const { pairs } = await bench.ask('judgements', { ...judgingTask(judge), slots: [calm!] });
    const pair = pairs.find(({ perspectiveId }) => perspectiveId === 'p1');
    return pair && `${pair.judgement.source} ${pair.judgement.verdict} ${pair.judgement.standard}`;
  };
  assert.equal(await said('strict'), 'human no strict-1');
  assert.equal(await said('debate'), 'debate unsure berds-1');
  assert.equal(await said('labels'), 'human no strict-1');
});

test('agreement of people, with base rates, differences, and the effect of the arguments', async (t) => {
  const bench = await benchFor(t);
  const slots = await bench.slots();
  const say = (by: string, slot: number, perspective: number, verdict: 'yes' | 'no'): Promise<unknown> =>
    bench.ask('label', {
      corpus: 'office',
      slot: slots[slot]!,
      query: QUERY,
      perspective: QUERY.perspectives[perspective]!,
      verdict,
      by,
    });
  for (const [slot, perspective, ann, bob] of [
    [0, 0, 'yes', 'yes'],
    [0, 1, 'no', 'no'],
    [1, 1, 'yes', 'no'],
    [2, 0, 'no', 'no'],
  ] as const) {
    await say('ann', slot, perspective, ann);
    await say('bob', slot, perspective, bob);
  }
  const { people, pairs, all, divided, byCondition } = await bench.ask('labelAgreement', {});
  assert.deepEqual(people, [
    { name: 'ann', labels: 4 },
    { name: 'bob', labels: 4 },
  ]);
  const [pair] = pairs;
  // Observed 3/4; expected ½·¼ + ½·¾ = ½.
  assert.deepEqual([pair?.items, pair?.observed, pair?.kappa], [4, 0.75, 0.5]);
  assert.deepEqual(pair?.shares, [
    { yes: 0.5, no: 0.5 },
    { yes: 0.25, no: 0.75 },
  ]);
  assert.deepEqual(all.shares, { yes: 0.375, no: 0.625 });
  assert.deepEqual(
    divided.map(({ document, said }) => [document, said.length]),
    [['docs/printer.md', 2]],
  );
  assert.deepEqual(
    byCondition.map(({ informed, agreement }) => [informed, agreement.items]),
    [[false, 4]],
  );
  assert.equal(readFileSync(bench.labelsFile, 'utf8').split('\n').length, 9);
});

test('a judge with unreadable answers hides no pairs that wait for people', async (t) => {
  const bench = await benchFor(t, { nli: { type: 'nli', path: 'models/tiny', calibration: 'gone.json' } });
  await writeTinyNli(path.join(bench.folder, 'models/tiny'));
  await bench.judgeAll('debate');
  assert.equal((await bench.queue()).open, 6);
  const { id } = (await bench.queue()).entries[0]!;
  assert.equal((await bench.ask('reviewItem', { id })).opinions.length, 1);
});
