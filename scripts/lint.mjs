// `npm run lint`: runs Oxlint, Oxfmt and the rooms (`scripts/rooms.mjs`) concurrently and to their ends, so that one
// run shows all problems.
import { join } from 'node:path';

import { collect, ended, exitOnSignals, Failure, main, startGroup } from './lib/processes.mjs';
import { MODULES, NODE, ROOT } from './lib/project.mjs';

const CHECKS = {
  Oxlint: [join(MODULES, 'oxlint', 'bin', 'oxlint'), '.'],
  Oxfmt: [join(MODULES, 'oxfmt', 'bin', 'oxfmt'), '--check', '.'],
  rooms: ['scripts/rooms.mjs'],
};

await main(async () => {
  exitOnSignals();
  const outcomes = await Promise.all(Object.entries(CHECKS).map(([name, args]) => check(name, args)));
  const bad = outcomes.flatMap((outcome) => outcome ?? []);
  if (bad.length > 0) throw new Failure(`Not clean: ${bad.join(', ')}.`);
});

/** @returns the name of the check if it found a problem */
async function check(name, args) {
  const started = Date.now();
  const child = startGroup(NODE, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = collect(child);
  const { code } = await ended(child);
  process.stdout.write(printed());
  console.log(
    `${name}: ${code === 0 ? 'clean' : 'not clean'} after ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  return code === 0 ? undefined : name;
}
