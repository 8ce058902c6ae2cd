/**
 * Judges: how good the offline judges are on labelled pairs, beside baselines on the same pairs and
 * the papers' figures on other data; and what the engine adds to each judgement.
 *
 *     node bench/judges.ts [--nli <folder of an NLI model> [--file onnx/model_quantized.onnx] [--maxTokens 512]]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeValidation } from '../src/features/validation/cli/validation-tables.ts';
import { parseLabelledPairs } from '../src/core/formats/labelled-pairs.ts';
import { CALIBRATION_OBJECTIVES } from '../src/features/validation/core/threshold.ts';
import { STANDARDS } from '../src/core/judging/standard.ts';
import { analyze } from '../src/core/text/analyzer.ts';
import type { Figures } from '../src/features/validation/core/confusion.ts';
import { referenceSetOf, type ReferencePair } from '../src/features/validation/core/reference-set.ts';
import { calibrateJudge } from '../src/features/validation/engine/calibrate-judge.ts';
import { validateJudges } from '../src/features/validation/engine/validate-judge.ts';
import { createCachedJudge } from '../src/engine/judgements/cached-judge.ts';
import { createChatJudge } from '../src/engine/judges/chat-judge.ts';
import { createDebateJudge } from '../src/engine/judges/debate-judge.ts';
import type { Judge, JudgePair } from '../src/engine/judges/judge.ts';
import { JudgementCache } from '../src/engine/judgements/judgement-cache.ts';
import { createLexicalJudge } from '../src/engine/judges/lexical-judge.ts';
import { createNliJudge } from '../src/engine/judges/nli-judge.ts';
import { NliModel } from '../src/engine/models/nli-model.ts';
import { createOpenAiModel } from '../src/engine/models/openai-model.ts';
import { PaidReplies } from '../src/engine/models/paid-replies.ts';
import { openDatabase } from '../src/engine/store/database.ts';
import { argumentReply, startModelServer, verdictReply } from '../test/fixtures/model-server.ts';

const LABELS = new URL('../../shared/data/berds/perspective-detection.jsonl', import.meta.url);

const lexical = createLexicalJudge('lexical', (text) => analyze(text, 'english'));

const { values: options } = parseArgs({
  options: {
    nli: { type: 'string' },
    file: { type: 'string' },
    maxTokens: { type: 'string', default: '512' },
  },
});

await printQuality();
await printCacheLookups(100_000);
await printOverhead(2_000, 32);
await printDebateOverhead(1_000, 16);
await printRoundLatency([200, 50]);

async function printQuality(): Promise<void> {
  if (!existsSync(LABELS)) return console.log('Quality: cannot run here, ../shared/data is absent.\n');
  const set = referenceSetOf(parseLabelledPairs(readFileSync(LABELS, 'utf8')), undefined);
  const model = options.nli === undefined ? undefined : openNli(options.nli);
  const nli = model && nliJudge(model);
  const judges = [lexical, ...(nli ? [nli] : [])].map((judge) => ({ judge, repeated: () => ({ judge }) }));
  console.log(describeValidation(await validateJudges({ set, judges }), 'labelled BERDS'));
  if (nli) await printCalibration(nli, set.pairs);
  await model?.dispose();
}

function openNli(path: string): NliModel {
  const { file, maxTokens } = options;
  return new NliModel({ path, file, entailment: undefined, maxTokens: Number(maxTokens) }, process.cwd());
}

/** With the threshold that needs no labels. */
function nliJudge(model: NliModel): Judge {
  const judge = createNliJudge({ name: 'nli', model, threshold: () => Promise.resolve(0.5) });
  return createCachedJudge(judge, new JudgementCache(openDatabase(':memory:')));
}

async function printCalibration(judge: Judge, pairs: readonly ReferencePair[]): Promise<void> {
  const percent = (figure: number | null): string => (figure === null ? '–' : (100 * figure).toFixed(1));
  const shown = ({ accuracy, balancedAccuracy, f1, kappa }: Figures): string =>
    `accuracy ${percent(accuracy)}, balanced ${percent(balancedAccuracy)}, F1 ${percent(f1)}, κ ${kappa?.toFixed(3) ?? '–'}`;
  for (const objective of CALIBRATION_OBJECTIVES) {
    const { threshold, figures, heldOut } = await calibrateJudge(judge, pairs, objective);
    console.log(`Threshold ${threshold.toFixed(4)} for ${objective}: ${shown(figures)} (flattering)`);
    if (heldOut) console.log(`  perspectives held out: ${shown(heldOut)}`);
  }
  console.log();
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

/** Time for each judgement with an instant server, compared with bare requests to it. */
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

/** Time for each debate that ends in its first round, compared with as many bare requests. */
async function printDebateOverhead(count: number, concurrency: number): Promise<void> {
  const server = await startModelServer({ chat: [argumentReply('yes', 'It says so.', ['It supports.'])] });
  const db = openDatabase(':memory:');
  const cache = new JudgementCache(db);
  const judge = createCachedJudge(debateOn(server.url, concurrency, new PaidReplies(cache.replies)), cache);
  const bare = await timed(() => bareRequests(server.url, 2 * count, 2 * concurrency));
  const judged = await timed(() => judge.judge(debatePairs(count)));
  console.log(
    `\nDebates: ${count} of one round, ${concurrency} at a time: two bare requests ${(bare / count).toFixed(2)} ms, debate with cache ${(judged / count).toFixed(2)} ms, difference ${((judged - bare) / count).toFixed(2)} ms a debate`,
  );
  db.close();
  await server.close();
}

/** Duration of a round whose agents take these times: the slower one's, not the sum. */
async function printRoundLatency(agentsMs: readonly [number, number]): Promise<void> {
  const server = await startModelServer({
    chat: async ({ messages }) => {
      const isFirstAgent = messages[1]?.content.includes('Your initial stance: the passage supports');
      await delay(agentsMs[isFirstAgent ? 0 : 1]);
      return argumentReply('yes');
    },
  });
  const rounds = 10;
  const taken = await timed(() =>
    debateOn(server.url, 1, new PaidReplies(undefined)).judge(debatePairs(rounds)),
  );
  console.log(
    `Debates: a round of agents that take ${agentsMs.join(' and ')} ms takes ${(taken / rounds).toFixed(0)} ms (mean of ${rounds})`,
  );
  await server.close();
}

function debateOn(baseUrl: string, concurrency: number, replies: PaidReplies): Judge {
  const model = createOpenAiModel({ baseUrl, model: 'scripted', keyName: 'none', maxRetries: 0 });
  const agent = { model, timeoutMs: 60_000 };
  return createDebateJudge({
    name: 'bench',
    agents: [agent, agent],
    rounds: 2,
    standard: STANDARDS.berds,
    includeQuestion: false,
    concurrency,
    replies,
  });
}

function debatePairs(count: number): JudgePair[] {
  return Array.from({ length: count }, (_, i) => ({
    passage: { text: `Number ${i}. It supports. ${'More words. '.repeat(40)}` },
    perspective: { text: 'A statement.' },
  }));
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
