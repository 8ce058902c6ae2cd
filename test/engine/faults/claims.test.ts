/** Two windows that ask for the same judgements at the same time pay for each answer once. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { Claims } from '../../../src/engine/judgements/claims.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { startModelServer, verdictReply, type ModelServer } from '../../fixtures/model-server.ts';
import { forkEngine, index, type Asked, type ForkedEngine } from './support/engines.ts';
import { BM25, CORPUS, JUDGE, QUESTIONS, Workspace } from './support/workspace.ts';

const PAIRS = 24;
/** The judge's. */
const CONCURRENCY = 4;
/** Slow enough for both windows to ask at the same time. */
const ANSWER_MS = 60;

interface Desk {
  readonly server: ModelServer;
  readonly windows: readonly [ForkedEngine, ForkedEngine];
  readonly storage: string;
  readonly judgingTask: Params<'judge'>;
}

async function serviceFor(t: TestContext): Promise<Desk> {
  const workspace = new Workspace({ seed: 5, files: 30 });
  const server = await startModelServer({
    chat: async ({ index: place }) => {
      await delay(ANSWER_MS);
      return verdictReply(place % 2 === 0 ? 'yes' : 'no', null, `Answer ${place}.`);
    },
  });
  const config = workspace.config('storage', server.url);
  const windows = [await forkEngine(config), await forkEngine(config)] as const;
  t.after(async () => {
    await Promise.all(windows.map((window) => window.stop()));
    await server.close();
    workspace.remove();
  });
  const { client } = windows[0];
  await index(client);
  await index(windows[1].client);
  const query = { text: QUESTIONS[0]! };
  const { candidates } = await client.request('search', {
    corpus: CORPUS,
    query,
    perspectives: [],
    pipeline: BM25,
  });
  const slots = candidates.slice(0, PAIRS).map(({ slot }) => slot);
  const perspectives = [{ id: 'p', text: 'It is so.' }];
  return {
    server,
    windows,
    storage: config.storage,
    judgingTask: { corpus: CORPUS, judge: JUDGE, query, perspectives, slots },
  };
}

const chats = ({ requests }: ModelServer): number =>
  requests.filter((request) => request.path.endsWith('/chat/completions')).length;

const judge = (engine: Asked, judgingTask: Params<'judge'>) => engine.request('judge', judgingTask);

test('two windows ask about each pair once, and both get every answer', async (t) => {
  const { server, windows, judgingTask } = await serviceFor(t);
  const reports = await Promise.all(windows.map(({ client }) => judge(client, judgingTask)));
  assert.equal(chats(server), PAIRS);
  for (const { answered, failed, error } of reports)
    assert.deepEqual([answered, failed, error], [PAIRS, 0, undefined]);
  const [first, second] = reports;
  assert.equal(first!.asked + second!.asked, PAIRS, 'what one asked the other did not');
  assert.ok(first!.asked > 0 && second!.asked > 0, 'they shared the work');
});

test('a killed window does not block the other one', async (t) => {
  const { server, windows, judgingTask, storage } = await serviceFor(t);
  const dying = judge(windows[0].client, judgingTask).catch((error: unknown) => error);
  while (chats(server) < CONCURRENCY) await delay(5);
  const other = judge(windows[1].client, judgingTask);
  await windows[0].kill();
  await dying;
  const { answered, failed } = await other;
  assert.deepEqual([answered, failed], [PAIRS, 0]);
  // Only requests that the killed window had under way are lost.
  assert.ok(chats(server) <= PAIRS + 2 * CONCURRENCY, String(chats(server)));
  const owners = readdirSync(path.join(storage, 'claims')).filter((name) => name.endsWith('.lock'));
  assert.equal(owners.length, 1, 'nothing is left of the killed one');
});

test("a claim is its owner's until it is given back or the owner is gone, whatever the clock says", async (t) => {
  const workspace = new Workspace({ seed: 5, files: 0 });
  t.after(() => workspace.remove());
  const file = path.join(workspace.folder, 'judgements.sqlite');
  const [one, two] = [openDatabase(file), openDatabase(file)];
  const [first, second] = [new Claims(one, workspace.folder), new Claims(two, workspace.folder)];
  t.after(() => {
    first.close();
    second.close();
    one.close();
    two.close();
  });
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) });
  assert.deepEqual([first.take('a'), first.take('a'), second.take('a')], [true, true, false]);
  t.mock.timers.setTime(Date.UTC(2090, 0, 1));
  assert.equal(second.take('a'), false);
  second.release('a');
  assert.equal(second.take('a'), false, 'who has not made it cannot give it back');
  t.mock.timers.setTime(0);
  first.release('a');
  assert.deepEqual([second.take('a'), first.take('a'), first.take('b')], [true, false, true]);
  second.close();
  // A claim holder that was seen alive a moment ago still counts as alive.
  while (!first.take('a')) await delay(20);
});
