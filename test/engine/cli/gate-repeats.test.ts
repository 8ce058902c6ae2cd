import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { verdictReply } from '../../fixtures/model-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { serverFor } from '../judges/support.ts';
import { workspace, WORSE, type GateWorkspace } from './gate-support.ts';
import '../../fixtures/built.ts';

/** Covers everything within the top 2, according to people's labels. */
const GOOD = { retriever: { type: 'bm25' }, rerank: [{ type: 'coverage', judge: 'labels' }], k: 2 };

/**
 * Two questions of which a worse pipeline loses one perspective each. The passages that it retrieves instead have no
 * labels. The judge says no about the second question's, and alternates no, yes, no, yes … about the first one's.
 */
async function flickering(
  t: TestContext,
  repeats?: number,
): Promise<{ own: GateWorkspace; asked: number[] }> {
  const asked = [0, 0];
  const server = await serverFor(t, {
    chat: ({ messages }) => {
      const { passage, statement } = readPairPrompt(messages);
      if (statement !== 'third' || !passage.includes('second')) return verdictReply('no');
      const place = passage.includes('topic1') ? 0 : 1;
      const time = asked[place]!++;
      return verdictReply(place === 0 && time % 2 === 1 ? 'yes' : 'no');
    },
  });
  const baseline = { file: 'main.json', lostPerspectives: 0, ...(repeats === undefined ? {} : { repeats }) };
  const own = await workspace(t, 2, { baseline });
  const gpt = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'm', maxRetries: 0 };
  await own.configure({ judge: 'gpt', judges: { gpt }, pipelines: { mine: GOOD } });
  process.env['OPENAI_API_KEY'] = 'secret';
  t.after(() => delete process.env['OPENAI_API_KEY']);
  const accepted = await own.gate('--accept');
  assert.equal(accepted.code, 0, accepted.stderr);
  await own.configure({ pipelines: { mine: WORSE } });
  return { own, asked };
}

test('a loss that varies with the judge is quarantined, and a stable one counts', async (t) => {
  const { own, asked } = await flickering(t, 4);
  const { PARALLAX_ANSWERS: elsewhere = 'off' } = process.env;
  process.env['PARALLAX_ANSWERS'] = temporaryFolder(t);
  t.after(() => void (process.env['PARALLAX_ANSWERS'] = elsewhere));
  const report = await own.report('--judge', 'gpt');
  const check = report.checks.find(({ kind }) => kind === 'perspectives')!;
  assert.deepEqual([report.code, check.outcome, check.failing], [1, 'missed', ['q2']], check.reason);
  const [first, second] = report.datasets[0]!.pipelines[0]!.queries.map(({ lost }) => lost[0]!);
  assert.equal(first!.quarantined, true);
  assert.match(first!.reason, /judged again 4 times, it is covered 2 times now, and 4 times/u);
  assert.match(second!.reason, /Judged again 4 times, it is covered 0 times now, and 4 times/u);
  assert.ok(
    report.notes.some((note) => note.includes('1 perspective (of q1)')),
    report.notes.join('\n'),
  );
  assert.deepEqual(asked, [5, 5], 'once for the figures, and four times again');
  const same = await own.report('--judge', 'gpt');
  assert.deepEqual(same.checks, report.checks);
  assert.deepEqual(asked, [5, 5], 'a second gate asks nothing');
});

test('without repeated runs both count, and nothing is asked twice', async (t) => {
  const { own, asked } = await flickering(t);
  const report = await own.report('--judge', 'gpt');
  assert.deepEqual(report.checks.find(({ kind }) => kind === 'perspectives')!.failing, ['q1', 'q2']);
  assert.deepEqual(asked, [1, 1]);
});

test('too few runs to lose anything are refused', async (t) => {
  const own = await workspace(t, 2, { baseline: { file: 'main.json', repeats: 2 } });
  const { code, stderr } = await own.gate();
  assert.equal(code, 2);
  assert.match(stderr, /repeats.*too few/u);
});

test('--repeats shows what the judge changes, by figure and by query', async (t) => {
  const times = new Map<string, number>();
  const server = await serverFor(t, {
    chat: ({ messages }) => {
      const { passage, statement } = readPairPrompt(messages);
      const key = `${passage} ${statement}`;
      times.set(key, (times.get(key) ?? 0) + 1);
      return verdictReply(passage.includes('topic1') && times.get(key) === 2 ? 'no' : 'yes');
    },
  });
  const own = await workspace(t, 2, { thresholds: [{ metric: 'MRecall@2', min: 0.9 }] });
  const gpt = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'm', maxRetries: 0 };
  await own.configure({ judge: 'gpt', judges: { gpt }, pipelines: { mine: WORSE } });
  process.env['OPENAI_API_KEY'] = 'secret';
  t.after(() => delete process.env['OPENAI_API_KEY']);
  const report = await own.report('--judge', 'gpt', '--repeats', '3');
  const { repeats } = report.datasets[0]!;
  assert.equal(repeats!.complete, 3);
  const [pipeline] = repeats!.pipelines;
  assert.deepEqual(pipeline!.figures['MRecall@2']!.values, [1, 0.5, 1]);
  assert.deepEqual(
    pipeline!.changes.map(({ query, values }) => [query, values['MRecall@2']]),
    [['q1', [1, 0, 1]]],
  );
  const note = report.notes.find((text) => text.includes('in 3 repeats'));
  assert.match(
    note ?? report.notes.join('\n'),
    /^MRecall@2 of "mine" on ".*" in 3 repeats of the judge: 100\.0, 50\.0, 100\.0\. 95% interval for these questions .* to 100\.0, for other questions of the kind .* to 100\.0\. Questions that change: q1 \(100\.0, 0\.0, 100\.0\)\. The required 90\.0 is within the judge's own variation\.$/u,
  );
  await assert.rejects(own.gate('--repeats', '3'), /--repeats needs a --judge/u);
});
