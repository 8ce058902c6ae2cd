/**
 * The long run of the fault tests: kills engines at random moments and compares the remaining data with what they had
 * reported; damages every byte, or every n-th, of a small index; and exchanges files between the states of an index,
 * its copy and another. Exit code 1 if anything was lost, duplicated or wrong.
 *
 *   npm run bench -- faults [--kills 136] [--seed 1] [--damage <stride>] [--exchanges 2000]
 *
 * `--damage 1` flips a bit of every byte, which is slow; `--kills 0` kills no engine.
 */
import { parseArgs } from 'node:util';
import { DamageHarness, type Outcome } from '../test/engine/faults/support/damage.ts';
import { ENDS, ExchangeHarness, type End } from '../test/engine/faults/support/exchange.ts';
import { KillHarness, WORKS, type Kill } from '../test/engine/faults/support/kills.ts';
import { messageOf } from '../src/core/errors.ts';
import { seconds, table } from './support/report.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '136' },
    seed: { type: 'string', default: '1' },
    damage: { type: 'string' },
    exchanges: { type: 'string', default: '0' },
  },
});

const seed = Number(values.seed);
const faults: string[] = [];
const took = await seconds(async () => {
  if (Number(values.kills) > 0) await killEngines(Number(values.kills));
  if (values.damage !== undefined) await damageFiles(Number(values.damage));
  if (Number(values.exchanges) > 0) await exchangeFiles(Number(values.exchanges));
});
process.stdout.write(`\nSeed ${seed}, ${took.toFixed(0)} s, ${faults.length} faults.\n`);
for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function killEngines(count: number): Promise<void> {
  const harness = await KillHarness.start(seed);
  const kills: Kill[] = [];
  try {
    for (let n = 0; n < count; n++) {
      const work = WORKS[n % WORKS.length]!;
      try {
        kills.push(await harness.kill(work));
        process.stderr.write(`\r${n + 1} of ${count} kills `);
      } catch (error) {
        faults.push(`kill ${n + 1}, ${work}: ${messageOf(error)}`);
      }
    }
  } finally {
    await harness.close();
  }
  const rows = WORKS.map((work) =>
    rowOf(
      work,
      kills.filter((kill) => kill.work === work),
    ),
  );
  const header = ['killed while', 'kills', 'reported before', 'lost', 'asked for twice', 'same index after'];
  process.stdout.write(`${table(header, rows)}\n`);
}

/** A kill with lost or different data is a fault and not counted here. */
function rowOf(work: string, kills: readonly Kill[]): string[] {
  const sum = (of: (kill: Kill) => number): number => kills.reduce((total, kill) => total + of(kill), 0);
  const reported = `${sum((kill) => kill.reported)} of ${sum((kill) => kill.total)}`;
  const count = String(kills.length);
  return [work, count, reported, '0', String(sum((kill) => kill.repeated)), `${count} of ${count}`];
}

async function damageFiles(stride: number): Promise<void> {
  const harness = await DamageHarness.start(seed);
  const rows: string[][] = [];
  try {
    for (const { name, bytes } of harness.files) {
      const seen: Record<Outcome | 'wrong', number> = { harmless: 0, 'built again': 0, refused: 0, wrong: 0 };
      for (let flip = 0; flip < bytes; flip += stride)
        try {
          seen[await harness.suffer(name, { flip, mask: 1 << (flip % 8) })]++;
        } catch (error) {
          seen.wrong++;
          faults.push(`${name}, byte ${flip}: ${messageOf(error)}`);
        }
      const file = name.replace(/derived-[^/]+/, 'derived');
      rows.push([file, ...Object.values(seen).map(String)]);
    }
  } finally {
    await harness.close();
  }
  const header = ['a flipped byte in', 'same answers', 'built again', 'refused in words', 'wrong'];
  process.stdout.write(`${table(header, rows)}\n`);
}

async function exchangeFiles(count: number): Promise<void> {
  const harness = await ExchangeHarness.start(seed);
  const seen: Record<End | 'wrong', number> = { 'told the truth': 0, refused: 0, wrong: 0 };
  try {
    for (let n = 0; n < count; n++)
      try {
        seen[(await harness.exchange()).end]++;
        process.stderr.write(`\r${n + 1} of ${count} exchanges `);
      } catch (error) {
        seen.wrong++;
        faults.push(`exchange ${n + 1}: ${messageOf(error)}`);
      }
  } finally {
    harness.close();
  }
  const header = ['exchanges', ...ENDS, 'wrong'];
  process.stdout.write(`${table(header, [[String(count), ...Object.values(seen).map(String)]])}\n`);
}
