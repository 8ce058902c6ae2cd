/** Hostile or killed programs at the port of a run: the run and the engine continue. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '../../../bench/support/random.ts';
import { LiveConnections } from '../../../src/features/live/engine/live-connections.ts';
import { begun, connected, hello, lineOf, RETRIEVAL } from './support.ts';

const ASKED = { unit: 'call', question: 'Q', limitMs: 60_000 } as const;
const result = (value: string): string =>
  `${JSON.stringify({ ...RETRIEVAL, id: '7-2', result: 0 }).replace('"result":0', () => `"result":${value}`)}\n`;

for (const [what, line, said] of [
  ['is nested without end', result('['.repeat(500_000) + ']'.repeat(500_000)), /nested too deep/u],
  ['has parts without end', result(`[${'[],'.repeat(300_000)}0]`), /too many parts/u],
  ['has an id without end', lineOf({ ...RETRIEVAL, id: 'x'.repeat(5000) }), /cannot read/u],
  ['has a time that no date has', lineOf({ ...RETRIEVAL, startedAt: 1e20 }), /cannot read/u],
  ['has no proper Unicode', Buffer.from('{"type":"\xff\xfe\x00"}\n', 'latin1'), /cannot read|not JSON/u],
] as const)
  test(`a value that ${what} is refused in a sentence, and later ones are read`, async (t) => {
    const { plan, event, events } = await begun(t);
    const socket = await connected(t, plan);
    socket.write(line);
    socket.write(lineOf(RETRIEVAL));
    assert.equal((await event('retrieval')).id, '7-1');
    assert.match((await event('unreadable')).message, said);
    assert.equal(events.filter(({ type }) => type === 'retrieval').length, 1);
  });

test('endless JSON within a text is ignored', async (t) => {
  const { plan, event, events } = await begun(t);
  const socket = await connected(t, plan);
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  socket.write(lineOf({ ...RETRIEVAL, id: '7-0', result: deep }));
  socket.write(
    lineOf({ ...RETRIEVAL, result: [{ text: 'Cats purr.', id: 'a', metadata: `{"a":${deep}}` }] }),
  );
  socket.end();
  await event('process-ended');
  assert.deepEqual(
    events.flatMap((each) => (each.type === 'retrieval' ? [each.passages.map(({ text }) => text)] : [])),
    [[], ['Cats purr.']],
  );
});

test('a program may answer only its requests', async (t) => {
  const { plan, event, events } = await begun(t);
  const socket = await connected(t, plan);
  const answer = { type: 'answer', durationMs: 1, k: 1, unit: 'call', result: ['Yes.'] } as const;
  for (const site of ['constructor', '__proto__', 'other.py##search#0'])
    socket.write(lineOf({ ...RETRIEVAL, id: site, site }));
  socket.write(lineOf({ type: 'instrumented', file: '/elsewhere/other.py', calls: 1 }));
  socket.write(lineOf({ ...answer, request: 'q2' }));
  socket.write(lineOf({ ...answer, request: 'q1' }));
  await event('answer');
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ready', 'process', 'answer'],
  );
});

test('an answer that is not read as passages has none', async (t) => {
  const { run, plan, event } = await begun(t);
  const socket = await connected(t, plan);
  const answer = { type: 'answer', durationMs: 1, k: 1, unit: 'call', result: [3, 4] } as const;
  socket.write(lineOf({ ...answer, request: 'q1' }));
  assert.equal((await event('failed-answer')).reason, 'no-passages');
  socket.write(lineOf(RETRIEVAL));
  await event('retrieval');
  const asked = run.ask({ ...ASKED, retrieval: '7-1' }, new AbortController().signal);
  const [line] = (await once(socket, 'data')) as [Buffer];
  socket.write(lineOf({ ...answer, request: (JSON.parse(line.toString()) as { request: string }).request }));
  await assert.rejects(asked, { id: 'retriever-failed', message: /could not be read as passages/u });
});

test('an exception of a listener ends neither the connection nor the engine', async (t) => {
  const heard: string[] = [];
  const unreadable = Promise.withResolvers<string>();
  const connections = await LiveConnections.open({
    token: 'a token of the run',
    unreadable: unreadable.resolve,
    begun: () => ({
      heard: ({ type }) => {
        heard.push(type);
        throw new RangeError('Maximum call stack size exceeded');
      },
      ended: () => undefined,
    }),
  });
  t.after(() => connections.close(0));
  await connected(t, { port: connections.port, token: 'a token of the run' }).then((socket) =>
    socket.write(lineOf(RETRIEVAL)),
  );
  assert.match(await unreadable.promise, /call stack/u);
  assert.deepEqual(heard, ['retrieval']);
});

test('a program that sends only invalid messages is disconnected', async (t) => {
  const { plan, events, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write('no json\n'.repeat(5000));
  await event('process-ended');
  const unreadable = events.filter(({ type }) => type === 'unreadable');
  assert.equal(unreadable.length, 21);
});

test('an endless line is cut: early without a token, at its limit for a program', async (t) => {
  const { plan, event, events } = await begun(t);
  const stranger = connect({ host: '127.0.0.1', port: plan.port });
  stranger.on('error', () => undefined).write('x'.repeat(300_000));
  await new Promise((resolve) => void stranger.once('close', resolve));
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ready'],
  );
  const socket = await connected(t, plan);
  socket.on('error', () => undefined);
  const part = Buffer.alloc(2 ** 20, 'x');
  for (let sent = 0; sent < 34 && !socket.destroyed; sent++) socket.write(part);
  await event('process-ended');
  assert.match((await event('unreadable')).message, /too long/u);
});

test('a connection that sends slowly has ten seconds to show the token', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { plan, events } = await begun(t);
  const socket = connect({ host: '127.0.0.1', port: plan.port });
  const closed = once(
    socket.on('error', () => undefined),
    'close',
  );
  await once(socket, 'connect');
  const line = lineOf(hello(plan.token));
  for (let second = 0; second < 10; second++) {
    assert.equal(socket.destroyed, false);
    await new Promise<void>((resolve) => void socket.write(line[second]!, () => resolve()));
    // Another connection is served, so the letter has arrived.
    const stranger = connect({ host: '127.0.0.1', port: plan.port });
    stranger.on('error', () => undefined).end('no token\n');
    await once(stranger, 'close');
    t.mock.timers.tick(1000);
  }
  await closed;
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ready'],
  );
});

test('connections without the token take no place from programs', async (t) => {
  const { plan, event, events } = await begun(t);
  const first = await connected(t, plan);
  await event('process');
  const strangers = await Promise.all(
    Array.from({ length: 600 }, async () => {
      const socket = connect({ host: '127.0.0.1', port: plan.port });
      t.after(() => socket.destroy());
      await once(
        socket.on('error', () => undefined),
        'connect',
      );
      return socket;
    }),
  );
  const second = await connected(t, plan);
  second.write(lineOf({ ...RETRIEVAL, id: '8-1' }));
  await event('retrieval');
  assert.equal(events.filter(({ type }) => type === 'process').length, 2);
  assert.equal(first.destroyed, false);
  assert.equal(strangers.length, 600);
});

test('a process that finds no place is reported', async (t) => {
  const { plan, event, events } = await begun(t);
  const processes = (): number => events.filter(({ type }) => type === 'process').length;
  for (let count = 1; count <= 513; count++) {
    (await connected(t, plan)).on('error', () => undefined);
    while (processes() < Math.min(count, 512)) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.match((await event('unreadable')).message, /More than 512 processes run at once/u);
  assert.equal(processes(), 512);
});

test('a program that is killed during a question fails the question at once', async (t) => {
  const { run, plan, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write(lineOf(RETRIEVAL));
  await event('retrieval');
  const asked = run.ask({ ...ASKED, retrieval: '7-1' }, new AbortController().signal);
  await once(socket, 'data');
  socket.resetAndDestroy();
  await assert.rejects(asked, { id: 'retriever-failed' });
});

test('a question is answered only by the program that was asked', async (t) => {
  const { run, plan, event } = await begun(t);
  const honest = await connected(t, plan);
  honest.write(lineOf(RETRIEVAL));
  await event('retrieval');
  const other = await connected(t, plan);
  const asked = run.ask({ ...ASKED, retrieval: '7-1' }, new AbortController().signal);
  const [line] = (await once(honest, 'data')) as [Buffer];
  const { request } = JSON.parse(line.toString()) as { readonly request: string };
  const answer = { type: 'answer', request, durationMs: 1, k: 1, unit: 'call' } as const;
  other.write(lineOf({ ...answer, result: ['Forged.'] }));
  // The answers are read in order, so the forged one has been read, too.
  other.write(lineOf({ type: 'dropped', site: RETRIEVAL.site, count: 1 }));
  await event('dropped');
  honest.write(lineOf({ ...answer, result: ['Honest.'] }));
  assert.deepEqual((await asked).passages, [{ text: 'Honest.' }]);
});

const DROPPED = lineOf({ type: 'dropped', site: RETRIEVAL.site, count: 1 });
/** A retrieval of 5 MB. */
const large = (id: string): string =>
  lineOf({ ...RETRIEVAL, id, result: Array.from({ length: 50 }, () => 'x'.repeat(100_000)) });

