/**
 * Processor time of a call with the Python hook, beside the bare call: sent, and in a hot loop. Medians of interleaved runs.
 * A pause empties the caches, so the bare run also times the least that a hook can do: keep the arguments, those of the functions
 * on the stack, and a copy of the passages.
 * `node bench/live-python.ts [python]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { interpreters, observed, run } from '../test/engine/live-python/observed-python.ts';
import { median, overheadText } from './support/overhead.ts';

const RUNS = 5;
const program = `import sys
import time
from functools import partial
DOCS = [{'id': str(i), 'text': 'word ' * 200, 'score': 0.5, 'metadata': {'source': 'f.md'}} for i in range(5)]
def search(question, k=5): return DOCS[:k]
def answer(question):
    return search(question, k=5)  # observe: search(question, k=5) ## {"question":[0],"k":["k"]}
kept = {}
class Recorder:
    def call(self, function, /, *args, **named):
        kept[id(sys._getframe(1))] = [function, args, named, time.perf_counter()]
        return partial(function, *args, **named)
    def result(self, result):
        frame = sys._getframe(1)
        record = kept.pop(id(frame))
        record.append(time.perf_counter() - record[3])
        while frame is not None:
            record.append((frame.f_code, dict(frame.f_locals) if frame.f_code.co_argcount else None))
            frame = frame.f_back
        record.append([dict(each) for each in result])
        kept[0] = record
        return result
recorder = Recorder()
def recorded(question):
    return recorder.result(recorder.call(search, question, k=5)())
def observed(n, answer=answer):
    start = time.thread_time()
    for _ in range(n):
        answer('what is it?')
    return (time.thread_time() - start) / n * 1e6
def middle(times): return sorted(times)[len(times) // 2]
together = []
for _ in range(4):
    together += [observed(1) for _ in range(20)]
    time.sleep(1.01)
def paused(answer):
    apart = []
    for _ in range(25):
        apart.append(observed(1, answer))
        time.sleep(0.06)
    return middle(apart)
print(middle(together), paused(answer), observed(100_000), paused(recorded))
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
  const without = median(bare);
  process.stdout.write(
    `${python}\n${overheadText(without, median(hooked))}\n` +
      `the least, after a pause of 60 ms: ${(without[3]! - without[1]!).toFixed(1)} µs more\n`,
  );
}
rmSync(folder, { recursive: true });

function numbers(text: string): number[] {
  return text.trim().split(' ').map(Number);
}
