/** The tools as the editor's agents call them: through the editor, which asks for permission. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hostTest } from '../companion/host-test.ts';

const NAMES = [
  'parallax_evaluate_retrieval',
  'parallax_list_retrieval_sites',
  'parallax_explain_lost_perspectives',
  'parallax_explain_missing',
  'parallax_search',
  'parallax_look_deeper',
  'parallax_list_unjudged',
  'parallax_label',
  'parallax_run_of_agent',
  'parallax_save_eval_set',
  'parallax_accept_baseline',
];

async function called(name: string, input: object): Promise<Record<string, unknown>> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  const [part] = result.content;
  assert.ok(part instanceof vscode.LanguageModelTextPart);
  assert.ok(part.value.length <= 8_000);
  return JSON.parse(part.value) as Record<string, unknown>;
}

hostTest('the editor offers the tools to every agent', () => {
  const offered = vscode.lm.tools.filter(({ name }) => name.startsWith('parallax_'));
  assert.deepEqual(offered.map(({ name }) => name).sort(), [...NAMES].sort());
  for (const { inputSchema, description } of offered) assert.ok(inputSchema && description.length > 0);
});

hostTest(
  'an agent lists the calls of the sample programs without confirmation',
  async () => {
    const { sites } = await called('parallax_list_retrieval_sites', {});
    const found = (sites as { file: string; k: { value: number } }[]).map(({ file, k }) => [file, k.value]);
    for (const file of ['app/rag.py', 'app/rag.ts'])
      assert.ok(
        found.some(([own, k]) => own === file && k === 5),
        JSON.stringify(found),
      );
  },
  { timeout: 60_000 },
);

hostTest(
  'an agent measures a pipeline and a call once the user has agreed to the cost',
  async () => {
    const answer = await called('parallax_evaluate_retrieval', { pipelines: ['bm25', 'hybrid'], k: 5 });
    const [bm25, hybrid] = answer['pipelines'] as Record<string, { [name: string]: { value: number } }>[];
    assert.ok(bm25!['figures']!['MRecall@5']!.value > 0);
    assert.ok(hybrid!['figures']!['MRecall@5']!.value > 0);
    assert.match(JSON.stringify(answer['judgements']), /people/u);
  },
  { timeout: 90_000 },
);

hostTest(
  'an agent gets the lost perspectives and the passages that support them',
  async () => {
    const answer = await called('parallax_explain_lost_perspectives', { pipeline: 'bm25' });
    const lost = answer['lost'] as { reason: string; supportedBy?: { excerpt: string } }[];
    assert.ok(lost.some(({ supportedBy }) => (supportedBy?.excerpt.length ?? 0) > 0));
  },
  { timeout: 90_000 },
);

hostTest('a failed request of an agent returns a sentence', async () => {
  await assert.rejects(
    called('parallax_evaluate_retrieval', { pipelines: ['nope'] }),
    /There is no pipeline "nope"\. Available: /u,
  );
});
