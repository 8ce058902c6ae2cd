/** Several concurrent questions to a store, and a busy store. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from './support.ts';

interface Busy {
  readonly status: number;
  readonly after?: string;
}

interface Server {
  readonly url: string;
  /** The maximum number of concurrent questions since the last call. */
  readonly most: () => number;
  readonly asked: () => number;
}

/**
 * A slow OpenSearch that is busy for those questions for which `busy` returns an answer. @param together it answers
 * none before it has received this many concurrent questions
 */
async function opensearch(
  t: TestContext,
  busy: (asked: number) => Busy | undefined,
  together?: number,
): Promise<Server> {
  const complete = Promise.withResolvers<true>();
  let [running, most, asked] = [0, 0, 0];
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    const answer = async (): Promise<void> => {
      const turned = busy(asked++);
      most = Math.max(most, ++running);
      waiting.add(response);
      if (running === together) complete.resolve(true);
      await (together === undefined ? delay(20) : complete.promise);
      running--;
      waiting.delete(response);
      if (turned) {
        const after = turned.after === undefined ? {} : { 'retry-after': turned.after };
        response.writeHead(turned.status, after).end('{"error": {"reason": "too much to do"}}');
        return;
      }
      const [word] = /word\d+/u.exec(body) ?? ['?'];
      const hit = { _id: word, _score: 1, _source: { text: `About ${word}.` } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ hits: { hits: [hit] } }));
    };
    request.on('end', () => void answer());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const since = (): number => {
    const seen = most;
    most = running;
    return seen;
  };
  return { url: `http://127.0.0.1:${port}`, most: since, asked: () => asked };
}

const WORDS = ['word1', 'word2', 'word3', 'word4', 'word5', 'word6'];

/** Asks all questions at once. Returns the id of the first passage of each. */
async function ask(
  t: TestContext,
  { url }: Server,
  extra: object = {},
  signal?: AbortSignal,
): Promise<unknown[]> {
  const store = openStore(t, { type: 'opensearch', url, index: 'kb', ...extra });
  const found = await Promise.all(WORDS.map((text) => store.search({ text }, 3, signal)));
  return found.map(([first]) => first?.id);
}

describe('a store with several concurrent questions', () => {
  it('answers each with its passages', async (t) => {
    const server = await opensearch(t, () => undefined, WORDS.length);
    assert.deepEqual(await ask(t, server), WORDS);
  });

  for (const status of [429, 503])
    it(`is retried after its delay, one question at a time, after ${status}`, async (t) => {
      const server = await opensearch(t, (asked) => (asked < 6 ? { status, after: '0.1' } : undefined));
      const store = openStore(t, { type: 'opensearch', url: server.url, index: 'kb' });
      const search = (): Promise<unknown[]> =>
        Promise.all(WORDS.map((text) => store.search({ text }, 3).then(([first]) => first?.id)));
      assert.deepEqual(await search(), WORDS);
      server.most();
      assert.deepEqual(await search(), WORDS);
      assert.equal(server.most(), 1);
    });

  it('is retried as often as it sets a delay, and otherwise a limited number of times', async (t) => {
    const patient = await opensearch(t, (asked) => (asked < 24 ? { status: 429, after: '0' } : undefined));
    assert.deepEqual(await ask(t, patient), WORDS);
    const silent = await opensearch(t, () => ({ status: 429 }));
    await assert.rejects(ask(t, silent), {
      id: 'retriever-failed',
      message: /answered 429: too much to do\.$/,
    });
  });

  it('is not waited for longer than the timeout of a question', async (t) => {
    const server = await opensearch(t, () => ({ status: 503, after: '3600' }));
    await assert.rejects(ask(t, server, { timeoutMs: 5000 }), {
      id: 'retriever-failed',
      message: /is overloaded and asks to wait 3600 s\.$/,
    });
  });

  it('is given up for all waiting questions at once', async (t) => {
    const server = await opensearch(t, () => ({ status: 429, after: '20' }));
    const stop = new AbortController();
    const asked = ask(t, server, {}, stop.signal);
    asked.catch(() => undefined);
    while (server.asked() < WORDS.length) await delay(5);
    await delay(50);
    stop.abort();
    await assert.rejects(asked, { id: 'cancelled' });
    assert.equal(server.asked(), WORDS.length);
  });
});
