/**
 * Processor time of a call with the Python hook, beside the bare call: sent, and in a hot loop. Medians of interleaved runs.
 * `node bench/live-python.ts [python]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { interpreters, observed, run } from '../test/engine/live-python/observed-python.ts';
import { median, overheadText } from './support/overhead.ts';

const RUNS = 5;
const program = `import time
DOCS = [{'id': str(i), 'text': 'word ' * 200, 'score': 0.5, 'metadata': {'source': 'f.md'}} for i in range(5)]
def search(question, k=5): return DOCS[:k]
def answer(question):
    return search(question, k=5)  # observe: search(question, k=5) ## {"question":[0],"k":["k"]}
def observed(n):
    start = time.thread_time()
    for _ in range(n):
        answer('what is it?')
    return (time.thread_time() - start) / n * 1e6
def middle(times): return sorted(times)[len(times) // 2]
together = []
for _ in range(4):
    together += [observed(1) for _ in range(20)]
    time.sleep(1.01)
apart = []
for _ in range(25):
    apart.append(observed(1))
    time.sleep(0.06)
print(middle(together), middle(apart), observed(100_000))
`;

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const file = path.join(folder, 'app.py');
writeFileSync(file, program);
const chosen = process.argv[2] === undefined ? interpreters() : [process.argv[2]];
for (const python of chosen) {
  const bare: number[][] = [];
  const hooked: number[][] = [];
  for (let each = 0; each < RUNS; each++) {
    bare.push(numbers((await run(file, { python })).stdout));
    hooked.push(numbers((await observed([file], { python })).stdout));
  }
  process.stdout.write(`${python}\n${overheadText(median(bare), median(hooked))}\n`);
}
rmSync(folder, { recursive: true });

function numbers(text: string): number[] {
  return text.trim().split(' ').map(Number);
}
