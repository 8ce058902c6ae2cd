/** The command of the editor, without the editor: a user who chooses, over the real engine. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { cancelled, ParallaxError } from '../../../src/core/errors.ts';
import {
  WebCorpusController,
  type WebCorpusControllerOptions,
} from '../../../src/features/web-corpus/host/web-corpus-controller.ts';
import { fetchedText } from '../../../src/features/web-corpus/host/web-text.ts';
import type { EngineConfig } from '../../../src/shared/requests/configuration.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { found, status, webFor, type Web } from './support.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

type Actions = WebCorpusControllerOptions['actions'];

interface Desk {
  readonly web: Web;
  readonly folder: string;
  readonly controller: WebCorpusController;
  /** All messages and questions to the user, in order. */
  readonly said: string[];
  readonly sent: Params<'fetchWeb'>[];
}

async function serviceFor(
  t: TestContext,
  choices: Partial<Actions> = {},
  { trusted = true, keys = {} }: Partial<Pick<EngineConfig, 'trusted' | 'keys'>> = {},
): Promise<Desk> {
  // A page on this machine, which is not on the public internet.
  const web = await webFor(t, { '127.0.0.1/search': found('http://127.0.0.1/secret') });
  const { engine, folder } = await testWorkspace(t, { trusted, keys });
  const said: string[] = [];
  const sent: Params<'fetchWeb'>[] = [];
  const evalQuery = (evalSet: string, id: string) => ({ evalSet, id, text: `${id}?`, perspectives: [] });
  const controller = new WebCorpusController({
    engine: {
      request: (method, params, options) => {
        assert.equal(method, 'fetchWeb');
        sent.push(params as Params<'fetchWeb'>);
        const signal = options?.signal ?? new AbortController().signal;
        return engine.fetchWeb(params as Params<'fetchWeb'>, { signal, report: () => undefined }) as never;
      },
    },
    workspace: () => ({
      evalQueries: [
        evalQuery('eval/Towns.parallax.jsonl', 'q1'),
        evalQuery('eval/Towns.parallax.jsonl', 'q2'),
      ],
    }),
    trusted: () => trusted,
    actions: {
      chooseQueries: async ([first]) => first,
      chooseProvider: async () => 'searxng',
      askForAddress: async () => `http://127.0.0.1:${web.port}`,
      ensureKey: async (provider) => (said.push(`key ${provider}`), true),
      askForResults: async () => 15,
      askForName: async (suggested) => suggested,
      confirm: async ({ question, detail }) => (said.push(question, detail), true),
      progress: (_, work) => work({ signal: new AbortController().signal, onNote: () => undefined }),
      showFetched: async (message, { name, hasPages }) => void said.push(message, `${name} ${hasPages}`),
      showRefusedKey: async (message, provider) => void said.push(message, provider),
      ...choices,
    },
  });
  return { web, folder, controller, said, sent };
}

test('requests are announced before they are sent, and the result is shown', async (t) => {
  const { web, folder, controller, said, sent } = await serviceFor(t);
  await controller.fetch();
  assert.equal(said[0], 'Send 2 questions to SearXNG, and fetch up to 30 pages?');
  assert.match(said[1]!, /^Up to 4 searches\.\n[\s\S]*\.parallax\/web\/towns\./u);
  assert.deepEqual(
    sent.map(({ queries, folder: place }) => [queries.map(({ text }) => text), place]),
    [[['q1?', 'q2?'], '.parallax/web/towns']],
  );
  // The search provider may be on this machine, because the user said so; pages may not.
  assert.equal(said[2], '0 pages fetched. 1 left out: 1 at addresses that Parallax does not fetch.');
  assert.equal(said[3], 'towns false');
  assert.ok(!web.requests.some((place) => place.includes('secret')));
  const manifest = readFileSync(path.join(folder, '.parallax/web/towns/web-manifest.jsonl'), 'utf8');
  assert.match(manifest, /127\.0\.0\.1 is not an address of the public internet/u);
});

const GIVEN_UP = ['chooseQueries', 'chooseProvider', 'askForAddress', 'askForResults', 'askForName'] as const;

for (const action of GIVEN_UP)
  test(`nothing is sent when the user cancels at ${action}`, async (t) => {
    const { web, controller, sent } = await serviceFor(t, { [action]: async () => undefined });
    await controller.fetch();
    assert.deepEqual([sent, web.requests], [[], []]);
  });

test('nothing is sent without the user’s consent or a key', async (t) => {
  const refused = await serviceFor(t, { confirm: async () => false });
  await refused.controller.fetch();
  const keyless = await serviceFor(t, { chooseProvider: async () => 'brave', ensureKey: async () => false });
  await keyless.controller.fetch();
  for (const { web, sent, folder } of [refused, keyless]) {
    assert.deepEqual([sent, web.requests], [[], []]);
    assert.equal(existsSync(path.join(folder, '.parallax')), false);
  }
});

test('only providers with a key ask for one, and only SearXNG for its address', async (t) => {
  const askForAddress = async (): Promise<undefined> => assert.fail('asked for an address');
  const chooseProvider = async (): Promise<'serper'> => 'serper';
  const { controller, said } = await serviceFor(t, {
    chooseProvider,
    askForAddress,
    confirm: async () => false,
  });
  await controller.fetch();
  assert.deepEqual(said, ['key serper']);
});

test('a refused or missing key can be set', async (t) => {
  const { controller, said } = await serviceFor(t, { chooseProvider: async () => 'serper' });
  await controller.fetch();
  assert.match(said.at(-2)!, /none is stored under "serper"/u);
  assert.equal(said.at(-1), 'serper');
});

test('after cancelling the user learns that pages are kept; other errors are rethrown', async (t) => {
  const stopped = await serviceFor(t, { progress: () => Promise.reject(cancelled()) });
  await stopped.controller.fetch();
  assert.match(stopped.said.at(-2)!, /^Cancelled\. .* kept/u);
  const broken = await serviceFor(t);
  broken.web.pages['127.0.0.1/search'] = status(403);
  await assert.rejects(broken.controller.fetch(), (error) => ParallaxError.is(error, 'retriever-failed'));
});

test('nothing is fetched in an untrusted workspace, by the command or by the engine', async (t) => {
  const { controller, sent } = await serviceFor(t, {}, { trusted: false });
  await assert.rejects(controller.fetch(), (error) => ParallaxError.is(error, 'untrusted'));
  assert.deepEqual(sent, []);
  const workspace = await testWorkspace(t, { trusted: false });
  const search = { provider: 'searxng' as const, baseUrl: 'http://127.0.0.1', results: 1 };
  const asked = workspace.request('fetchWeb', {
    queries: [{ id: 'q', text: 'q' }],
    search,
    folder: 'x',
  });
  await assert.rejects(asked, (error) => ParallaxError.is(error, 'untrusted'));
});

test('the result is described in sentences', () => {
  const report = { queries: 3, searchesKept: 0, found: 9, bytes: 1, fingerprint: '' };
  const skipped = [{ url: 'u', reason: 'robots' as const, message: '' }];
  const searchesFailed = [{ query: 'q1', message: 'Brave Search answered 500.' }];
  assert.equal(
    fetchedText({ ...report, fetched: 1, kept: 7, damaged: 1, skipped, searchesFailed }),
    '1 page fetched, 7 kept from earlier. 1 left out: 1 not allowed by robots.txt. 1 page had been changed or lost since. 1 search failed: Brave Search answered 500.',
  );
});
