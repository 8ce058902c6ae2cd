/**
 * Converts text to token ids for encoder models, by `@huggingface/tokenizers`.
 *
 * Special tokens in a text, such as "[SEP]", become those tokens if the tokenizer has them, as in the Python package.
 */
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError, messageOf } from '../../core/errors.ts';
import { readJsonObject } from './encoder-files.ts';
import type { Encoding } from './run-batches.ts';

/** A token is rarely longer, and WordPiece never splits off a longer one, so text beyond this cannot matter. */
const MAX_CHARACTERS_PER_TOKEN = 100;

interface EncodeOptions {
  readonly add_special_tokens?: boolean;
  readonly text_pair?: string;
  readonly return_token_type_ids?: boolean;
}

/** The used part of the package, whose own types do not resolve under Node's rules. */
interface Tokenizer {
  encode(
    text: string,
    options?: EncodeOptions,
  ): { readonly ids: readonly number[]; readonly token_type_ids?: readonly number[] };
  token_to_id(token: string): number | undefined;
}

interface SpecialTokens {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** The input for a pair: the special tokens around the two texts, and the type of each part. */
interface PairLayout {
  readonly before: Required<Encoding>;
  readonly first: { readonly type: number };
  readonly between: Required<Encoding>;
  readonly second: { readonly type: number };
  readonly after: Required<Encoding>;
}

/** Words before each text of a pair, for models whose input is in words. */
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
   * @param folder with tokenizer.json and, optionally, tokenizer_config.json
   * @param maxTokens including special tokens
   * @param written how a pair is assembled; defaults to the post-processor of tokenizer.json
   * @throws ParallaxError `model-missing` without tokenizer.json, `bad-file` if it cannot be read
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
   * @throws ParallaxError `bad-file` if the tokenizer lacks an id
   */
  encode(text: string): readonly number[] {
    const ids = this.#ids(text);
    if (ids.length <= this.#maxTokens) return ids;
    const { after } = this.#single;
    return [...ids.slice(0, this.#maxTokens - after.length), ...after];
  }

  /**
   * The number of first tokens that belong to a prefix, including the special tokens before it. A token that the
   * prefix shares with the text behind it does not count.
   *
   * @param ids what {@link encode} returns for a text that begins with the prefix
   */
  prefixLength(prefix: string, ids: readonly number[]): number {
    if (prefix === '') return 0;
    const expected = [...this.#single.before, ...this.#ids(prefix, { add_special_tokens: false })];
    const end = expected.findIndex((id, i) => ids[i] !== id);
    return end < 0 ? expected.length : end;
  }

  /**
   * Assembles a first text with any number of second ones, according to the post-processor of tokenizer.json.
   *
   * Pairs that are too long are cut like Hugging Face's `longest_first`: the second text to what the first one
   * leaves. The first one stays whole unless it takes more than half of the tokens; then it is cut in favour of the
   * second text, down to that half.
   *
   * @throws ParallaxError `bad-file` if the tokenizer does not define the form of a pair
   */
  pairsWith(first: string): (second: string) => Encoding {
    const layout = this.#pairLayout();
    const room = this.#pairRoom();
    const half = halfOf(room);
    const firstIds = this.#ids(first, { add_special_tokens: false });
    return (second) => {
      const secondIds = this.#ids(second, { add_special_tokens: false });
      const firstPart = firstIds.slice(0, Math.max(half, room - secondIds.length));
      return joined(layout, firstPart, secondIds.slice(0, room - firstPart.length));
    };
  }

  /**
   * Tokens of a text without special tokens. For a text that is far too long for the model, a number that exceeds its
   * maximum.
   */
  count(text: string): number {
    return this.#ids(text, { add_special_tokens: false }).length;
  }

  /** The first token of a single word. @throws ParallaxError `bad-file` if the tokenizer has none */
  firstToken(word: string): number {
    const [first] = this.#ids(word, { add_special_tokens: false });
    if (first !== undefined) return first;
    throw new ParallaxError('bad-file', l10n.t`${this.#file} has no token for unknown words.`);
  }

  /**
   * The most tokens of a first text that {@link pairsWith} does not cut.
   *
   * @param secondTokens the {@link count} of the second text
   * @throws ParallaxError `bad-file` if the tokenizer does not define the form of a pair
   */
  roomBeside(secondTokens: number): number {
    const room = this.#pairRoom();
    return Math.max(halfOf(room), room - secondTokens);
  }

  /** The most tokens of both texts of a pair together. */
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

  /** Unsupported features of a tokenizer definition show up only here, as errors of the library's own. */
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

  /** Tokenizes words separately, as tokenizers that split at spaces do within a whole text. */
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

  /** Read from an example, so that it works with every kind of post-processor. */
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
        l10n.t`${this.#file} does not define how two texts are joined; a cross-encoder needs a "pair" in its post_processor.`,
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

/** The tokens that the first text of a pair keeps, however long the second is. */
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

/** The special tokens around a text, which truncation keeps. */
function specialTokensOf(tokenizer: Tokenizer): SpecialTokens {
  const probe = 'a';
  const bare = tokenizer.encode(probe, { add_special_tokens: false }).ids;
  const full = tokenizer.encode(probe).ids;
  const start = indexOf(full, bare, 0);
  return start < 0
    ? { before: [], after: [] }
    : { before: full.slice(0, start), after: full.slice(start + bare.length) };
}

/** The index of a sequence of ids within another. -1 if it does not occur, or is empty. */
function indexOf(ids: readonly number[], part: readonly number[], from: number): number {
  if (part.length === 0) return -1;
  return ids.findIndex((_, at) => at >= from && part.every((id, i) => ids[at + i] === id));
}

/** The id of the padding token. Any id works if there is none, since padding is masked. */
function padIdOf(tokenizer: Tokenizer): number {
  const known = ['[PAD]', '<pad>'].map((token) => tokenizer.token_to_id(token));
  return known.find((id) => id !== undefined) ?? 0;
}
