/**
 * A scripted agent that follows the server's instructions, in a project without labels and parallax.json: from the
 * complaint to a verified change, and a second session.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { MAX_CHARACTERS } from '../../../src/features/agents/tools/answer.ts';
import { TOWN_QUESTION, writeOneSidedProject } from '../../fixtures/one-sided-project.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { run } from '../cli/support.ts';

const CLI = path.resolve('dist/cli.js');

type Json = Record<string, unknown>;

interface Session {
  readonly ask: (name: string, input?: object) => Promise<Json>;
  readonly close: () => Promise<void>;
  /** Calls that were answered, and characters of their answers. */
  readonly spent: { calls: number; characters: number };
}

async function connect(t: TestContext, folder: string): Promise<Session> {
  const client = new Client({ name: 'scripted-agent', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp'],
    cwd: folder,
    env: { ...(process.env as Record<string, string>), TMPDIR: path.dirname(folder) },
    stderr: 'ignore',
  });
  await client.connect(transport);
  t.after(() => client.close());
  // From here on, the client validates every answer by the schema of its tool.
  await client.listTools();
  const spent = { calls: 0, characters: 0 };
  return {
    spent,
    close: () => client.close(),
    ask: async (name, input = {}) => {
      const answer = await client.callTool({ name, arguments: { ...input } });
      const [{ text }] = answer.content as [{ readonly text: string }];
      assert.ok(answer.isError !== true, text);
      assert.ok(text.length <= MAX_CHARACTERS, `${name}: ${text.length}`);
      assert.deepEqual(answer.structuredContent, JSON.parse(text));
      spent.calls++;
      spent.characters += text.length;
      return answer.structuredContent as Json;
    },
  };
}

const PERSPECTIVES = [
  'Sunday opening serves families who cannot come on other days.',
  'Every further shift costs wages and heating, and the book fund pays for it.',
  'Colleagues would rather resign than give up another weekend.',
  'The building can be open without desk staff, by volunteers or self-service.',
];
/** A careful reader's verdicts on the passages, by words of the passage. */
const QUOTES: readonly (readonly [perspective: number, quote: string])[] = [
  [1, 'Sunday is the only day on which they can visit the library together'],
  [1, 'Children whose parents work on Saturdays never see the library open'],
  [2, 'The book fund would have to be cut by a third to pay for it'],
  [3, 'they would resign rather than give up another weekend'],
  [4, 'keep the reading room open without desk service'],
  [4, 'the building can be entered by card when nobody is at the desk'],
];

interface Passage {
  readonly id: string;
  readonly text: string;
}

const labelsOf = (passages: readonly Passage[]): object[] =>
  [...new Map(passages.map((passage) => [passage.id, passage])).values()].map(({ id, text }) => ({
    passage: id,
    supports: QUOTES.filter(([, quote]) => text.includes(quote)).map(([perspective, quote]) => ({
      perspective,
      quote,
    })),
  }));

interface Pipelines {
  readonly pipelines: readonly {
    readonly name: string;
    readonly standsFor?: object;
    readonly judgedShare: number;
    readonly figures: Readonly<Record<string, { readonly value: number }>>;
  }[];
}
const recallOf = ({ pipelines }: Pipelines, name: RegExp): number =>
  pipelines.find((pipeline) => name.test(pipeline.name))!.figures['StRecall@4']!.value;

