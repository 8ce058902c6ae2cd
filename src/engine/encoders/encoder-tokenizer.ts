/**
 * Text to token ids for encoder models, by `@huggingface/tokenizers`.
 *
 * Special tokens that a text spells out, such as "[SEP]", become those tokens where the tokenizer has them,
 * as in the Python package.
 */
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError, messageOf } from '../../core/errors.ts';
import { readJsonObject } from './encoder-files.ts';
import type { Encoding } from './run-batches.ts';

/** A token is rarely longer, and WordPiece never makes one of a longer word: text beyond cannot matter. */
const MAX_CHARACTERS_PER_TOKEN = 100;

interface EncodeOptions {
  readonly add_special_tokens?: boolean;
  readonly text_pair?: string;
  readonly return_token_type_ids?: boolean;
}

/** The part of the package that is used; its own types do not resolve under Node's rules. */
interface Tokenizer {
  encode(
    text: string,
    options?: EncodeOptions,
  ): { readonly ids: readonly number[]; readonly token_type_ids?: readonly number[] };
  token_to_id(token: string): number | undefined;
}

/** The special tokens around a text. */
interface SpecialTokens {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** How a pair stands in the input: the special tokens around the two texts, and the type of each part. */
interface PairLayout {
  readonly before: Required<Encoding>;
  readonly first: { readonly type: number };
  readonly between: Required<Encoding>;
  readonly second: { readonly type: number };
  readonly after: Required<Encoding>;
}

/** Words before each text of a pair, for models that are asked in words. */
export interface WrittenPair {
  readonly first: string;
  readonly second: string;
}

export class EncoderTokenizer {
  readonly padId: number;
  readonly #tokenizer: Tokenizer;
  readonly #file: string;
  readonly #maxTokens: number;
  readonly #single: SpecialTokens;
  readonly #written: WrittenPair | undefined;
  #pair: PairLayout | undefined;

  private constructor(
    tokenizer: Tokenizer,
    file: string,
    maxTokens: number,
    written: WrittenPair | undefined,
  ) {
    this.#tokenizer = tokenizer;
    this.#written = written;
    this.#file = file;
    this.#maxTokens = maxTokens;
    this.#single = specialTokensOf(tokenizer);
    this.padId = padIdOf(tokenizer);
  }

  /**
   * @param folder with tokenizer.json and, where there is one, tokenizer_config.json
   * @param maxTokens special tokens included
   * @param written how a pair is put together, where not by the post-processor of tokenizer.json
   * @throws ParallaxError `model-missing` without tokenizer.json, `bad-file` when it is not one that can be read
   */
  static async load(folder: string, maxTokens: number, written?: WrittenPair): Promise<EncoderTokenizer> {
    const file = join(folder, 'tokenizer.json');
    const definition = await readJsonObject(file);
    if (definition === undefined) throw new ParallaxError('model-missing', l10n.t`${file} is missing.`);
    const config = (await readJsonObject(join(folder, 'tokenizer_config.json'))) ?? {};
    const { Tokenizer: HuggingFaceTokenizer } = await import('@huggingface/tokenizers');
    try {
      const tokenizer = new HuggingFaceTokenizer(definition, config) as Tokenizer;
      return new EncoderTokenizer(tokenizer, file, maxTokens, written);
    } catch (error) {
      throw unreadable(file, error);
    }
  }

