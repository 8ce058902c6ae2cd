import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { begun, connected, hello, lineOf, RETRIEVAL } from './support.ts';

test('a retrieval arrives with its passages, question and k', async (t) => {
  const { plan, event } = await begun(t);
  (await connected(t, plan)).write(lineOf(RETRIEVAL));
  const { passages, question, k, site, units } = await event('retrieval');
  assert.deepEqual(
    { question, k, site, units, texts: passages.map(({ text, about }) => [text, about?.source]) },
    {
      question: 'Do cats purr?',
      k: 4,
      site: 'rag.py##search#0',
      units: [{ unit: 'call', file: 'rag.py', line: 4 }],
      texts: [['Cats purr.', 'a.md']],
    },
  );
});

test('the plan is unreadable for other users, and deleted after the run', async (t) => {
  const { run } = await begun(t);
  assert.equal((await stat(run.plan)).mode & 0o077, 0);
  await run.close();
  await assert.rejects(stat(run.plan));
});

test('a connection without the token is closed, and nothing of it is reported', async (t) => {
  const { plan, events } = await begun(t);
  const socket = connect({ host: '127.0.0.1', port: plan.port });
  socket.write(lineOf(hello('x'.repeat(plan.token.length))));
  socket.write(lineOf(RETRIEVAL));
  await once(socket, 'close');
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ready'],
  );
});

test('an invalid line is reported, and the rest continues', async (t) => {
  const { plan, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write('no json\n{"type":"retrieval"}\n');
  socket.write(lineOf(RETRIEVAL));
  await event('retrieval');
  assert.match((await event('unreadable')).message, /not JSON/u);
});

test('a reset connection ends a process, and not the engine', async (t) => {
  const { plan, event } = await begun(t);
  const socket = await connected(t, plan);
  await event('process');
  socket.resetAndDestroy();
  assert.equal((await event('process-ended')).process, '1');
});

test('a question is sent to the process that retrieved', async (t) => {
  const { run, plan, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write(lineOf(RETRIEVAL));
  await event('retrieval');
  const asked = once(createInterface(socket), 'line');
  const answer = run.ask(
    { retrieval: '7-1', unit: 'call', question: 'Do dogs?', k: 9, limitMs: 1000 },
    new AbortController().signal,
  );
  const message = JSON.parse(String((await asked)[0])) as { request: string };
  assert.partialDeepStrictEqual(message, { type: 'ask', retrieval: '7-1', question: 'Do dogs?', k: 9 });
  socket.write(
    lineOf({
      type: 'answer',
      request: message.request,
      durationMs: 1,
      result: ['Dogs bark.'],
      k: 9,
      unit: 'call',
    }),
  );
  assert.deepEqual(await answer, { passages: [{ text: 'Dogs bark.' }], more: 0, k: 9, durationMs: 1 });
});

test('a question to a program that has ended is refused', async (t) => {
  const { run, plan, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write(lineOf(RETRIEVAL));
  await event('retrieval');
  socket.end();
  await event('process-ended');
  await assert.rejects(
    run.ask({ retrieval: '7-1', unit: 'call', question: 'Q', limitMs: 1000 }, new AbortController().signal),
    { id: 'retriever-failed' },
  );
});

test('a question is cancelled here and in the program', async (t) => {
  const { run, plan, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write(lineOf(RETRIEVAL));
  await event('retrieval');
  const cancelling = new AbortController();
  const lines = createInterface(socket);
  const told: string[] = [];
  const cancelled = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      told.push((JSON.parse(line) as { type: string }).type);
      if (told.length === 1) cancelling.abort();
      if (told.length === 2) resolve();
    });
  });
  await assert.rejects(
    run.ask({ retrieval: '7-1', unit: 'call', question: 'Q', limitMs: 60_000 }, cancelling.signal),
    { id: 'cancelled' },
  );
  await cancelled;
  assert.deepEqual(told, ['ask', 'cancel']);
});

test('files that a process left behind are read once at the end', async (t) => {
  const { run, plan, events, event } = await begun(t);
  (await connected(t, plan)).write(lineOf(RETRIEVAL));
  await event('retrieval');
  const left = [hello(plan.token), RETRIEVAL, { ...RETRIEVAL, id: '7-2' }].map(lineOf).join('');
  await appendFile(path.join(plan.spool, '7-0.jsonl'), left);
  await appendFile(
    path.join(plan.spool, '8-0.jsonl'),
    lineOf(hello('another token of this length')) + lineOf(RETRIEVAL),
  );
  await run.close();
  assert.deepEqual(
    events.flatMap((each) => (each.type === 'retrieval' ? each.id : [])),
    ['7-1', '7-2'],
  );
});
