/**
 * Text to token ids for encoder models, by `@huggingface/tokenizers`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ParallaxError, messageOf } from '../../core/errors.ts';

/** A token is rarely longer, and WordPiece never makes one of a longer word: text beyond cannot matter. */
const MAX_CHARACTERS_PER_TOKEN = 100;

/** What is used of the package, whose own types do not resolve under Node's rules. */
interface Tokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { readonly ids: readonly number[] };
  token_to_id(token: string): number | undefined;
}

export class EncoderTokenizer {
  readonly padId: number;
  readonly #tokenizer: Tokenizer;
  readonly #file: string;
  readonly #maxTokens: number;
  /** Ids that follow every text, such as [SEP]: truncation leaves them. */
  readonly #suffix: readonly number[];

  private constructor(tokenizer: Tokenizer, file: string, maxTokens: number) {
    this.#tokenizer = tokenizer;
    this.#file = file;
    this.#maxTokens = maxTokens;
    this.#suffix = suffixOf(tokenizer);
    this.padId = padIdOf(tokenizer);
  }

  /**
   * @param folder with tokenizer.json and, where there is one, tokenizer_config.json
   * @param maxTokens special tokens included
   * @throws ParallaxError `model-missing` without tokenizer.json, `bad-file` when it is not one that can be read
   */
  static async load(folder: string, maxTokens: number): Promise<EncoderTokenizer> {
    const file = join(folder, 'tokenizer.json');
    const definition = await readJson(file);
    if (definition === undefined) throw new ParallaxError('model-missing', `${file} is missing.`);
    const config = (await readJson(join(folder, 'tokenizer_config.json'))) ?? {};
    const { Tokenizer: HuggingFaceTokenizer } = await import('@huggingface/tokenizers');
    try {
      return new EncoderTokenizer(new HuggingFaceTokenizer(definition, config) as Tokenizer, file, maxTokens);
    } catch (error) {
      throw new ParallaxError(
        'bad-file',
        `${file} is not a tokenizer that can be read: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
  }

  /**
   * Token ids with the model's special tokens around them, cut to the maximum.
   *
   * @throws ParallaxError `bad-file` when the tokenizer has no id for something
   */
  encode(text: string): readonly number[] {
    const { ids } = this.#tokenizer.encode(text.slice(0, this.#maxTokens * MAX_CHARACTERS_PER_TOKEN));
    if (ids.some((id) => !Number.isInteger(id)))
      throw new ParallaxError('bad-file', `${this.#file} has no token for unknown words.`);
    if (ids.length <= this.#maxTokens) return ids;
    return [...ids.slice(0, this.#maxTokens - this.#suffix.length), ...this.#suffix];
  }
}

/** What stands behind the ids of a text when special tokens are added. */
function suffixOf(tokenizer: Tokenizer): readonly number[] {
  const probe = 'a';
  const bare = tokenizer.encode(probe, { add_special_tokens: false }).ids;
  const full = tokenizer.encode(probe).ids;
  const start = full.findIndex((_, at) => bare.every((id, i) => full[at + i] === id));
  return start < 0 ? [] : full.slice(start + bare.length);
}

/** The id of the padding token; any id will do where there is none, as padding is masked. */
function padIdOf(tokenizer: Tokenizer): number {
  const known = ['[PAD]', '<pad>'].map((token) => tokenizer.token_to_id(token));
  return known.find((id) => id !== undefined) ?? 0;
}

/** @returns undefined when there is no such file. */
async function readJson(file: string): Promise<object | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ParallaxError('bad-file', `${file} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
  throw new ParallaxError('bad-file', `${file} is not a JSON object.`);
}
