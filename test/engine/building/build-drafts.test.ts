/** Drafts from a corpus, from questions and from logs, by a scripted model over real HTTP. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParallaxError } from '../../../src/core/errors.ts';
import { HOSTILE_PASSAGES } from '../../fixtures/hostile-passages.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { benchFor, type Bench, type Kind } from './support.ts';

const CORPUS = { from: 'corpus', corpus: 'town' } as const;
const questionsIn = (file: string, more: object = {}) =>
  ({ from: 'questions', file, form: 'negation', filter: true, ...more }) as const;

const LIST = ['Should trams run at night?', 'Have you ever taken a tram?', 'Are buses better?', ''].join(
  '\n',
);
const count = (asked: readonly Kind[], kind: Kind): number => asked.filter((each) => each === kind).length;

test('from a corpus: contradicting passages become a question, two sides, and a passage for each', async (t) => {
  const bench = await benchFor(t);
  const report = await bench.build(CORPUS);
  assert.deepEqual([report.end, report.proposed, report.failed], ['exhausted', 3, 0]);
  const drafts = [...bench.drafts()].sort((a, b) => a.text.localeCompare(b.text));
  assert.deepEqual(
    drafts.map(({ text }) => text),
    ['Is topica good?', 'Is topicb good?', 'Is topicc good?'],
  );
  const [draft] = drafts;
  assert.equal(draft!.review, 'proposed');
  assert.deepEqual(
    draft!.perspectives.map(({ id, text, stance }) => [id, text, stance]),
    [
      ['p1', 'Yes, topica is good.', 'support'],
      ['p2', 'No, topica is bad.', 'oppose'],
    ],
  );
  assert.deepEqual(
    draft!.passages.map(({ document, supports }) => [document, supports]),
    [
      ['docs/topica-for.md', ['p1']],
      ['docs/topica-against.md', ['p2']],
    ],
  );
  assert.equal(draft!.made.reason, 'About topica.');
  assert.deepEqual(draft!.made.prompts, ['disagreement-1']);
  assert.equal(
    new Set(bench.server.chatRequests.map(({ body }) => JSON.stringify(body))).size,
    report.requests,
  );
});

test('each passage is on its side, whichever of the two was drawn first', async (t) => {
  const topics = ['topica', 'topicb', 'topicc', 'topicd', 'topice', 'topicf'];
  const drawnFirst = new Set<string>();
  const bench = await benchFor(t, {
    topics,
    script: ({ texts }) => {
      drawnFirst.add(texts['first']!.includes('praised') ? 'praise' : 'scorn');
      return undefined;
    },
  });
  await bench.build(CORPUS);
  assert.equal(drawnFirst.size, 2);
  assert.equal(bench.drafts().length, 6);
  for (const { passages } of bench.drafts())
    for (const { document, supports } of passages)
      assert.deepEqual(supports, [document.endsWith('-for.md') ? 'p1' : 'p2'], document);
});

test('near-duplicate texts are never paired', async (t) => {
  const bench = await benchFor(t, { topics: ['topica'] });
  const letter = readFileSync(path.join(bench.folder, 'docs/topica-for.md'), 'utf8');
  bench.write('docs/copy.md', letter.replace('this letter', 'that letter'));
  await bench.ask('index', { corpus: 'town', rebuild: false });
  await bench.build(CORPUS);
  const pairs = bench.server.chatRequests.map(({ messages }) => readFenced(messages).texts);
  assert.ok(pairs.length > 0);
  assert.ok(pairs.every(({ first, second }) => first!.includes('cursed') !== second!.includes('cursed')));
});

test('several concurrent questions never make more drafts than wanted', async (t) => {
  const bench = await benchFor(t, { script: () => sleep(20, undefined) });
  const file = bench.write('list.txt', Array.from({ length: 9 }, (_, i) => `Is number ${i} odd?`).join('\n'));
  const report = await bench.build(questionsIn(file), { count: 3 });
  assert.deepEqual([report.end, bench.drafts().length, report.requests], ['enough', 3, 6]);
  assert.equal(bench.server.maxConcurrent, 2);
});

test('no pair is asked about twice, in any order', async (t) => {
  const bench = await benchFor(t);
  await bench.build(CORPUS);
  const pairs = bench.server.chatRequests.map(({ messages }) =>
    [...messages[1]!.content.matchAll(/topic[abc]\S* is (?:praised|cursed)/g)].map(String).sort().join(),
  );
  assert.equal(new Set(pairs).size, pairs.length);
});

test('waiting drafts count towards the wanted number, and reviewing makes room', async (t) => {
  const bench = await benchFor(t);
  assert.equal((await bench.build(CORPUS, { count: 1 })).end, 'enough');
  assert.equal(bench.drafts().length, 1);
  const requests = bench.server.requests.length;
  assert.deepEqual((await bench.build(CORPUS, { count: 1 })).requests, 0);
  assert.equal(bench.server.requests.length, requests);
  const rejected = readFileSync(bench.draftsFile, 'utf8').replace(
    '"proposed"',
    '"rejected","because":"dull"',
  );
  writeFileSync(bench.draftsFile, rejected);
  const report = await bench.build(CORPUS, { count: 1 });
  assert.deepEqual([report.end, report.proposed, report.waiting], ['enough', 1, 1]);
  const [first, second, ...more] = bench.drafts();
  assert.deepEqual(
    [first!.review, first!.because, second!.review, more],
    ['rejected', 'dull', 'proposed', []],
  );
  assert.notEqual(first!.id, second!.id);
});

test('rejected drafts are not proposed again, nor paraphrases, nor drafts reworded by people', async (t) => {
  const bench = await benchFor(t, { topics: ['topica'] });
  await bench.build(CORPUS);
  const [draft] = bench.drafts();
  writeFileSync(
    bench.draftsFile,
    `${JSON.stringify({ ...draft, review: 'rejected', because: 'x', text: 'Are cats?' })}\n`,
  );
  const file = bench.write('list.txt', 'is TOPICA good\nare cats\nAre dogs?\n');
  const report = await bench.build(questionsIn(file));
  assert.deepEqual([report.known, report.proposed], [2, 1]);
  assert.deepEqual((await bench.build(CORPUS)).known, 1);
  assert.equal(bench.drafts().length, 2);
});

test('a judge that does not find a passage on each side prevents a draft', async (t) => {
  const agrees = await benchFor(t);
  assert.equal((await agrees.build(CORPUS, { judge: 'judge' })).proposed, 3);
  assert.equal(agrees.drafts()[0]!.made.judge, 'judge');
  const doubts = await benchFor(t, {
    script: ({ kind }) => (kind === 'judgement' ? { text: '{"verdict":"unsure"}' } : undefined),
  });
  const report = await doubts.build(CORPUS, { judge: 'judge' });
  assert.equal(report.proposed, 0);
  assert.equal(report.leftOut['The judge does not find one passage on each side.'], 3);
  assert.deepEqual(doubts.drafts(), []);
});

test('questions: personal ones are filtered with a reason, the others get both sides', async (t) => {
  const bench = await benchFor(t);
  const report = await bench.build(questionsIn(bench.write('list.txt', LIST)));
  assert.deepEqual([report.end, report.proposed, report.filtered], ['exhausted', 2, 1]);
  const filtered = bench.drafts().find(({ review }) => review === 'filtered')!;
  assert.deepEqual(
    [filtered.text, filtered.because, filtered.made.line],
    ['Have you ever taken a tram?', 'Personal experience. Scripted.', 2],
  );
  const trams = bench.drafts().find(({ text }) => text.includes('night'))!;
  assert.deepEqual(
    trams.perspectives.map(({ text, stance }) => [text, stance]),
    [
      ['It is so: Should trams run at night?', 'support'],
      ['It is not so: Should trams run at night?', 'oppose'],
    ],
  );
  assert.deepEqual(trams.made.prompts, ['personal-1', 'negation-1']);
  assert.equal(report.requests, 5);
  const again = await bench.build(questionsIn(bench.write('list.txt', LIST)));
  assert.deepEqual([again.known, again.requests], [3, 0]);
});

test('other forms of perspectives, and no filter', async (t) => {
  const bench = await benchFor(t);
  const file = bench.write('list.txt', 'Which tram is best?');
  const none = await bench.build(questionsIn(file, { filter: false }));
  assert.deepEqual(none.leftOut, { 'It cannot be affirmed or denied. It asks which.': 1 });
  const report = await bench.build(questionsIn(file, { filter: false, form: 'stances' }));
  assert.equal(report.requests, 2);
  assert.deepEqual(
    bench.drafts()[0]!.perspectives.map(({ id, stance }) => [id, stance]),
    [
      ['p1', 'support'],
      ['p2', 'oppose'],
      ['p3', undefined],
    ],
  );
  writeFileSync(bench.draftsFile, '');
  const answers = await bench.build(questionsIn(file, { filter: false, form: 'answers' }));
  assert.equal(answers.requests, 0, 'the same prompt was paid for already');
  assert.deepEqual(
    bench.drafts()[0]!.perspectives.map(({ stance }) => stance),
    [undefined, undefined, undefined],
  );
});

test('with a corpus the model sees retrieved passages, and drafts name their sources', async (t) => {
  const bench = await benchFor(t);
  const file = bench.write('list.txt', 'What of topicb?');
  const report = await bench.build(questionsIn(file, { filter: false, form: 'answers', corpus: 'town' }));
  assert.equal(report.requests, 1);
  const [draft] = bench.drafts();
  assert.deepEqual(draft!.made.prompts, ['suggest-1']);
  const [scorn, other] = draft!.perspectives;
  assert.equal(scorn!.text, 'Against: What of topicb?');
  assert.ok(scorn!.from!.length > 0);
  assert.deepEqual(other!.from, [], 'it was expected, and not found');
  assert.deepEqual(draft!.passages, [], 'nothing is labelled by silence');
});

test('a root query: exclusive perspectives, with gold that supports exactly one', async (t) => {
  const bench = await benchFor(t);
  const file = bench.write('list.txt', 'What of topicb?\nWhat of nothing?\n');
  const material = questionsIn(file, { filter: false, form: 'contrast', corpus: 'town' });
  const report = await bench.build(material, { judge: 'judge', requests: 1000 });
  assert.deepEqual(report.leftOut, {
    'Fewer than two perspectives have a passage that supports no other one.': 1,
  });
  const [draft, ...more] = bench.drafts();
  assert.deepEqual(more, []);
  assert.deepEqual(
    draft!.perspectives.map(({ id, text }) => [id, text]),
    [
      ['p1', 'topicb is praised'],
      ['p2', 'topicb is cursed'],
    ],
  );
  assert.deepEqual(
    Object.fromEntries(draft!.passages.map(({ document, supports }) => [document, supports])),
    { 'docs/topicb-for.md': ['p1'], 'docs/topicb-against.md': ['p2'] },
  );
  await assert.rejects(bench.build(material), /need a corpus and a judge/);
});

test('a log: frequent questions come first, from a field of records', async (t) => {
  const bench = await benchFor(t);
  const lines = ['Are buses better?', 'Are cats fun?', 'are CATS fun', 'Is rain wet?'].map((q, i) =>
    JSON.stringify({ user: i, request: { q } }),
  );
  const file = bench.write('log.jsonl', `${lines.join('\n')}\n{"user":9}\nbroken\n`);
  const material = { from: 'log', file, field: 'request.q', form: 'negation', filter: false } as const;
  const effort = await bench.ask('buildEffort', {
    material,
    generator: 'writer',
    count: 2,
    drafts: bench.draftsFile,
  });
  assert.deepEqual(effort.questions, { read: 4, distinct: 3, known: 0 });
  assert.deepEqual([effort.wanted, effort.requests, effort.badLines], [2, { least: 2, most: 2 }, 2]);
  assert.match(effort.problems[0]!, /Line 5: no text in the field "request\.q"/);
  assert.match(effort.problems[1]!, /Line 6: not valid JSON/);
  await bench.build(material, { count: 1 });
  const [draft] = bench.drafts();
  assert.deepEqual([draft!.text, draft!.made.times, draft!.made.line], ['Are cats fun?', 2, 2]);
});

test('garbage is requested again once and then skipped, and the rest continues', async (t) => {
  let garbage = 0;
  let mended = false;
  const bench = await benchFor(t, {
    script: ({ kind, texts, request }) => {
      if (kind !== 'negation' || mended) return undefined;
      if (texts['question']!.includes('buses')) return (garbage++, { text: '{"yes": "They' });
      if (texts['question']!.includes('cats')) return { refusal: 'I cannot help with that.' };
      const isSecond = request.messages[1]!.content.includes('could not be read');
      return texts['question']!.includes('night') && !isSecond ? { text: 'Sure! Both.' } : undefined;
    },
  });
  const file = bench.write('list.txt', `${LIST}Are cats fun?\nAre dogs fun?\nIs rain wet?\n`);
  const report = await bench.build(questionsIn(file, { filter: false }));
  assert.deepEqual([report.end, report.failed, report.proposed], ['exhausted', 2, 4]);
  assert.equal(garbage, 2);
  assert.match(report.problems[0]!, /^"Are buses better\?": writer at .* gave no answer that can be used\./);
  assert.match(report.problems[1]!, /^"Are cats fun\?": .*/);
  mended = true;
  const again = await bench.build(questionsIn(file, { filter: false }));
  assert.deepEqual([again.failed, again.proposed, again.requests], [0, 2, 2], 'a useless reply is no answer');
});

