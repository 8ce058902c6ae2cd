/**
 * A server that redirects elsewhere, or whose answer does not end, against every client that sends keys or passages.
 */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { storeRetrieverSchema } from '../../../src/core/external/stores.ts';
import { keepComment } from '../../../src/features/gate/cli/pull-request/keep-comment.ts';
import type { Forge } from '../../../src/features/gate/cli/pull-request/forge.ts';
import { PageFetcher } from '../../../src/features/web-corpus/engine/page-fetcher.ts';
import { searchSettingsSchema } from '../../../src/features/web-corpus/core/search.ts';
import { SearchClient } from '../../../src/features/web-corpus/engine/search-client.ts';
import { httpRetrieverSchema } from '../../../src/core/external/spec.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { embedderSchema } from '../../../src/shared/config.ts';
import { createEmbedder } from '../../../src/engine/embedders/create.ts';
import { createHttpRetriever } from '../../../src/engine/external/http-retriever.ts';
import { createStore } from '../../../src/engine/external/stores/create-store.ts';
import { outgoingFetch } from '../../../src/engine/network/outgoing.ts';
import { createOpenAiModel } from '../../../src/engine/models/openai-model.ts';
import '../../fixtures/built.ts';

const KEY = 'a-key-that-nobody-else-may-see';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends one request to a server. */
const CLIENTS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  chat: (baseUrl) =>
    createOpenAiModel({ baseUrl, model: 'm', apiKey: KEY, keyName: 'k', maxRetries: 3 }).complete(
      [{ role: 'user', content: 'a private passage' }],
      { timeoutMs: 30_000 },
    ),
  embeddings: (baseUrl) => {
    const config = embedderSchema.parse({ type: 'openai', baseUrl, model: 'm', key: 'k' });
    const embedder = createEmbedder('e', config, { baseDir: '/', apiKey: KEY, maxRetries: 0 });
    return embedder.embedPassages(['a private passage']);
  },
  'own retriever': (url) =>
    createHttpRetriever(
      httpRetrieverSchema.parse({ type: 'http', url, headers: { 'x-my-key': KEY } }),
      undefined,
    ).search({ text: 'a private question' }, 5),
  'search provider': (url) => {
    const settings = searchSettingsSchema.parse({ provider: 'searxng', baseUrl: url, results: 1 });
    return new SearchClient({ settings, apiKey: KEY }).search('a private question', undefined);
  },
  Chroma: (url) => countOf({ type: 'chroma', url, collection: 'private', embedder: 'e' }),
  Qdrant: (url) => countOf({ type: 'qdrant', url, collection: 'private', embedder: 'e' }),
  OpenSearch: (url) => countOf({ type: 'opensearch', url, index: 'private' }),
  Elasticsearch: (url) => countOf({ type: 'opensearch', engine: 'elasticsearch', url, index: 'private' }),
  Weaviate: (url) => countOf({ type: 'weaviate', url, collection: 'Private', embedder: 'e' }),
  Milvus: (url) => countOf({ type: 'milvus', url, collection: 'private', embedder: 'e' }),
  Pinecone: (url) => countOf({ type: 'pinecone', url, embedder: 'e' }),
  'Azure AI Search': (url) => countOf({ type: 'azure-search', url, index: 'private', embedder: 'e' }),
  'pull requests': async (url) => {
    const forge: Forge = {
      name: 'GitHub',
      permission: '',
      token: KEY,
      headers: { authorization: `Bearer ${KEY}` },
      commentsUrl: `${url}/private/comments`,
      commentUrl: (id) => `${url}/private/comments/${id}`,
      updateMethod: 'PATCH',
      readPage: () => [],
      linkTo: () => undefined,
    };
    const { written, sentence } = await keepComment(forge, 'a private question', '## Mine');
    if (!written) throw new ParallaxError('model-answer', sentence);
  },
};

/**
 * Also the client for web pages, which may redirect anywhere, because nothing is sent with the request; see
 * `page-fetcher.test.ts`.
 */
const EVERYBODY: typeof CLIENTS = {
  ...CLIENTS,
  pages: (url) => {
    const here = { allowsAddress: () => true, allowsPort: () => true };
    return new PageFetcher({ reach: here, limits: { pauseMs: 0 } }, undefined).fetch(`${url}/page`);
  },
};

