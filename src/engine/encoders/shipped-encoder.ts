/**
 * The sentence encoder of Parallax: the Universal Sentence Encoder (lite) for English, written by
 * `scripts/encoder.ts`.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { partsOf } from '../../core/embedding/parts.ts';
import { UnigramTokenizer } from '../../core/embedding/unigram.ts';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { readBytes, readText } from '../files/reading.ts';
import { OnnxModel } from './onnx-model.ts';

export const SHIPPED_DIMENSIONS = 512;
/** The most pieces that the model reads at once. */
const MAX_PIECES = 128;
/** The first pieces are reserved and occur in no text. */
const RESERVED_PIECES = 6;
const OUTPUT = 'sentence_embedding';
/** The model is so small that a second thread costs more than it gains. The other threads are for the editor. */
const THREADS = 1;

export interface ShippedFiles {
  readonly model: string;
  /** The pieces, and the checksum of the model. */
  readonly pieces: string;
}

const piecesSchema = z.object({
  sha256: z.string(),
  pieces: z.array(z.tuple([z.string(), z.number()])).min(RESERVED_PIECES + 1),
});

/**
 * Finds the files without reading them.
 *
 * @param folder with the files; defaults to the folder of the build
 * @throws ParallaxError `model-missing`
 */
export function findShippedEncoder(folder = shippedFolder()): ShippedFiles {
  const files = { model: join(folder, 'model.onnx'), pieces: join(folder, 'pieces.json') };
  const missing = Object.values(files).find((file) => !existsSync(file));
  if (missing === undefined) return files;
  throw unusable(l10n.t`${missing} is missing`);
}

export class ShippedEncoder {
  readonly #model: OnnxModel;
  readonly #tokenizer: UnigramTokenizer;

  private constructor(model: OnnxModel, tokenizer: UnigramTokenizer) {
    this.#model = model;
    this.#tokenizer = tokenizer;
  }

  /** @throws ParallaxError `native-missing` if no runtime loads; `model-missing` for damaged files */
  static async load(files: ShippedFiles): Promise<ShippedEncoder> {
    try {
      const { sha256, pieces } = piecesSchema.parse(JSON.parse(await readText(files.pieces)));
      const digest = createHash('sha256')
        .update(await readBytes(files.model))
        .digest('hex');
      if (digest !== sha256) throw new Error(l10n.t('its checksum is another'));
      const model = await OnnxModel.load(files.model, { threads: THREADS });
      return new ShippedEncoder(model, new UnigramTokenizer(pieces, RESERVED_PIECES));
    } catch (error) {
      if (ParallaxError.is(error, 'native-missing')) throw error;
      throw unusable(l10n.t`${files.model} is damaged (${messageOf(error)})`, error);
    }
  }

  /** A note for the user about how it runs on this machine. `undefined` if it runs natively. */
  get notice(): string | undefined {
    return this.#model.notice;
  }

  /**
   * A text that is too long is split into parts, and their vectors are averaged, weighted by the pieces that each
   * part adds.
   *
   * @returns [512], of length 1; zeros for a text without pieces
   * @throws ParallaxError `model-missing` if the model returns NaN or infinity
   */
  async encode(text: string): Promise<Float32Array> {
    const sum = new Float32Array(SHIPPED_DIMENSIONS);
    for (const { ids, added } of partsOf(this.#tokenizer.encode(text), MAX_PIECES)) {
      const vector = await this.#run(Int32Array.from(ids));
      for (let i = 0; i < sum.length; i++) sum[i]! += added * vector[i]!;
    }
    const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
    if (!Number.isFinite(length))
      throw unusable(l10n.t`${this.#model.file} gives values that are not numbers`);
    return length === 0 ? sum : sum.map((value) => value / length);
  }

  async release(): Promise<void> {
    await this.#model.release();
  }

  async #run(ids: Int32Array): Promise<Float32Array> {
    const batch = { texts: 1, length: ids.length, ids, mask: ids, types: ids };
    const { values } = await this.#model.run(batch, OUTPUT);
    return values;
  }
}

/** Bundled code is in `dist/` or `dist/chunks/`, sources are in `src/engine/encoders/` beside `dist/`. */
function shippedFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [here, dirname(here), join(here, '../../../dist')].map((folder) => join(folder, 'encoder'));
  return places.find((place) => existsSync(place)) ?? places[0]!;
}

function unusable(reason: string, cause?: unknown): ParallaxError {
  return new ParallaxError(
    'model-missing',
    l10n.t`Search by meaning does not work: ${reason}. Install Parallax again.`,
    { cause },
  );
}
