/**
 * Judges: how good the offline heuristic is on labelled pairs, beside two baselines on the same pairs and
 * the papers' figures on other data; and what the engine adds to each judgement.
 *
 *     node bench/judges.ts
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { STANDARDS } from '../src/core/judging/standard.ts';
import type { Verdict } from '../src/core/model.ts';
import { analyze } from '../src/core/text/analyzer.ts';
import { createCachedJudge } from '../src/engine/judges/cached-judge.ts';
import { createChatJudge } from '../src/engine/judges/chat-judge.ts';
import type { Judge, JudgePair } from '../src/engine/judges/judge.ts';
import { JudgementCache } from '../src/engine/judges/judgement-cache.ts';
import { createLexicalJudge } from '../src/engine/judges/lexical-judge.ts';
import { createOpenAiModel } from '../src/engine/judges/openai-model.ts';
import { openDatabase } from '../src/engine/store/database.ts';
import { startModelServer, verdictReply } from '../test/fixtures/model-server.ts';
import { seededRandom } from './support/random.ts';

const LABELS = new URL('../../shared/data/berds/perspective-detection.jsonl', import.meta.url);
const labelled = z.object({
  document: z.string(),
  perspective: z.string(),
  label: z.union([z.literal(0), z.literal(1)]),
});

const lexical = createLexicalJudge('lexical', (text) => analyze(text, 'english'));

await printQuality();
await printCacheLookups(100_000);
await printOverhead(2_000, 32);

async function printQuality(): Promise<void> {
  if (!existsSync(LABELS)) return console.log('Quality: cannot run here, ../shared/data is absent.\n');
  const pairs = readFileSync(LABELS, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => labelled.parse(JSON.parse(line)));
  const truth = pairs.map(({ label }) => label === 1);
  const base = truth.filter(Boolean).length / truth.length;
  const verdicts = await verdictsOf(
    lexical,
    pairs.map(({ document, perspective }) => ({
      passage: { text: document },
      perspective: { text: perspective },
    })),
  );
  console.log(`Quality on ${pairs.length} labelled pairs, ${truth.filter(Boolean).length} positive`);
  console.table({
    'lexical heuristic': agreement(
      verdicts.map((verdict) => verdict === 'yes'),
      truth,
    ),
    'always no': agreement(
      truth.map(() => false),
      truth,
    ),
    'at random, same share (mean of 1,000)': averageOfRandom(truth, base),
  });
  console.log('Other data (542 pairs, BERDS Table 4): random acc 72.1 F1 16.9; T5-11B NLI 85.2 / 38.5;');
  console.log('Mistral-7B zero-shot 82.2 / 52.0; GPT-4 zero-shot 87.6 / 65.6; another human 85.2 / 65.8.\n');
}

async function verdictsOf(judge: Judge, pairs: readonly JudgePair[]): Promise<Verdict[]> {
  const verdicts = new Array<Verdict>(pairs.length).fill('unsure');
  await judge.judge(pairs, { onJudgement: (index, { verdict }) => (verdicts[index] = verdict) });
  return verdicts;
}

interface Agreement {
  readonly '% positive': number;
  readonly accuracy: number;
  readonly precision: number;
  readonly recall: number;
  readonly F1: number;
  readonly kappa: number;
}

/** Accuracy, F1 of the positive class and Cohen's κ, in per cent but κ; 0 where undefined. */
function agreement(said: readonly boolean[], truth: readonly boolean[]): Agreement {
  const n = truth.length;
  const count = (predicate: (i: number) => boolean): number => truth.filter((_, i) => predicate(i)).length;
  const both = count((i) => said[i]! && truth[i]!);
  const saidYes = count((i) => said[i]!);
  const isYes = count((i) => truth[i]!);
  const observed = count((i) => said[i] === truth[i]) / n;
  const expected = (saidYes * isYes + (n - saidYes) * (n - isYes)) / (n * n);
  return {
    '% positive': percent(saidYes / n),
    accuracy: percent(observed),
    precision: percent(saidYes ? both / saidYes : 0),
    recall: percent(isYes ? both / isYes : 0),
    F1: percent((2 * both) / (saidYes + isYes)),
    kappa: Math.round(1000 * (expected === 1 ? 0 : (observed - expected) / (1 - expected))) / 1000,
  };
}

function averageOfRandom(truth: readonly boolean[], share: number): Agreement {
  const random = seededRandom(1);
  const runs = Array.from({ length: 1_000 }, () =>
    agreement(
      truth.map(() => random() < share),
      truth,
    ),
  );
  const keys = Object.keys(runs[0]!) as (keyof Agreement)[];
  const means = keys.map((key) => [key, runs.reduce((sum, run) => sum + run[key], 0) / runs.length] as const);
  return Object.fromEntries(
    means.map(([key, value]) => [key, Math.round(value * 1000) / 1000]),
  ) as unknown as Agreement;
}

function percent(share: number): number {
  return Math.round(share * 1000) / 10;
}

async function printCacheLookups(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-bench-'));
  const db = openDatabase(join(folder, 'judgements.sqlite'));
  const judge = createCachedJudge({ ...lexical }, new JudgementCache(db));
  const pairs = Array.from({ length: count }, (_, i) => ({
    passage: { text: `${i} ${'Some words of a passage. '.repeat(25)}` },
    perspective: { text: `Perspective ${i % 500}.` },
  }));
  await judge.judge(pairs);
  const cpu = process.cpuUsage();
  const started = performance.now();
  const known = await judge.known(pairs);
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `Cache: ${known.filter(Boolean).length} of ${count} judgements looked up in ${milliseconds.toFixed(0)} ms (${((user + system) / 1000).toFixed(0)} ms of CPU), hashing of the texts included`,
  );
  const replay = performance.now();
  await judge.judge(pairs, { onJudgement: () => undefined });
  console.log(`Cache: the same delivered as judgements in ${(performance.now() - replay).toFixed(0)} ms\n`);
  db.close();
  rmSync(folder, { recursive: true });
}

/** Time per judgement against an instant server, beside bare requests to the same server. */
async function printOverhead(count: number, concurrency: number): Promise<void> {
  const server = await startModelServer({ chat: [verdictReply('yes', 'A sentence that supports.')] });
  const db = openDatabase(':memory:');
  const pairs = Array.from({ length: count }, (_, i) => ({
    passage: { text: `Number ${i}. A sentence that supports. ${'More words. '.repeat(40)}` },
    perspective: { text: 'A statement.' },
  }));
  const model = createOpenAiModel({ baseUrl: server.url, model: 'scripted', keyName: 'none', maxRetries: 0 });
  const chat = createChatJudge({
    name: 'bench',
    model,
    standard: STANDARDS.berds,
    concurrency,
    timeoutMs: 60_000,
  });
  const judge = createCachedJudge(chat, new JudgementCache(db));
  const bare = await timed(() => bareRequests(server.url, count, concurrency));
  const judged = await timed(() => judge.judge(pairs));
  console.log(
    `Overhead: ${count} judgements at concurrency ${concurrency} against an instant server in the same process`,
  );
  console.log(
    `bare fetch ${(bare / count).toFixed(2)} ms, judge with cache ${(judged / count).toFixed(2)} ms, difference ${((judged - bare) / count).toFixed(2)} ms a judgement`,
  );
  db.close();
  await server.close();
}

async function bareRequests(url: string, count: number, concurrency: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const body = JSON.stringify({
        model: 'scripted',
        messages: [{ role: 'user', content: `${next++} ${'x'.repeat(2_500)}` }],
      });
      const headers = { 'content-type': 'application/json' };
      await (await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).json();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