  /**
   * Token ids with the model's special tokens around them, cut to the maximum.
   *
   * @throws ParallaxError `bad-file` when the tokenizer has no id for something
   */
  encode(text: string): readonly number[] {
    const ids = this.#ids(text);
    if (ids.length <= this.#maxTokens) return ids;
    const { after } = this.#single;
    return [...ids.slice(0, this.#maxTokens - after.length), ...after];
  }

  /**
   * How many of the first tokens stand for a prefix, the special tokens before it included. A token that
   * the prefix shares with the text behind it is not counted.
   *
   * @param ids what {@link encode} made of a text that begins with the prefix
   */
  prefixLength(prefix: string, ids: readonly number[]): number {
    if (prefix === '') return 0;
    const expected = [...this.#single.before, ...this.#ids(prefix, { add_special_tokens: false })];
    const end = expected.findIndex((id, i) => ids[i] !== id);
    return end < 0 ? expected.length : end;
  }

  /**
   * Puts a first text together with any number of second ones, as the post-processor of tokenizer.json says.
   *
   * Pairs that are too long are cut as by Hugging Face's `longest_first`: the second text to what the first one
   * leaves. The first one stays whole unless it takes more than half of the tokens; then it gives way to the
   * second text, down to that half.
   *
   * @throws ParallaxError `bad-file` when the tokenizer does not say how a pair is written
   */
  pairsWith(first: string): (second: string) => Encoding {
    const layout = this.#pairLayout();
    const room = this.#pairRoom();
    const half = halfOf(room);
    const firstIds = this.#ids(first, { add_special_tokens: false });
    return (second) => {
      const secondIds = this.#ids(second, { add_special_tokens: false });
      const kept = firstIds.slice(0, Math.max(half, room - secondIds.length));
      return joined(layout, kept, secondIds.slice(0, room - kept.length));
    };
  }

  /** Tokens of a text alone, without special tokens; of one that is far too long for the model, at least too many. */
  count(text: string): number {
    return this.#ids(text, { add_special_tokens: false }).length;
  }

  /** The token that a word begins with, by itself. @throws ParallaxError `bad-file` where the tokenizer has none */
  firstToken(word: string): number {
    const [first] = this.#ids(word, { add_special_tokens: false });
    if (first !== undefined) return first;
    throw new ParallaxError('bad-file', l10n.t`${this.#file} has no token for unknown words.`);
  }

  /**
   * How many tokens a first text may have so that {@link pairsWith} cuts nothing of it.
   *
   * @param secondTokens what {@link count} says of the second text
   * @throws ParallaxError `bad-file` when the tokenizer does not say how a pair is written
   */
  roomBeside(secondTokens: number): number {
    const room = this.#pairRoom();
    return Math.max(halfOf(room), room - secondTokens);
  }

  /** Tokens that both texts of a pair may have together. */
  #pairRoom(): number {
    const { before, between, after } = this.#pairLayout();
    return this.#maxTokens - before.ids.length - between.ids.length - after.ids.length;
  }

  #ids(text: string, options?: EncodeOptions): readonly number[] {
    const { ids } = this.#encode(text.slice(0, this.#maxTokens * MAX_CHARACTERS_PER_TOKEN), options);
    if (ids.some((id) => !Number.isInteger(id)))
      throw new ParallaxError('bad-file', l10n.t`${this.#file} has no token for unknown words.`);
    return ids;
  }

  /** Unsupported features of a tokenizer definition surface only here, as errors of the library's own. */
  #encode(text: string, options?: EncodeOptions): ReturnType<Tokenizer['encode']> {
    try {
      return this.#tokenizer.encode(text, options);
    } catch (error) {
      throw unreadable(this.#file, error);
    }
  }

  #pairLayout(): PairLayout {
    return (this.#pair ??= this.#written ? this.#layoutOf(this.#written) : this.#readPairLayout());
  }

  /** Words are tokenized by themselves, as tokenizers that split at spaces do within a whole text, too. */
  #layoutOf({ first, second }: WrittenPair): PairLayout {
    const part = (ids: readonly number[]): Required<Encoding> => ({ ids, types: ids.map(() => 0) });
    const bare = (text: string): readonly number[] => this.#ids(text, { add_special_tokens: false });
    const { before, after } = this.#single;
    return {
      before: part([...before, ...bare(first)]),
      first: { type: 0 },
      between: part(bare(second)),
      second: { type: 0 },
      after: part(after),
    };
  }

  /** Read off an example, so that it does not matter which kind of post-processor there is. */
  #readPairLayout(): PairLayout {
    const [first, second] = ['a', 'b'];
    const a = this.#ids(first, { add_special_tokens: false });
    const b = this.#ids(second, { add_special_tokens: false });
    const { ids, token_type_ids: types = ids.map(() => 0) } = this.#encode(first, {
      text_pair: second,
      return_token_type_ids: true,
    });
    const startOfA = indexOf(ids, a, 0);
    const endOfA = startOfA + a.length;
    const startOfB = startOfA < 0 ? -1 : indexOf(ids, b, endOfA);
    const endOfB = startOfB + b.length;
    if (startOfB < 0)
      throw new ParallaxError(
        'bad-file',
        l10n.t`${this.#file} does not say how two texts are put together; a cross-encoder needs a "pair" in its post_processor.`,
      );
    const part = (from: number, to: number): Required<Encoding> => ({
      ids: ids.slice(from, to),
      types: types.slice(from, to),
    });
    return {
      before: part(0, startOfA),
      first: { type: types[startOfA] ?? 0 },
      between: part(endOfA, startOfB),
      second: { type: types[startOfB] ?? 0 },
      after: part(endOfB, ids.length),
    };
  }
}

function unreadable(file: string, cause: unknown): ParallaxError {
  return new ParallaxError(
    'bad-file',
    l10n.t`${file} is not a tokenizer that can be read: ${messageOf(cause)}.`,
    { cause },
  );
}

/** Tokens that the first text of a pair may keep, however long the second is. */
const halfOf = (room: number): number => Math.ceil(room / 2);

function joined(layout: PairLayout, first: readonly number[], second: readonly number[]): Encoding {
  const { before, between, after } = layout;
  return {
    ids: [...before.ids, ...first, ...between.ids, ...second, ...after.ids],
    types: [
      ...before.types,
      ...first.map(() => layout.first.type),
      ...between.types,
      ...second.map(() => layout.second.type),
      ...after.types,
    ],
  };
}

/** The special tokens added around a text; truncation leaves them. */
function specialTokensOf(tokenizer: Tokenizer): SpecialTokens {
  const probe = 'a';
  const bare = tokenizer.encode(probe, { add_special_tokens: false }).ids;
  const full = tokenizer.encode(probe).ids;
  const start = indexOf(full, bare, 0);
  return start < 0
    ? { before: [], after: [] }
    : { before: full.slice(0, start), after: full.slice(start + bare.length) };
}

/** Where a sequence of ids stands within another; -1 where it does not, or is empty. */
function indexOf(ids: readonly number[], part: readonly number[], from: number): number {
  if (part.length === 0) return -1;
  return ids.findIndex((_, at) => at >= from && part.every((id, i) => ids[at + i] === id));
}

/** The id of the padding token; any id will do where there is none, as padding is masked. */
function padIdOf(tokenizer: Tokenizer): number {
  const known = ['[PAD]', '<pad>'].map((token) => tokenizer.token_to_id(token));
  return known.find((id) => id !== undefined) ?? 0;
}