test('bursts of messages are read, one second after the other', async (t) => {
  const { plan, events, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.write(DROPPED.repeat(10_000));
  socket.write(lineOf(RETRIEVAL));
  const begin = performance.now();
  await event('retrieval');
  assert.ok(performance.now() - begin > 1000, 'more than two seconds’ share came at once');
  assert.equal(events.filter(({ type }) => type === 'dropped').length, 10_000);
});

test('programs that send without pause share what is read within a second', async (t) => {
  const { plan, events, event } = await begun(t);
  const floods = [await connected(t, plan), await connected(t, plan)];
  for (const socket of floods) socket.on('error', () => undefined);
  const ids = (): string[] => events.flatMap((each) => (each.type === 'retrieval' ? [each.id] : []));
  for (const [place, socket] of floods.entries())
    for (let sent = 0; sent < 20; sent++) socket.write(large(`${place}-${sent}`));
  await event('retrieval');
  const begin = performance.now();
  const honest = await connected(t, plan);
  honest.write(lineOf({ ...RETRIEVAL, id: 'honest' }));
  honest.write(lineOf({ type: 'measured', site: RETRIEVAL.site }));
  await event('measured');
  const seconds = Math.ceil((performance.now() - begin) / 1000) + 2;
  assert.ok(ids().includes('honest'));
  assert.ok(ids().length < 8 * seconds, `${ids().length} of 41 within ${seconds} s`);
});

test('what has been sent is read at the end of a run, without a limit for each second', async (t) => {
  const { run, plan, events } = await begun(t);
  const socket = await connected(t, plan);
  await new Promise<void>((resolve) => socket.end(DROPPED.repeat(60_000), resolve));
  const begin = performance.now();
  await run.close();
  assert.equal(events.filter(({ type }) => type === 'dropped').length, 60_000);
  assert.ok(performance.now() - begin < 10_000, 'with the limit it takes at least 15 seconds');
});

test('a line that arrives byte by byte is read', async (t) => {
  const { plan, event } = await begun(t);
  const socket = await connected(t, plan);
  socket.setNoDelay(true);
  for (const letter of lineOf(RETRIEVAL))
    await new Promise<void>((resolve) => void socket.write(letter, () => resolve()));
  assert.equal((await event('retrieval')).id, '7-1');
});

for (const [what, left] of [
  ['blank lines', '\n'],
  ['lines that are not JSON', 'x\n'],
] as const)
  test(`a file of ${what} without end is left behind in vain`, async (t) => {
    const { run, plan, events } = await begun(t);
    const file = path.join(plan.spool, '7-0.jsonl');
    await writeFile(file, lineOf(hello(plan.token)));
    // As a list of lines they take more than a gigabyte.
    for (let part = 0; part < 4; part++) await appendFile(file, left.repeat(20_000_000 / left.length));
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    await run.close();
    clearInterval(watch);
    assert.ok(most - before < 300e6, `${Math.round((most - before) / 1e6)} MB`);
    assert.ok(events.filter(({ type }) => type === 'unreadable').length <= 21);
  });

test('random bytes and random lines end at most their connection', async (t) => {
  const { plan, event } = await begun(t);
  const random = seededRandom(20_261_129);
  const int = (below: number): number => Math.floor(random() * below);
  const send = async (socket: Socket, bytes: Buffer): Promise<void> => {
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    socket.resume().end(bytes);
    await closed;
  };
  const lines = [
    hello(plan.token),
    RETRIEVAL,
    { type: 'answer' },
    { type: 'measured', site: 4 },
    [],
    null,
    1,
  ];
  for (let round = 0; round < 200; round++) {
    const noise = Buffer.from(Array.from({ length: int(300) }, () => int(256)));
    const line = Buffer.from(`${JSON.stringify(lines[int(lines.length)])}\n`);
    if (int(3) === 0) line[int(line.length)] = int(256);
    const begin = int(2) === 0 ? Buffer.from(lineOf(hello(plan.token))) : Buffer.alloc(0);
    const socket = connect({ host: '127.0.0.1', port: plan.port });
    await send(socket, Buffer.concat([begin, line, noise]));
  }
  const socket = await connected(t, plan);
  socket.write(lineOf({ ...RETRIEVAL, id: 'the last' }));
  await event('retrieval');
});
