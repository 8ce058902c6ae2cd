/** Cost of a call with the Node hook: observed, in a hot loop, and bare. `npm run bench -- live-node` */
import '../test/fixtures/built.ts';
import { observe, PACKAGES } from '../test/engine/live/observed-program.ts';

const PROGRAM = `
import { MemoryVectorStore } from '@langchain/core/vectorstores';
import { setTimeout } from 'node:timers/promises';
const store = new MemoryVectorStore();
async function microseconds(calls) {
  const before = performance.now();
  for (let call = 0; call < calls; call++) await store.similaritySearch('what is it?', 5);
  return ((performance.now() - before) / calls) * 1000;
}
for (let call = 0; call < 20; call++) await microseconds(1);
await setTimeout(1000);
const sent = [];
for (let call = 0; call < 60; call++) {
  sent.push(await microseconds(1));
  await setTimeout(60);
}
sent.sort((a, b) => a - b);
console.log(JSON.stringify([sent[30], await microseconds(200_000)]));
`;

const { plain, observed } = await observe({ ...PACKAGES, 'app.mjs': PROGRAM }, { run: ['app.mjs'] });
const [bare, hooked] = [plain, observed].map(({ stdout }) => JSON.parse(stdout) as [number, number]);
const micros = (place: 0 | 1): string =>
  `${(hooked![place] - bare![place]).toFixed(1)} µs more than ${bare![place].toFixed(1)}`;
process.stdout.write(`A call that is sent: ${micros(0)}; in a hot loop: ${micros(1)}.\n`);
