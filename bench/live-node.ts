/**
 * Time of a call with the Node hook, beside the bare call: sent, and in a hot loop. Medians of interleaved runs.
 * `npm run bench -- live-node`
 */
import '../test/fixtures/built.ts';
import { observe, PACKAGES } from '../test/engine/live/observed-program.ts';
import { median, overheadText } from './support/overhead.ts';

const RUNS = 5;
const PROGRAM = `
import { MemoryVectorStore } from '@langchain/core/vectorstores';
import { setTimeout } from 'node:timers/promises';
const store = new MemoryVectorStore();
async function answer(question) {
  return await store.similaritySearch(question, 5);
}
async function microseconds(calls) {
  const before = performance.now();
  for (let call = 0; call < calls; call++) await answer('what is it?');
  return ((performance.now() - before) / calls) * 1000;
}
const middle = (times) => times.sort((a, b) => a - b)[times.length >> 1];
const together = [];
for (let burst = 0; burst < 4; burst++) {
  for (let call = 0; call < 20; call++) together.push(await microseconds(1));
  await setTimeout(1010);
}
const apart = [];
for (let call = 0; call < 40; call++) {
  apart.push(await microseconds(1));
  await setTimeout(60);
}
console.log(JSON.stringify([middle(together), middle(apart), await microseconds(200_000)]));
`;

const [bare, hooked]: [number[][], number[][]] = [[], []];
for (let each = 0; each < RUNS; each++) {
  const { plain, observed } = await observe({ ...PACKAGES, 'app.mjs': PROGRAM }, { run: ['app.mjs'] });
  bare.push(JSON.parse(plain.stdout) as number[]);
  hooked.push(JSON.parse(observed.stdout) as number[]);
}
process.stdout.write(`${overheadText(median(bare), median(hooked))}\n`);
