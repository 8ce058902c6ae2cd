import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createCachedJudge } from '../../../src/engine/judges/cached-judge.ts';
import { JudgementCache } from '../../../src/engine/judges/judgement-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { verdictReply } from '../../fixtures/model-server.ts';
import { collector, judgeOn, pairsOf, serverFor } from './support.ts';

const CHILD = fileURLToPath(new URL('judging-child.ts', import.meta.url));
const PAIRS = 300;
const CONCURRENCY = 4;

test('killed twice in the middle, a run loses nothing it delivered and pays again only for what was in flight', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-kill-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'judgements.sqlite');
  const server = await serverFor(t, { chat: [verdictReply('yes')], delayMs: 1 });

  const delivered = new Set<number>();
  for (const killAfter of [40, 120]) await judgeUntilKilled(server.url, path, killAfter, delivered);
  assert.ok(delivered.size >= 120 && delivered.size < PAIRS, `${delivered.size} delivered`);

  const db = openDatabase(path);
  t.after(() => db.close());
  const judge = createCachedJudge(judgeOn(server.url), new JudgementCache(db));
  const known = await judge.known(pairsOf(PAIRS));
  for (const index of delivered) assert.ok(known[index], `pair ${index} was lost`);

  const rest = collector();
  const report = await judge.judge(pairsOf(PAIRS), rest);
  assert.equal(rest.delivered.size, PAIRS);
  assert.equal(report.failed, 0);
  assert.ok(server.requests.length <= PAIRS + 2 * CONCURRENCY, `${server.requests.length} requests`);
});

/** Runs the judge in a process of its own and kills it when so many judgements have been delivered. */
async function judgeUntilKilled(
  url: string,
  path: string,
  killAfter: number,
  delivered: Set<number>,
): Promise<void> {
  const child = spawn(process.execPath, [CHILD, url, path, String(PAIRS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    delivered.add(Number(line));
    if (++lines === killAfter) child.kill('SIGKILL');
  }
  const [, signal] = (await exit) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}
