/** Search providers on loopback that speak their real protocols. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { searchSettingsSchema } from '../../../src/features/web-corpus/core/search.ts';
import { SearchClient, SearchRefused } from '../../../src/features/web-corpus/engine/search-client.ts';
import { status, webFor, type Page, type Web } from './support.ts';

const KEY = 'sk-very-secret';

function clientFor(web: Web, settings: object, apiKey: string | undefined = KEY): SearchClient {
  const search = searchSettingsSchema.parse({ baseUrl: `http://127.0.0.1:${web.port}`, ...settings });
  return new SearchClient({ settings: search, apiKey, timing: web.timing });
}

const json =
  (body: unknown, code = 200, headers: Record<string, string> = {}): Page =>
  (response) =>
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** One answer after the other; the last one again and again. */
function inTurn(...answers: readonly Page[]): Page {
  let next = 0;
  return (response, request) => answers[Math.min(next++, answers.length - 1)]!(response, request);
}

async function refuses(
  searching: Promise<unknown>,
  id: ErrorId,
  message: RegExp,
  { final = false }: { final?: boolean } = {},
): Promise<void> {
  await assert.rejects(searching, (error: unknown) => {
    assert.ok(ParallaxError.is(error, id), String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /very-secret/u);
    assert.equal(error instanceof SearchRefused, final);
    return true;
  });
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text);
}

test('Serper: result pages are requested until there are enough, with the key in its header', async (t) => {
  const bodies: unknown[] = [];
  const web = await webFor(t, {
    '127.0.0.1/search': (response, request) =>
      void bodyOf(request).then((body) => {
        bodies.push(body);
        assert.equal(request.method, 'POST');
        assert.equal(request.headers['x-api-key'], KEY);
        const first = ((body as { page: number }).page - 1) * 9;
        const organic = Array.from({ length: 10 }, (_, i) => ({
          link: `http://a.org/${first + i}`,
          title: 't',
        }));
        json({ organic })(response, request);
      }),
  });
  const hits = await clientFor(web, { provider: 'serper', results: 15 }).search('why?', undefined);
  assert.deepEqual(
    hits.map(({ url }) => url),
    Array.from({ length: 15 }, (_, i) => `http://a.org/${i}`),
  );
  assert.deepEqual(bodies, [
    { q: 'why?', num: 10, page: 1 },
    { q: 'why?', num: 10, page: 2 },
  ]);
});

test('Brave: its token, and at most one request a second', async (t) => {
  const web = await webFor(t, {
    '127.0.0.1/res/v1/web/search': (response, request) => {
      assert.equal(request.headers['x-subscription-token'], KEY);
      const offset = new URL(request.url ?? '', 'http://x').searchParams.get('offset');
      const results = [{ url: `http://a.org/${offset}`, title: '' }];
      json({ type: 'search', web: { results } })(response, request);
    },
  });
  const client = clientFor(web, { provider: 'brave', results: 40 });
  assert.equal((await client.search('why?', undefined)).length, 2);
  assert.deepEqual(web.timing.sleeps, [1100]);
});

test('a page without new results ends the search', async (t) => {
  const web = await webFor(t, {
    '127.0.0.1/search': json({ results: [{ url: 'http://a.org/', title: '' }] }),
  });
  const client = clientFor(web, { provider: 'searxng', results: 100 }, undefined);
  assert.equal((await client.search('why?', undefined)).length, 1);
  assert.equal(web.requests.length, 2);
});

test('a busy provider is asked again after its delay', async (t) => {
  const answer = json({ results: [{ url: 'http://a.org/', title: '' }] });
  const web = await webFor(t, {
    '127.0.0.1/search': inTurn(status(429, { 'retry-after': '7' }), status(502), answer),
  });
  await clientFor(web, { provider: 'searxng', results: 1 }, undefined).search('why?', undefined);
  assert.equal(web.timing.sleeps.length, 2);
  assert.ok(web.timing.sleeps[0]! >= 7000);
});

test('a provider that keeps failing fails only this search', async (t) => {
  const web = await webFor(t, { '127.0.0.1/search': status(500) });
  const searching = clientFor(web, { provider: 'searxng' }, undefined).search('why?', undefined);
  await refuses(searching, 'retriever-failed', /SearXNG answered 500/u);
  assert.equal(web.requests.length, 5);
});

test('a used-up quota is not waited for', async (t) => {
  const used = { 'x-ratelimit-remaining': '0, 0', 'x-ratelimit-reset': '1, 86400' };
  const paused = { 'x-ratelimit-remaining': '0, 14', 'x-ratelimit-reset': '1, 86400' };
  const answer = json({ type: 'search', web: { results: [] } });
  const web = await webFor(t, {
    '127.0.0.1/res/v1/web/search': inTurn(json({}, 429, paused), answer, json({}, 429, used)),
    '127.0.0.1/search': inTurn(json({ message: 'Not enough credits' }, 400), json({ error: 'pay' }, 402)),
  });
  const brave = clientFor(web, { provider: 'brave' });
  assert.deepEqual(await brave.search('why?', undefined), []);
  await refuses(brave.search('why?', undefined), 'retriever-failed', /no more searches for 1440 min/u, {
    final: true,
  });
  const serper = clientFor(web, { provider: 'serper' });
  for (const said of [/Not enough credits/u, /402/u])
    await refuses(serper.search('why?', undefined), 'retriever-failed', said, { final: true });
});

test('a missing key is reported before a request, and a wrong one is not retried', async (t) => {
  const web = await webFor(t, { '127.0.0.1/search': json({ message: `bad key ${KEY}` }, 403) });
  const keyless = new SearchClient({
    settings: searchSettingsSchema.parse({ provider: 'serper' }),
    apiKey: undefined,
  });
  await refuses(keyless.search('why?', undefined), 'model-key', /SERPER_API_KEY/u, { final: true });
  const wrong = clientFor(web, { provider: 'serper' }).search('why?', undefined);
  await refuses(wrong, 'model-key', /does not accept the API key "serper" \(403: .*bad key …/u, {
    final: true,
  });
});

test('an invalid answer of the provider is reported', async (t) => {
  const web = await webFor(t, {
    '127.0.0.1/html/search': (response) => response.writeHead(200).end('<html>'),
    '127.0.0.1/json/search': json({ hello: 1 }),
    '127.0.0.1/off/search': status(403),
    '127.0.0.1/away/search': (response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end(),
    '127.0.0.1/silent/search': json({ results: [], unresponsive_engines: [['google', 'CAPTCHA']] }),
  });
  const asked = (path: string): Promise<unknown> => {
    const baseUrl = `http://127.0.0.1:${web.port}/${path}`;
    return clientFor(web, { provider: 'searxng', baseUrl }, undefined).search('why?', undefined);
  };
  await refuses(asked('html'), 'retriever-failed', /did not answer with JSON/u);
  await refuses(asked('json'), 'retriever-failed', /did not answer as SearXNG does/u);
  await refuses(asked('off'), 'retriever-failed', /search\.formats/u, { final: true });
  await refuses(asked('away'), 'retriever-failed', /redirects requests to http:\/\/127\.0\.0\.1:1\b/u, {
    final: true,
  });
  await refuses(asked('silent'), 'retriever-failed', /google \(CAPTCHA\)/u);
});

test('cancelling ends a running search', async (t) => {
  const controller = new AbortController();
  const web = await webFor(t, { '127.0.0.1/search': () => controller.abort() });
  const searching = clientFor(web, { provider: 'searxng' }, undefined).search('why?', controller.signal);
  await assert.rejects(searching, (error) => ParallaxError.is(error, 'cancelled'));
});