test('a failing endpoint is not asked forever, and failed requests are repeated', async (t) => {
  let down = true;
  const bench = await benchFor(t, { script: () => (down ? { fault: 'rate-limit' } : undefined) });
  const file = bench.write(
    'list.txt',
    Array.from({ length: 12 }, (_, i) => `Is number ${i} odd?`).join('\n'),
  );
  const report = await bench.build(questionsIn(file, { filter: false }));
  assert.equal(report.end, 'failed');
  assert.ok(report.failed >= 3 && report.failed <= 4, String(report.failed));
  assert.equal(report.requests, bench.server.requests.length);
  assert.match(report.problems[0]!, /"Is number 0 odd\?"/);
  down = false;
  const again = await bench.build(questionsIn(file, { filter: false }));
  assert.deepEqual([again.end, again.proposed, again.requests], ['exhausted', 12, 12]);
});

test('a missing model ends building at once, with the reason', async (t) => {
  const bench = await benchFor(t, {
    script: () => ({ fault: 'status', status: 404, message: 'no such model' }),
  });
  const report = await bench.build(CORPUS);
  assert.deepEqual([report.end, report.proposed], ['failed', 0]);
  assert.ok(report.requests <= 2);
  assert.equal(report.problems.length, report.failed);
});

test('the budget is never exceeded; with more budget the same command continues', async (t) => {
  const bench = await benchFor(t);
  const file = bench.write('list.txt', Array.from({ length: 8 }, (_, i) => `Is number ${i} odd?`).join('\n'));
  const ends: string[] = [];
  for (let run = 0; run < 8 && ends.at(-1) !== 'exhausted'; run++) {
    const before = bench.server.requests.length;
    const report = await bench.build(questionsIn(file), { requests: 3 });
    ends.push(report.end);
    assert.ok(report.requests <= 3);
    assert.equal(bench.server.requests.length - before, report.requests);
  }
  assert.equal(ends.at(-1), 'exhausted');
  assert.equal(bench.drafts().length, 8);
  assert.equal(bench.server.requests.length, 16, 'one for the filter and one for the statements of each');
  assert.ok(bench.server.requests.every(({ attempt }) => attempt === 1));
});

