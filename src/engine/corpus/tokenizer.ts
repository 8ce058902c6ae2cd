/** Tokens of the o200k vocabulary as character offsets, for splitting by tokens. */
import type * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import type { SplitSpec } from '../../core/split/spec.ts';
import type { SplitTools } from '../../core/split/split.ts';

type Encoding = Pick<typeof o200k, 'encodeGenerator' | 'decodeGenerator'>;

/** Text that spells a control token, such as `<|endoftext|>`, is ordinary text. */
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() };

/**
 * Merging byte pairs takes time quadratic in a run of letters, signs or spaces. Runs longer than any word are split
 * here. Text without such runs keeps exactly the tokens of the vocabulary.
 */
const LONG_RUN = /\S{256}|\s{256}/gu;

/** Tools for splitting by `spec`. Loads the vocabulary (2 MB) only for splitting by tokens. */
export async function splitToolsFor(spec: SplitSpec): Promise<SplitTools> {
  if (spec.type !== 'tokens') return {};
  const encoding = await import('gpt-tokenizer/encoding/o200k_base');
  return { tokenEnds: (text) => tokenEnds(text, encoding) };
}

function* tokenEnds(text: string, encoding: Encoding): Generator<number> {
  let start = 0;
  for (const match of text.matchAll(LONG_RUN)) {
    const end = match.index + match[0].length;
    yield* tokenEndsOfPart(text.slice(start, end), start, encoding);
    start = end;
  }
  yield* tokenEndsOfPart(text.slice(start), start, encoding);
}

/**
 * A character may take several tokens, and the decoder returns it with the last of them. The number of tokens read so
 * far shows how many end there.
 */
function* tokenEndsOfPart(part: string, offset: number, encoding: Encoding): Generator<number> {
  let end = offset;
  for (const tokens of encoding.encodeGenerator(part, NO_SPECIAL_TOKENS)) {
    let read = 0;
    let reported = 0;
    const counted = (function* () {
      for (const token of tokens) {
        read++;
        yield token;
      }
    })();
    for (const characters of encoding.decodeGenerator(counted)) {
      end += characters.length;
      for (; reported < read; reported++) yield end;
    }
  }
}
