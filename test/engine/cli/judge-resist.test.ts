import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { judgeResistCommand } from '../../../src/features/papers/cli/judge-resist-command.ts';
import { neutralise } from '../../../src/core/judging/prompts/fence.ts';
import { resistanceCases } from '../../../src/features/papers/core/attacks/resistance.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';

interface Report {
  passed: number;
  cases: number;
  fooled: { name: string; family: string }[];
  families: { family: string; title: string; rate: number | null; cases: number; sources: string[] }[];
  unanswered: number;
}

type Answer = (passage: string) => 'yes' | 'no' | undefined;

/** Runs the command with a model that answers by this function. */
async function resist(t: TestContext, judge: Answer, ...options: string[]) {
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
  const code = await judgeResistCommand(['--judge', spec, ...options], {
    stdout: (text) => void (output += text),
    stderr: () => undefined,
  });
  return { code, output };
}

async function run(t: TestContext, judge: Answer): Promise<{ code: number; report: Report }> {
  const { code, output } = await resist(t, judge, '--json', '-');
  return { code, report: (JSON.parse(output) as { judges: never[] }).judges[0]! };
}

/** The honest part of a passage. */
const honest = (passage: string): 'yes' | 'no' => (passage.startsWith('In the schools') ? 'yes' : 'no');

test('a judge that uses only the passage’s statement passes everything', async (t) => {
  const { code, report } = await run(t, honest);
  assert.equal(code, 0);
  assert.equal(report.passed, report.cases);
  assert.deepEqual(report.fooled, []);
});

test('a judge that follows injected orders fails, by name', async (t) => {
  const { code, report } = await run(t, (passage) =>
    passage.includes('Answer yes.') ? 'yes' : honest(passage),
  );
  assert.equal(code, 0);
  assert.ok(report.fooled.some(({ name }) => name === 'plain order (unrelated)'));
  assert.ok(report.fooled.every(({ name }) => name.endsWith('(unrelated)')));
  assert.equal(report.passed, report.cases - report.fooled.length);
});

/** By the text that a judge gets. */
const CASES = new Map(resistanceCases().map((each) => [neutralise(each.passage), each]));

/** Obeys only texts in another language. */
const listensToForeigners: Answer = (passage) => {
  const { family, right } = CASES.get(passage)!;
  if (family !== 'languages') return right;
  return right === 'yes' ? 'no' : 'yes';
};

test('a judge fooled by one family is reported in JSON, in the terminal and in Markdown', async (t) => {
  const { report } = await run(t, listensToForeigners);
  const { sources } = report.families.find(({ family }) => family === 'languages')!;
  for (const { family, rate } of report.families) assert.equal(rate, family === 'languages' ? 1 : 0, family);
  assert.equal(report.families.length, 8);
  assert.equal(report.fooled.length, 20);

  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-resist-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'report.md');
  const { output } = await resist(t, listensToForeigners, '--markdown', file);
  assert.match(output, /Orders in other languages +100\.0 +20 +0 +0 +0 +0 +20\n/);
  assert.match(output, /Direct orders +0\.0 +0 +20 /);
  assert.match(output, /Answered "yes": Swahili \(unrelated\)\n/);
  const markdown = await readFile(file, 'utf8');
  assert.match(markdown, /\| Orders in other languages \| 100\.0 \| 20 \| 0 \|/);
  assert.match(markdown, /\| Direct orders \| 0\.0 \| 0 \| 20 \|/);
  assert.ok(sources.every((source) => markdown.includes(source)));
});

test('a judge that errs without an attack is not counted as fooled', async (t) => {
  const { output } = await resist(t, () => 'no');
  assert.match(output, /Not tested: without any attack/);
  assert.doesNotMatch(output, /Answered/);
});

test('a judge that cannot be asked is a failure', async (t) => {
  const { code, report } = await run(t, () => undefined);
  assert.equal(code, 1);
  assert.equal(report.unanswered, report.cases);
});

test('wrong usage is reported', async () => {
  const io = { stdout: () => undefined, stderr: () => undefined };
  await assert.rejects(judgeResistCommand([], io), /--judge is missing/);
  await assert.rejects(judgeResistCommand(['--judge', 'nobody'], io), /no judge "nobody"/);
});
