/**
 * The saving of one request for each passage over one for each pair: requests and tokens over the sample's questions
 * (the top 5 of BM25, its own labels as the model), and over passages of other lengths with more and fewer
 * perspectives. The model answers as instructed: evidence for every "yes" only, a reason for every verdict.
 *
 *   npm run bench -- requests
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LabelIndex } from '../src/core/formats/label-index.ts';
import { parseLabels } from '../test/fixtures/parse-labels.ts';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { STANDARDS } from '../src/core/judging/standard.ts';
import type { PromptForm } from '../src/core/judging/prompts/prompt-form.ts';
import { BUILT_IN_PIPELINES } from '../src/core/pipeline.ts';
import { sentencesOf } from '../src/core/split/sentences.ts';
import { EncoderTokenizer } from '../src/engine/encoders/encoder-tokenizer.ts';
import { createChatJudge } from '../src/engine/judges/chat-judge.ts';
import type { JudgePair, JudgeReport } from '../src/engine/judges/judge.ts';
import type { ChatModel } from '../src/engine/models/chat-model.ts';
import type { PipelineServices } from '../src/engine/retrieval/pipeline-services.ts';
import { judgedReply } from '../test/fixtures/model-server.ts';
import { openPlainIndex } from './support/plain-index.ts';
import { table, thousands } from './support/report.ts';

const SAMPLE = 'media/sample';
const TOKENIZER = '../shared/data/tokenizers/all-MiniLM-L6-v2';
/** Reasons of the requested length: one short sentence, at most eight words. */
const REASONS = {
  pair: 'The passage reports a count that bears directly on what is stated.',
  passage: 'The count bears directly on what is stated.',
};

type IsSupport = (passage: string, statement: string) => boolean;
interface Workload {
  readonly name: string;
  readonly pairs: readonly JudgePair[];
  readonly isSupport: IsSupport;
}

const countTokens = await tokenCounter();
const sample = await ofSample();
const words = sample.pairs.flatMap(({ passage }) => passage.text.split(/\s+/));
const workloads = [sample, ...[100, 300].flatMap((length) => [2, 3, 4, 5, 6].map((m) => madeUp(length, m)))];
const header = ['', 'requests', 'tokens', 'requests, by passage', 'tokens, by passage', 'tokens saved'];
const rows = await Promise.all(
  workloads.map(async ({ name, pairs, isSupport }) => {
    const [old, now] = await Promise.all(
      (['pair', 'passage'] as const).map((mode) => judged(pairs, isSupport, mode)),
    );
    const cells = [old!, now!].flatMap((report) => [thousands(report.requests), thousands(tokensOf(report))]);
    return [name, ...cells, `${(100 * (1 - tokensOf(now!) / tokensOf(old!))).toFixed(1)}%`];
  }),
);
process.stdout.write(`${table(header, rows)}\n`);

/** Uses a real vocabulary if there is one, else four characters for each token. */
async function tokenCounter(): Promise<(text: string) => number> {
  if (!existsSync(TOKENIZER)) {
    process.stdout.write('Tokens are estimated at four characters each.\n');
    return (text) => text.length / 4;
  }
  const tokenizer = await EncoderTokenizer.load(TOKENIZER, 100_000);
  process.stdout.write('Tokens are those of the vocabulary of all-MiniLM-L6-v2.\n');
  return (text) => tokenizer.encode(text).length;
}

async function ofSample(): Promise<Workload> {
  const read = (file: string): string => readFileSync(path.join(SAMPLE, file), 'utf8');
  const { queries } = parseEvalSet(read('eval/questions.parallax.jsonl'), 'questions');
  const labels = new LabelIndex(parseLabels(read('.parallax/judgements.jsonl')).labels);
  const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const index = await openPlainIndex({
    folder: SAMPLE,
    store,
    corpus: { roots: ['docs'], split: { type: 'words', size: 100 } },
    dimensions: 64,
  });
  await index.update({});
  const supporting = new Set<string>();
  const pairs: JudgePair[] = [];
  for (const query of queries) {
    const { hits } = await index.search(BUILT_IN_PIPELINES.bm25, query, 5, {} as PipelineServices);
    for (const passage of index.passages(hits.map(({ item }) => item))) {
      const neighbours = index.neighbours(passage);
      for (const perspective of query.perspectives) {
        pairs.push({ passage, perspective, question: query.text, neighbours: () => neighbours });
        const asked = { perspectiveText: perspective.text, queryId: query.id, perspectiveId: perspective.id };
        if (labels.lookup(asked, passage)?.verdict === 'yes')
          supporting.add(`${passage.text}\n${perspective.text}`);
      }
    }
  }
  await index.close();
  rmSync(store, { recursive: true });
  const isSupport: IsSupport = (passage, statement) => supporting.has(`${passage}\n${statement}`);
  return { name: `the sample (${queries.length} questions)`, pairs, isSupport };
}

/** A hundred passages of the sample's words; only the first perspective has support. */
function madeUp(length: number, perspectives: number): Workload {
  const from = (start: number, many: number): string =>
    Array.from({ length: many }, (_, at) => words[(start + at) % words.length]).join(' ');
  const statements = Array.from({ length: perspectives }, (_, place) => from(1_000 * place + 7, 20));
  const pairs = Array.from({ length: 100 }, (_, place): JudgePair[] => {
    const start = place * length;
    const passage = {
      text: `${place} ${from(start, length)}`,
      title: from(start + 3, 4),
      section: from(start + 9, 3),
    };
    const neighbours = (): { before: string; after: string } => ({
      before: from(start - 20 + words.length, 20),
      after: from(start + length, 20),
    });
    return statements.map((text) => ({
      passage,
      perspective: { text },
      question: from(5_000, 12),
      neighbours,
    }));
  }).flat();
  const name = `100 passages of ${length} words × ${perspectives} perspectives`;
  return { name, pairs, isSupport: (_, statement) => statement === statements[0] };
}

function judged(
  pairs: readonly JudgePair[],
  isSupport: IsSupport,
  mode: PromptForm['mode'],
): Promise<JudgeReport> {
  const judge = createChatJudge({
    name: mode,
    model: scripted(isSupport, mode),
    standard: STANDARDS.berds,
    form: { mode, explain: true, shots: 0 },
    concurrency: 1,
    timeoutMs: 1_000,
  });
  return judge.judge(pairs);
}

function scripted(isSupport: IsSupport, mode: PromptForm['mode']): ChatModel {
  return {
    id: 'scripted',
    model: 'scripted',
    label: 'scripted',
    complete: (messages, { onRequest }) => {
      onRequest?.();
      const answer = judgedReply(messages, (passage, statement) => {
        const isYes = isSupport(passage, statement);
        return {
          evidence: isYes ? firstWords(passage) : null,
          verdict: isYes ? 'yes' : 'no',
          reason: REASONS[mode],
        };
      });
      const text = 'text' in answer ? answer.text : '';
      const prompt = countTokens(messages.map(({ content }) => content).join('\n'));
      return Promise.resolve({ text, usage: { prompt, completion: countTokens(text) } });
    },
  };
}

/** The first sentence, or the first words of a text without a full stop. */
function firstWords(passage: string): string {
  const [first] = sentencesOf(passage);
  return passage.slice(first?.start, first?.end).split(/\s+/).slice(0, 30).join(' ');
}

function tokensOf({ tokens }: JudgeReport): number {
  return tokens.prompt + tokens.completion;
}
