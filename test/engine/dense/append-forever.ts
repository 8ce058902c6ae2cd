/**
 * Appends and flushes until it is killed: `append-forever.ts <file> <key> <dimensions>`. Prints the number of flushed
 * rows.
 */
import { VectorFile } from '../../../src/engine/dense/vector-file.ts';
import { VectorTable } from '../../../src/engine/dense/vector-table.ts';

const [path = '', key = '', d] = process.argv.slice(2);
const dimensions = Number(d);
const file = await VectorFile.open(path, { key, dimensions }, (found) => new VectorTable(found.dimensions));
if (!file) throw new Error('No file.');
const ROWS = 3;
for (let next = 0; ; next += ROWS) {
  const slots = Uint32Array.from({ length: ROWS }, (_, i) => next + i);
  const vectors = Float32Array.from(
    { length: ROWS * dimensions },
    (_, i) => next + Math.floor(i / dimensions) + 1,
  );
  await file.append(slots, vectors);
  await file.flush();
  process.stdout.write(`${next + ROWS}\n`);
}
