/** `parallax search --perspective`: where a perspective is lost, and the search beyond the candidates. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { serverFor } from '../judges/support.ts';
import { lines, run } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const NARROW = '{"name":"narrow","retriever":{"type":"bm25"},"k":1,"candidates":1}';
const PERSPECTIVE = 'allergic colleagues suffer';

async function indexed(t: TestContext): Promise<readonly string[]> {
  const folder = temporaryFolder(t);
  const corpus = path.join(folder, 'corpus.jsonl');
  const store = path.join(folder, 'store');
  writeFileSync(
    corpus,
    lines([
      { _id: 'a', text: 'office cats purr' },
      { _id: 'b', text: 'allergic colleagues read the newspaper' },
      { _id: 'c', text: 'some of us suffer when animals are near' },
    ]),
  );
  await run(indexCommand, corpus, '--store', store, '--split', 'none');
  return ['office cats', '--store', store, '--pipeline', NARROW, '--perspective', PERSPECTIVE];
}

test('a perspective is unjudged at first, and found passages are listed for labelling', async (t) => {
  const argv = await indexed(t);
  const before = await run(searchCommand, ...argv);
  assert.equal(before.code, 0, before.stderr);
  assert.match(before.stdout, /allergic colleagues suffer\n {2}unjudged: no passage is judged for it\n$/u);
  const listed = await run(searchCommand, ...argv, '--look-deeper', '5');
  assert.match(
    listed.stdout,
    /2 searches found 3 passages for it, and the best of them is not judged yet\n/u,
  );
  assert.match(listed.stdout, / {2}unjudged .* \(\S+\); rank 1 of BM25 when asked with the perspective\n/u);
});

test('a judge is asked until a passage supports it, and the next run uses the cache', async (t) => {
  const argv = await indexed(t);
  const server = await serverFor(t, {
    chat: ({ messages }) => verdictReply(readPairPrompt(messages).passage.startsWith('some') ? 'yes' : 'no'),
  });
  const judge = [
    '--judge',
    JSON.stringify({ type: 'openai', baseUrl: server.url, model: 'scripted', mode: 'pair' }),
  ];
  process.env['OPENAI_API_KEY'] ??= 'key';
  const found = await run(searchCommand, ...argv, ...judge, '--look-deeper', '5');
  assert.equal(found.code, 0, found.stderr);
  assert.match(
    found.stdout,
    /supported by .*, which is not among the 1 candidate; rank \d of BM25 when asked with .*\n/u,
  );
  const sent = server.chatRequests.length;
  const again = await run(searchCommand, ...argv, ...judge, '--json');
  const { perspectives } = JSON.parse(again.stdout) as {
    perspectives: { state: { where: string }; found: { verdict: string }[] }[];
  };
  assert.equal(perspectives[0]!.state.where, 'not-retrieved');
  assert.ok(perspectives[0]!.found.some(({ verdict }) => verdict === 'yes'));
  assert.equal(server.chatRequests.length, sent);
});

test('missing numbers and statements are refused', async (t) => {
  const argv = await indexed(t);
  await assert.rejects(run(searchCommand, ...argv, '--look-deeper', 'many'), UsageError);
  await assert.rejects(run(searchCommand, ...argv.slice(0, -2), '--look-deeper', '3'), UsageError);
});