/** Small to transfer, large in memory. */
const COSTLY_ANSWERS: readonly (readonly [what: string, body: string, sentence: RegExp])[] = [
  [
    'of empty parts',
    `{"data":[${'{},'.repeat(5_000_000)}{}]}`,
    /sent (?:an answer of more than 2000000 lists and objects|more than \d MB)/u,
  ],
  [
    'that is nested without end',
    '['.repeat(300_000),
    /sent an answer that is nested more than 1000 levels deep/u,
  ],
];

/** A megabyte in a kilobyte. Compressed data may be followed by another complete stream. */
const PACKED_BLANKS = gzipSync(Buffer.alloc(1024 * 1024, ' '));

function countOf(spec: object): Promise<unknown> {
  const nobody = (): never => assert.fail('No query is embedded.');
  return createStore(storeRetrieverSchema.parse(spec), KEY, nobody).count();
}

for (const [name, ask] of Object.entries(CLIENTS))
  describe(name, () => {
    for (const status of [301, 302, 303, 307, 308])
      test(`${status} to another server is refused, and nothing is sent there`, async (t) => {
        let arrived = 0;
        const other = await serve(t, (_, response) => {
          arrived++;
          response.end('{}');
        });
        const url = await serve(t, (_, response) =>
          response.writeHead(status, { location: `${other}/v1` }).end(),
        );
        await assert.rejects(ask(url), (error) => {
          assert.ok(ParallaxError.is(error));
          assert.match(error.message, /redirects requests to http:\/\/127\.0\.0\.1:\d+/u);
          return true;
        });
        assert.equal(arrived, 0);
      });

    test('a redirect within the server is followed, with the same request', async (t) => {
      const asked: string[] = [];
      const url = await serve(t, (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          asked.push(`${request.method} ${body.includes('private') || request.url!.includes('private')}`);
          if (asked.length === 1) response.writeHead(307, { location: `/moved${request.url}` }).end();
          else response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"x"}');
        });
      });
      await assert.rejects(ask(url));
      assert.equal(asked.length, 2);
      assert.equal(asked[0], asked[1]);
    });

    test('a circle of redirects ends', async (t) => {
      let asked = 0;
      const url = await serve(t, (_, response) => {
        asked++;
        response.writeHead(307, { location: `/again${asked}` }).end();
      });
      await assert.rejects(ask(url), /in a circle/u);
      assert.equal(asked, 4);
    });

    for (const [what, body, sentence] of COSTLY_ANSWERS)
      test(`an answer ${what} is refused before it is read`, async (t) => {
        const url = await serve(t, (_, response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(body),
        );
        await assert.rejects(ask(url), (error) => {
          assert.ok(ParallaxError.is(error));
          assert.match(error.message, sentence);
          return true;
        });
      });
  });

for (const [name, ask] of Object.entries(EVERYBODY))
  describe(name, () => {
    test('a small answer that decompresses without end is cancelled', async (t) => {
      const url = await serve(t, (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        const write = (): void => {
          while (!response.destroyed)
            if (!response.write(PACKED_BLANKS)) return void response.once('drain', write);
        };
        write();
      });
      await assert.rejects(ask(url), /sent more than \d+ MB|larger than \d+ kB/u);
    });
  });

test('texts and pieces that look like an answer are no part of it', async (t) => {
  const text = JSON.stringify([`"${'[{'.repeat(5_000)}\\`, '[']);
  const url = await serve(t, (_, response) => {
    // In the middle of an escape, and of a text.
    for (const at of [text.indexOf('\\"') + 1, 20]) response.write(text.slice(0, at));
    response.end(text);
  });
  const answer = await outgoingFetch({ maxBytes: 2 ** 20 })(url);
  assert.ok((await answer.text()).endsWith(text));
});

test('an answer that stalls is cancelled, and a slow one is not', async (t) => {
  const part = '{"part":1}';
  const parts = 6;
  const url = await serve(t, (request, response) => {
    response.write(part);
    if (request.url === '/stops') return;
    let sent = 1;
    const timer = setInterval(() => {
      response.write(part);
      if (++sent === parts) response.end(() => clearInterval(timer));
    }, 100);
  });
  const ask = outgoingFetch({ maxBytes: 1000, silenceMs: 400 });
  assert.equal(await (await ask(`${url}/slow`)).text(), part.repeat(parts));
  await assert.rejects((await ask(`${url}/stops`)).text(), (error) => {
    assert.ok(ParallaxError.is(error, 'model-unreachable'));
    assert.match(error.message, /sent nothing for 0\.4 s in the middle of its answer/u);
    return true;
  });
});