test('the budget covers the judge too', async (t) => {
  const bench = await benchFor(t);
  const report = await bench.build(CORPUS, { judge: 'judge', requests: 4 });
  assert.equal(report.end, 'budget');
  assert.ok(bench.server.requests.length <= 4, String(bench.server.requests.length));
  const rest = await bench.build(CORPUS, { judge: 'judge', requests: 100 });
  assert.deepEqual([rest.end, bench.drafts().length], ['exhausted', 3]);
  assert.ok(bench.server.requests.every(({ attempt }) => attempt === 1));
});

test('after cancelling, another engine continues without paying again', async (t) => {
  const controller = new AbortController();
  const bench: Bench = await benchFor(t, {
    script: () => {
      if (bench.asked.length === 7) controller.abort();
      return undefined;
    },
  });
  const file = bench.write(
    'list.txt',
    Array.from({ length: 10 }, (_, i) => `Is number ${i} odd?`).join('\n'),
  );
  const stopped = await bench.build(questionsIn(file), {}, controller.signal);
  assert.equal(stopped.end, 'cancelled');
  const done = bench.drafts().length;
  assert.ok(done > 0 && done < 10, String(done));
  await bench.restart();
  const resumed = await bench.build(questionsIn(file));
  assert.deepEqual([resumed.end, resumed.known, bench.drafts().length], ['exhausted', done, 10]);
  // At most the requests in flight at the moment of cancelling were sent again.
  assert.ok(bench.server.requests.length <= 20 + 2, String(bench.server.requests.length));
  assert.equal(count(bench.asked, 'negation') + count(bench.asked, 'personal'), bench.server.requests.length);
});

