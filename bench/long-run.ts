/**
 * Runs for any length of time: kills engines at random moments, damages files of an index and exchanges them with
 * others; tries hostile servers and documents, expensive inputs, our own ports, histories of an index, exit codes and
 * signals. Prints the seed and, at the end, what was tried. Exit code 1 if anything was lost or wrong, failed without a
 * message, or took more than 2 s or 500 MB.
 *
 *   npm run bench -- long-run [--minutes 10] [--seed <number>]
 */
import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { WORKS } from '../test/engine/faults/support/kills.ts';
import { LongRun } from '../test/engine/faults/support/long-run.ts';
import { table } from './support/report.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const begun = performance.now();
const minutes = (): number => (performance.now() - begun) / 60_000;
const isOver = (): boolean => minutes() >= Number(values.minutes);

process.stdout.write(`Seed ${seed}\n`);
const run = await LongRun.start(seed, {
  kills: [...WORKS, ...WORKS],
  damages: 40,
  exchanges: 40,
  servers: 40,
  documents: 100,
  costs: 4,
  sockets: 200,
  histories: 5,
  exits: 5,
  signals: 2,
});
for (let turn = 1; !isOver(); turn++) {
  await run.turn(isOver);
  process.stderr.write(`\r${turn} turns, ${minutes().toFixed(1)} of ${values.minutes} minutes `);
}
await run.close();

const rows = [...run.tallies].map(([stage, { tried, faults }]) => [stage, tried, faults.length].map(String));
const [processor] = cpus();
process.stdout.write(
  `\n${table(['what', 'tried', 'faults'], rows)}\n\n` +
    `Seed ${seed}, ${minutes().toFixed(0)} minutes, ${cpus().length} × ${processor?.model.trim() ?? 'unknown processor'}, Node ${process.version}\n`,
);
const faults = [...run.tallies].flatMap(([stage, tally]) =>
  tally.faults.map((fault) => `${stage}: ${fault}`),
);
for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);
