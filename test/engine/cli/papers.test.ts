/** Runs each command of docs/papers.md to its end, with a tiny encoder and a scripted endpoint. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { buildCommand } from '../../../src/features/building/cli/build-command.ts';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { judgeCommand } from '../../../src/cli/commands/judging/judge-command.ts';
import { pirCommand } from '../../../src/features/papers/cli/pir-command.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { verdictReply, wordReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { writeTinyCrossEncoder, writeTinyEncoder, writeTinyNli } from '../../fixtures/tiny-encoder/make.ts';
import { plainModel } from '../answers/support.ts';
import { serverFor } from '../judges/support.ts';
import { lines, run, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const PAGE = readFileSync('docs/papers.md', 'utf8');
const CONFIG = readFileSync('media/examples/papers/parallax.json', 'utf8');

const COMMANDS: Readonly<Record<string, Parameters<typeof run>[0]>> = {
  build: buildCommand,
  convert: convertCommand,
  eval: evalCommand,
  judge: judgeCommand,
  pir: pirCommand,
};

/** The commands of all code blocks. */
const NAMED = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gmu)].flatMap(([, block]) => block!.trim().split('\n'));
const FILES = [
  'corpus.jsonl',
  'queries.jsonl',
  'qrels.txt',
  'labels.jsonl',
  'questions.txt',
  'sided.jsonl',
  'drafts.jsonl',
  'filled.json',
  'filled.txt',
  'task.json',
  'folder',
  'filled.txt.judges.jsonl',
  'pairs.jsonl',
  'triples.jsonl',
];

/** Gives the shortest valid answer to every prompt. */
function reply(request: ChatRequest): ChatReply {
  const text = request.messages.map(({ content }) => content).join('\n');
  const has = (words: RegExp): boolean => words.test(text);
  if (has(/"root"/u)) return { text: JSON.stringify({ root: 'tax', perspective: 'left' }) };
  if (has(/"perspectives"/u))
    return {
      text: JSON.stringify({ perspectives: ['It helps the city.', 'It harms the city.'], personal: false }),
    };
  if (has(/On which side does each statement stand/u))
    return { text: JSON.stringify({ 1: 'support', 2: 'oppose' }) };
  if (has(/Answer with one word/u)) return wordReply(/Passage \d is the first/u.test(text) ? 0.9 : 0.2);
  if (has(/"verdict"/u) && readFenced(request.messages).texts['answer'] !== undefined)
    return plainModel(request);
  if (has(/"verdict"/u)) return verdictReply(/\bpro\b|first|second/u.test(text) ? 'yes' : 'no');
  if (has(/query-[0-9a-f]{16}/u)) return { text: 'A passage on the first and the other.' };
  return plainModel(request);
}

/** A model has to choose the stances of one question. */
function withoutLastStances(queries: string): string {
  const written = queries.trim().split('\n');
  const last = written.at(-1)!.replaceAll(/,"stance":"\w+"/gu, '');
  return [...written.slice(0, -1), last, ''].join('\n');
}

/** The files that the page names, as small as possible. */
async function workspace(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  const server = await serverFor(t, { chat: reply });
  const config = JSON.parse(CONFIG) as {
    embedders: Record<string, { type: string; baseUrl?: string; path?: string; query?: string }>;
    judges: Record<string, { type: string; baseUrl?: string }>;
  };
  for (const model of Object.values(config.embedders).flatMap(({ path: own, query }) => [own, query]))
    if (model !== undefined) await writeTinyEncoder(path.join(folder, model));
  await writeTinyCrossEncoder(path.join(folder, 'models/tart-full'));
  await writeTinyNli(path.join(folder, 'models/judge'));
  for (const remote of [...Object.values(config.judges), ...Object.values(config.embedders)])
    if (remote.type === 'openai') remote.baseUrl = server.url;
  const { corpus, queries, qrels } = topics(10);
  const texts = {
    'parallax.json': JSON.stringify(config),
    'corpus.jsonl': corpus,
    'queries.jsonl': withoutLastStances(queries),
    'qrels.txt': qrels,
    'filled.txt': qrels,
    'filled.txt.judges.jsonl': lines([{ query: 'q1', perspective: 'pro', passage: 'a1', relevance: 1 }]),
    'questions.txt': 'Should the city ban cars?\n',
    'labels.jsonl': lines(
      [1, 0, 1, 0].map((label, at) => ({
        question: 'Why?',
        document: `Passage ${at} is the ${label ? 'first' : 'other'}.`,
        perspective: 'It is.',
        label,
      })),
    ),
    'task.json': JSON.stringify({
      corpus: ['tax left', 'tax right', 'war left', 'noise'],
      source_queries: ['tax', 'tax', 'war'],
      perspectives: ['left', 'right', 'left'],
      queries: ['tax left', 'tax right', 'war left'],
      query_labels: ['L', 'R', 'L'],
      key_ref: { 0: [0], 1: [1], 2: [2] },
    }),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), text);
  await mkdir(path.join(folder, 'folder'));
  for (const name of ['corpus.jsonl', 'queries.jsonl'] as const)
    await writeFile(path.join(folder, 'folder', name), texts[name]);
  return folder;
}