test('a half-written draft is reported, and rebuilt from stored replies', async (t) => {
  const bench = await benchFor(t);
  const file = bench.write('list.txt', LIST);
  await bench.build(questionsIn(file));
  const lines = readFileSync(bench.draftsFile, 'utf8').trimEnd().split('\n');
  writeFileSync(bench.draftsFile, `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.slice(0, 40)}`);
  const report = await bench.build(questionsIn(file));
  assert.equal(report.requests, 0);
  assert.equal(bench.drafts().length, 3);
});

test('hostile passages: prompts keep their structure, and passages create no draft', async (t) => {
  const bench = await benchFor(t, {
    topics: [],
    script: ({ kind, texts }) =>
      kind === 'disagreement' ? { text: `${texts['first']} ${texts['second']}` } : undefined,
  });
  for (const { name, text } of HOSTILE_PASSAGES)
    bench.write(
      `docs/${name.replaceAll('/', '-')}.txt`,
      `The baker says this of the town hall and of its clock tower today: ${text.slice(0, 300)}`,
    );
  await bench.ask('index', { corpus: 'town', rebuild: false });
  const report = await bench.build(CORPUS, { count: 100 });
  assert.equal(report.end, 'exhausted');
  assert.ok(report.failed > 40, String(report.failed));
  assert.deepEqual(bench.drafts(), []);
});

