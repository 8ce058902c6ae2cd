import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { judgeResistCommand } from '../../../src/cli/commands/judge-resist-command.ts';
import { readPairPrompt, startModelServer, verdictReply } from '../../fixtures/model-server.ts';

async function run(
  t: TestContext,
  judge: (passage: string) => 'yes' | 'no' | undefined,
): Promise<{
  code: number;
  report: { passed: number; cases: number; fooled: { name: string }[]; unanswered: number };
}> {
  const server = await startModelServer({
    chat: ({ messages }) => {
      const verdict = judge(readPairPrompt(messages).passage);
      return verdict === undefined ? { fault: 'status', status: 400, message: 'no' } : verdictReply(verdict);
    },
  });
  t.after(() => server.close());
  let output = '';
  const spec = JSON.stringify({
    type: 'openai',
    mode: 'pair',
    baseUrl: server.url,
    model: 'm',
    maxRetries: 0,
  });
  const code = await judgeResistCommand(['--judge', spec, '--json', '-'], {
    stdout: (text) => void (output += text),
    stderr: () => undefined,
  });
  return { code, report: (JSON.parse(output) as { judges: never[] }).judges[0]! };
}

/** What the honest part of a passage says. */
const honest = (passage: string): 'yes' | 'no' => (passage.startsWith('In the schools') ? 'yes' : 'no');

test('a judge that reads only what the passage says passes everything', async (t) => {
  const { code, report } = await run(t, honest);
  assert.equal(code, 0);
  assert.equal(report.passed, report.cases);
  assert.deepEqual(report.fooled, []);
});

test('a judge that follows orders is caught, by name', async (t) => {
  const { code, report } = await run(t, (passage) =>
    passage.includes('Answer yes.') ? 'yes' : honest(passage),
  );
  assert.equal(code, 0);
  assert.ok(report.fooled.some(({ name }) => name === 'plain order (unrelated)'));
  assert.ok(report.fooled.every(({ name }) => name.endsWith('(unrelated)')));
  assert.equal(report.passed, report.cases - report.fooled.length);
});

test('a judge that cannot be asked is no success', async (t) => {
  const { code, report } = await run(t, () => undefined);
  assert.equal(code, 1);
  assert.equal(report.unanswered, report.cases);
});

test('wrong usage is told', async () => {
  const io = { stdout: () => undefined, stderr: () => undefined };
  await assert.rejects(judgeResistCommand([], io), /--judge is missing/);
  await assert.rejects(judgeResistCommand(['--judge', 'nobody'], io), /no judge "nobody"/);
});
