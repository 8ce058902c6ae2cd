/**
 * Processor time of a call with the Python hook: observed, in a hot loop, and bare.
 * `node bench/live-python.ts [python]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { interpreters, observed, run } from '../test/engine/live-python/observed-python.ts';

const program = `import time
DOCS = [{'id': str(i), 'text': 'word ' * 200, 'score': 0.5, 'metadata': {'source': 'f.md'}} for i in range(5)]
def search(question, k=5): return DOCS[:k]
def observed(n):
    start = time.thread_time()
    for _ in range(n):
        search('what is it?', k=5)  # observe: search('what is it?', k=5) ## {"question":[0],"k":["k"]}
    return (time.thread_time() - start) / n * 1e6
first = [observed(1) for _ in range(20)]
time.sleep(1)
again = []
for _ in range(15):
    again.append(observed(1))
    time.sleep(0.06)
print(sorted(again)[len(again) // 2], observed(200_000))
`;

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const file = path.join(folder, 'app.py');
writeFileSync(file, program);
const chosen = process.argv[2] === undefined ? interpreters() : [process.argv[2]];
for (const python of chosen) {
  const bare = numbers((await run(file, { python })).stdout);
  const hook = numbers((await observed([file], { python })).stdout);
  const micros = (value: number): string => `${value.toFixed(1)} µs`;
  process.stdout.write(
    `${python}: sent ${micros(hook[0]! - bare[0]!)} more a call, in a hot loop ${micros(hook[1]! - bare[1]!)} more\n`,
  );
}
rmSync(folder, { recursive: true });

function numbers(text: string): number[] {
  return text.trim().split(' ').map(Number);
}
