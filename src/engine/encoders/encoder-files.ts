/**
 * Folders in the Hugging Face layout: model.onnx (or onnx/model.onnx), tokenizer.json and, optionally,
 * tokenizer_config.json and config.json.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError, messageOf } from '../../core/errors.ts';
import { readText } from '../files/reading.ts';

const DEFAULT_MODEL_FILES = ['model.onnx', 'onnx/model.onnx'];

export interface EncoderFiles {
  readonly folder: string;
  /** The folder's own name, for messages. */
  readonly name: string;
  readonly model: string;
  readonly tokenizer: string;
}

/**
 * Finds the files of a model without reading them.
 *
 * @param path the model's folder, absolute or relative to `baseDir`
 * @param file the model within the folder; defaults to the usual names
 * @param further names within the folder to try after the usual ones
 * @throws ParallaxError `model-missing` naming the missing file
 */
export function findEncoder(
  path: string,
  file: string | undefined,
  baseDir: string,
  further: readonly string[] = [],
): EncoderFiles {
  const folder = resolve(baseDir, path);
  const model = findModel(folder, file, further);
  const tokenizer = join(folder, 'tokenizer.json');
  if (!existsSync(tokenizer)) throw new ParallaxError('model-missing', l10n.t`${tokenizer} is missing.`);
  return { folder, name: basename(folder), model, tokenizer };
}

/**
 * @returns undefined if there is no such file
 * @throws ParallaxError `bad-file` if it is not a JSON object
 */
export async function readJsonObject(file: string): Promise<object | undefined> {
  try {
    const value: unknown = JSON.parse(await readText(file));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ParallaxError('bad-file', l10n.t`${file} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  throw new ParallaxError('bad-file', l10n.t`${file} is not a JSON object.`);
}

function findModel(folder: string, file: string | undefined, further: readonly string[]): string {
  const candidates = (file === undefined ? DEFAULT_MODEL_FILES : [file]).map((name) => join(folder, name));
  const furtherFiles = file === undefined ? further.map((name) => join(folder, name)) : [];
  const modelFile = [...candidates, ...furtherFiles].find((candidate) => existsSync(candidate));
  if (modelFile !== undefined) return modelFile;
  const listed = ['', 'onnx'].flatMap((sub) => onnxFilesIn(folder, sub));
  const missing = candidates.reduce((some, one) => l10n.t`${some} and no ${one}`);
  throw new ParallaxError(
    'model-missing',
    listed.length === 0
      ? l10n.t`There is no ${missing}.`
      : l10n.t`There is no ${missing}. The folder has ${listed.join(', ')}: name one as "file".`,
  );
}

function onnxFilesIn(folder: string, sub: string): string[] {
  if (!existsSync(join(folder, sub))) return [];
  const names = readdirSync(join(folder, sub)).filter((name) => name.endsWith('.onnx'));
  return names.map((name) => join(sub, name));
}