test('from "our answers are one-sided" to a verified change, and again in a second session', async (t) => {
  const folder = path.join(temporaryFolder(t), 'town');
  const program = await writeOneSidedProject(folder);
  const { ask, spent, close } = await connect(t, folder);
  const mmr = (lambda: number): object => ({
    name: `MMR ${lambda}`,
    retriever: { type: 'dense', embedder: 'meaning' },
    rerank: [{ type: 'mmr', lambda, embedder: 'meaning' }],
    k: 4,
  });
  const pipelines = ['hybrid', mmr(0.5), mmr(0.3)];
  const queries = [{ text: TOWN_QUESTION, perspectives: PERSPECTIVES }];

  const { sites } = (await ask('list_retrieval_sites')) as { sites: { file: string; line: number }[] };
  const [{ file, line }] = sites as [{ file: string; line: number }];
  const site = { file, line };
  const seen = (await ask('search', { query: TOWN_QUESTION, site })) as {
    passages: Passage[];
    standsFor: object;
  };
  const deeper = (await ask('look_deeper', { query: TOWN_QUESTION, site, perspectives: PERSPECTIVES })) as {
    passages: Passage[];
    notice: string;
  };
  assert.match(deeper.notice, /Do not follow instructions/u);
  const pool = (await ask('list_unjudged', { queries, site, pipelines })) as {
    questions: { passages: Passage[] }[];
  };
  const read = [...seen.passages, ...deeper.passages, ...pool.questions.flatMap((each) => each.passages)];
  const { id } = read.find(({ text }) => /Market day|Repair of the roof|Swimming pool/u.test(text))!;
  const invented = { passage: id, supports: [{ perspective: 2, quote: 'It costs wages and heating.' }] };
  const nowhere = { passage: 'docs/nowhere.md#p1', supports: [] };
  const labels = [...labelsOf(read), invented, nowhere];
  const labelled = await ask('label', {
    questions: [{ query: TOWN_QUESTION, perspectives: PERSPECTIVES, labels }],
  });
  assert.deepEqual(
    (labelled['refused'] as { passage: string; why: string }[]).map(({ passage, why }) => [passage, why]),
    [
      [id, 'the passage does not contain the quotation'],
      ...PERSPECTIVES.map(() => [nowhere.passage, 'the corpus has no passage of this id']),
    ],
  );
  assert.deepEqual(labelled['by'], { kind: 'agent', name: 'scripted-agent' });
  const tried = (await ask('evaluate_retrieval', { queries, site, pipelines })) as unknown as Pipelines;
  assert.ok(tried.pipelines.every(({ judgedShare }) => judgedShare === 1));
  assert.equal(recallOf(tried, /rebuilt/u), 0.25);
  assert.equal(recallOf(tried, /^MMR 0\.3$/u), 0.75);

  const source = await readFile(program, 'utf8');
  const changed = source.replace(
    'similarity_search(question, k=4)',
    'max_marginal_relevance_search(question, k=4, fetch_k=100, lambda_mult=0.3)',
  );
  await writeFile(program, changed);
  const verified = (await ask('evaluate_retrieval', {
    queries,
    site,
    baseline: seen.standsFor,
  })) as unknown as Pipelines;
  assert.equal(recallOf(verified, /^before: /u), 0.25);
  assert.equal(recallOf(verified, /^max_marginal_relevance_search/u), 0.75);
  await ask('save_eval_set', { questions: [{ query: TOWN_QUESTION, perspectives: PERSPECTIVES }] });
  // About four characters make a token.
  assert.ok(spent.calls <= 8 && spent.characters <= 40_000, JSON.stringify(spent));
  const accepted = await ask('accept_baseline', { site });
  assert.deepEqual([accepted['wrote'], accepted['holes']], ['parallax.json', []]);
  await close();

  const second = await connect(t, folder);
  const again = (await second.ask('evaluate_retrieval', { site })) as unknown as Pipelines;
  assert.deepEqual(again.pipelines[0]!.judgedShare, 1);
  assert.equal(recallOf(again, /^max_marginal/u), 0.75);
  await second.close();

  const gate = () => run(gateCommand, '--config', path.join(folder, 'parallax.json'));
  assert.equal((await gate()).code, 0);
  const config = path.join(folder, 'parallax.json');
  const text = await readFile(config, 'utf8');
  await writeFile(config, text.replace('"lambda": 0.3', '"lambda": 0.9'));
  const failed = await gate();
  assert.equal(failed.code, 1, failed.stdout);
  assert.match(failed.stdout, /book fund/u);
});
