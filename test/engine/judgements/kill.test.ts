import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { verdictReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import {
  agreeingInRound2,
  collector,
  durableJudge,
  DURABLE_CONCURRENCY,
  pairsOf,
  partIn,
  serverFor,
  type DurableKind,
} from '../judges/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const CHILD = fileURLToPath(new URL('judging-child.ts', import.meta.url));

const FAULTS: readonly ChatReply[] = [
  { fault: 'rate-limit', retryAfter: '1' },
  { fault: 'status', status: 500 },
  { fault: 'hang' },
  { fault: 'garbage' },
  { fault: 'disconnect' },
];

/** Every fifth request fails, each in another way. Counts the paid answers by prompt. */
class FaultyModel {
  readonly paid = new Map<string, number>();
  faults = 0;
  readonly #answer: (request: ChatRequest) => ChatReply;

  constructor(answer: (request: ChatRequest) => ChatReply) {
    this.#answer = answer;
  }

  readonly chat = (request: ChatRequest): ChatReply => {
    // No request fails forever: the test is about losses, not about giving up.
    if (request.index % 5 === 4 && request.attempt <= 4) return FAULTS[this.faults++ % FAULTS.length]!;
    const prompt = request.messages[1]!.content;
    this.paid.set(prompt, (this.paid.get(prompt) ?? 0) + 1);
    return this.#answer(request);
  };

  get paidInAll(): number {
    return [...this.paid.values()].reduce((sum, times) => sum + times, 0);
  }
}

interface Ordeal {
  readonly kind: DurableKind;
  readonly pairs: number;
  readonly answer: (request: ChatRequest) => ChatReply;
  /** The number of paid answers for each pair. */
  readonly answersPerPair: number;
  /** Each run is killed after this number of judgements. */
  readonly kills: readonly number[];
}

/** Judges in processes that are killed, then in this one, and checks that everything is stored and was paid once. */
async function survive(
  t: TestContext,
  { kind, pairs, answer, answersPerPair, kills }: Ordeal,
): Promise<void> {
  const folder = temporaryFolder(t);
  const path = join(folder, 'judgements.sqlite');
  const model = new FaultyModel(answer);
  const server = await serverFor(t, { chat: model.chat, delayMs: 1 });

  const delivered = new Set<number>();
  for (const killAfter of kills)
    await judgeUntilKilled([kind, server.url, path, String(pairs)], killAfter, delivered);
  const atLeast = kills.reduce((sum, after) => sum + after, 0) - kills[0]!;
  assert.ok(delivered.size >= atLeast && delivered.size < pairs, `${delivered.size} delivered`);

  const db = openDatabase(path);
  t.after(() => db.close());
  const judge = durableJudge(kind, server.url, db);
  const known = await judge.known(pairsOf(pairs));
  for (const index of delivered) assert.ok(known[index], `pair ${index} was lost`);

  const rest = collector();
  const report = await judge.judge(pairsOf(pairs), rest);
  assert.deepEqual([rest.delivered.size, report.failed, report.unparsable], [pairs, 0, 0]);
  assert.equal((await judge.known(pairsOf(pairs))).filter(Boolean).length, pairs);

  const twice = model.paidInAll - pairs * answersPerPair;
  const inFlight = kills.length * DURABLE_CONCURRENCY;
  assert.equal(model.paid.size, pairs * answersPerPair);
  assert.ok(twice >= 0 && twice <= inFlight, `${twice} paid for twice, at most ${inFlight} were in flight`);
  t.diagnostic(
    `${pairs} judgements (${kind}), ${server.requests.length} requests, ${model.faults} of them faulty, ` +
      `killed ${kills.length} times: ${twice} answers paid for twice, at most ${inFlight} in flight at the kills`,
  );
}

/** Runs a judge in another process and kills it after this number of judgements. */
async function judgeUntilKilled(
  argv: readonly string[],
  killAfter: number,
  delivered: Set<number>,
): Promise<void> {
  const child = spawn(process.execPath, [CHILD, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    delivered.add(Number(line));
    if (++lines === killAfter) child.kill('SIGKILL');
  }
  const [, signal] = (await exit) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

describe('killed twice during judging, with every fifth request failing', () => {
  // The second run first delivers what the first one paid for.
  test('1,000 judgements of a single model are complete and paid for once', (t) =>
    survive(t, {
      kind: 'single model',
      pairs: 1_000,
      answer: () => verdictReply('yes'),
      answersPerPair: 1,
      kills: [300, 700],
    }));

  test('100 debates of two rounds are complete and continue in their round', async (t) => {
    const agree = agreeingInRound2('no');
    const inSecondRound = new Set<string>();
    let begunAgain = 0;
    await survive(t, {
      kind: 'debate',
      pairs: 100,
      answer: (request) => {
        const { isFirstRound, texts } = partIn(request.messages);
        const passage = texts['passage'] ?? '';
        if (!isFirstRound) inSecondRound.add(passage);
        else if (inSecondRound.has(passage)) begunAgain++;
        return agree(request);
      },
      answersPerPair: 4,
      kills: [30, 70],
    });
    assert.equal(begunAgain, 0);
  });
});
