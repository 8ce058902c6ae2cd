/** Converts the answer of a web server to readable text. */
import type { WebSkipReason } from '../core/snapshot.ts';
import { decodeText } from '../../../engine/corpus/decode.ts';
import { Extraction } from '../../../engine/corpus/extraction/extraction.ts';
import { declaredEncoding } from '../../../engine/corpus/readers/html.ts';
import { FileSkipped, type SkipReason } from '../../../engine/corpus/readers/reader.ts';
import { PageSkipped } from './page-skipped.ts';

export interface PageText {
  /** Empty if the page has none. */
  readonly title: string;
  readonly text: string;
}

export const PAGE_TYPES = ['text/html', 'application/xhtml+xml', 'text/plain', 'application/pdf'] as const;
type PageType = (typeof PAGE_TYPES)[number];

export interface ContentType {
  readonly type: PageType;
  readonly charset: string | undefined;
}

/** @returns undefined for types that cannot be read */
export function parseContentType(header: string | null): ContentType | undefined {
  const [name = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const type = PAGE_TYPES.find((known) => known === name);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return type && { type, charset: charset?.slice('charset='.length).replace(/^"(.*)"$/, '$1') };
}

/** Extracts text in a separate process. A page that takes longer is not worth it. */
const pageExtraction = new Extraction({ milliseconds: 10_000, megabytes: 1_000 });

const REASONS: Partial<Record<SkipReason, WebSkipReason>> = { empty: 'empty', 'too-large': 'too-large' };

/** @throws PageSkipped `broken`, `empty` or `too-large`, ParallaxError `cancelled` */
export async function readPage(
  bytes: Buffer,
  content: ContentType,
  signal: AbortSignal | undefined,
  extraction: Extraction = pageExtraction,
): Promise<PageText> {
  try {
    const { title = '', text } = await extract(bytes, content, extraction, signal);
    if (text.trim() === '') throw new PageSkipped('empty', 'It has no text.');
    return { title: title.trim().toWellFormed(), text: text.trim().toWellFormed() };
  } catch (error) {
    if (!(error instanceof FileSkipped)) throw error;
    throw new PageSkipped(REASONS[error.reason] ?? 'broken', error.message, { cause: error });
  }
}

async function extract(
  bytes: Buffer,
  { type, charset }: ContentType,
  extraction: Extraction,
  signal: AbortSignal | undefined,
): Promise<{ readonly title?: string | undefined; readonly text: string }> {
  switch (type) {
    case 'text/html':
    case 'application/xhtml+xml': {
      const html = decodeText(bytes, charset ?? declaredEncoding(bytes));
      return extraction.extract('web-page', Buffer.from(html), signal);
    }
    case 'text/plain':
      return { text: decodeText(bytes, charset) };
    case 'application/pdf':
      return extraction.extract('pdf', bytes, signal);
  }
}