test('progress counts the waiting drafts', async (t) => {
  const bench = await benchFor(t);
  await bench.build(CORPUS, { count: 2 });
  const done = bench.progress.flatMap((note) => (note.type === 'progress' ? [note.progress] : []));
  const own = done.filter(({ detail }) => detail?.endsWith('requests'));
  assert.deepEqual([own[0]!.done, own.at(-1)!.done, own.at(-1)!.total], [0, 2, 2]);
});

test('another file in place of the drafts is not changed', async (t) => {
  const bench = await benchFor(t);
  const other = bench.write('eval.jsonl', '{"_id":"q1","text":"Why?"}\n');
  await assert.rejects(bench.build(CORPUS, { drafts: other }), (error) =>
    ParallaxError.is(error, 'bad-file'),
  );
  assert.equal(readFileSync(other, 'utf8'), '{"_id":"q1","text":"Why?"}\n');
  assert.equal(bench.server.requests.length, 0);
});

test('drafts without a final newline stay separate from appended ones', async (t) => {
  const bench = await benchFor(t);
  await bench.build(CORPUS, { count: 1 });
  writeFileSync(bench.draftsFile, readFileSync(bench.draftsFile, 'utf8').trimEnd());
  await bench.build(CORPUS, { count: 2 });
  assert.equal(bench.drafts().length, 2);
  appendFileSync(bench.draftsFile, '<<<<<<< merge\n');
  await bench.build(CORPUS, { count: 3 });
  assert.equal(bench.drafts().length, 3);
});