/** A paper's section of the page. */
function sectionOf(title: string): string {
  return PAGE.slice(PAGE.indexOf(`## ${title}\n`)).split(/^## /mu)[1]!;
}

/** The tables or figures that a text names, one by one or as ranges. */
function numbersOf(kind: string, text: string): Set<number> {
  const found = new Set<number>();
  for (const [, list] of text.matchAll(RegExp(`${kind}s? (\\d+(?:(?:, | and | to )\\d+)*)`, 'gu'))) {
    const parts = list!.split(/(, | and | to )/u);
    for (let at = 0; at < parts.length; at += 2) {
      const from = parts[at - 1] === ' to ' ? Number(parts[at - 2]) : Number(parts[at]);
      for (let number = from; number <= Number(parts[at]); number++) found.add(number);
    }
  }
  return found;
}

describe('the page of the papers', () => {
  test('has a valid configuration', () => {
    assert.ok(configSchema.safeParse(JSON.parse(CONFIG)).success);
  });

  test('has every table and figure of the papers, once or in a range', () => {
    for (const [title, tables, figures] of [
      ['BERDS', 21, 3],
      ['PIR', 10, 6],
      ['DREAM and BRIDGE', 29, 4],
    ] as const)
      for (const [kind, last] of [
        ['Table', tables],
        ['Figure', figures],
      ] as const) {
        const spoken = numbersOf(kind, sectionOf(title));
        const missing = Array.from({ length: last }, (_, at) => at + 1).filter(
          (number) => !spoken.has(number),
        );
        assert.deepEqual(missing, [], `${title}, ${kind}`);
      }
  });

  test('gives the cost of every table and figure with a command', () => {
    const rows = PAGE.slice(PAGE.indexOf('## What the runs cost'), PAGE.indexOf('## Encoders'));
    const numbersIn = (kind: string, papers: readonly string[]): Set<number> =>
      numbersOf(
        kind,
        [...rows.matchAll(/^\| (.+?) {2,}?\|/gmu)]
          .map(([, first]) => first!)
          .filter((first) => papers.some((paper) => first.startsWith(paper)))
          .join('\n'),
      );
    for (const [title, papers] of [
      ['BERDS', ['BERDS']],
      ['PIR', ['PIR']],
      ['DREAM and BRIDGE', ['DREAM', 'BRIDGE']],
    ] as const)
      for (const section of sectionOf(title).split(/^### /mu).slice(1)) {
        if (!section.includes('```sh')) continue;
        const heading = section.split('\n', 1)[0]!;
        for (const kind of ['Table', 'Figure'])
          for (const number of numbersOf(kind, heading))
            assert.ok(numbersIn(kind, papers).has(number), `${title}, ${kind} ${number}`);
      }
  });

  for (const line of NAMED)
    test(line, async (t) => {
      const folder = await workspace(t);
      const [parallax, name, ...given] = line.split(' ');
      assert.equal(parallax, 'parallax');
      const argv = given.map((word) => {
        const [format, file] = word.split('=');
        if (file !== undefined && FILES.includes(file)) return `${format}=${path.join(folder, file)}`;
        return FILES.includes(word) ? path.join(folder, word) : word;
      });
      const config = name === 'convert' ? [] : ['--config', path.join(folder, 'parallax.json')];
      const { code, stderr } = await run(COMMANDS[name!]!, ...argv, ...config);
      assert.equal(code, 0, stderr);
    });
});
