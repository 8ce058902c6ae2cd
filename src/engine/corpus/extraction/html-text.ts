/**
 * HTML as Markdown-like text: what a reader of the page reads, headings marked with `#` so that a page
 * can be split by headings as well.
 */
import * as l10n from '@vscode/l10n';
import type { FormatCallback, HtmlToTextOptions, SelectorDefinition } from 'html-to-text';
import { FileSkipped } from '../readers/reader.ts';
import { firstHeading } from '../readers/verbatim.ts';
import type { ExtractedText } from './messages.ts';

/** Page furniture and everything that is not text. */
const SKIPPED_ELEMENTS = [
  ...[
    'nav',
    'footer',
    'script',
    'style',
    'noscript',
    'template',
    'head',
    'svg',
    'canvas',
    'iframe',
    'object',
  ],
  ...['img', 'form', 'button', 'select', 'dialog', '[hidden]', '[aria-hidden=true]'],
  ...['[role=navigation]', '[role=banner]', '[role=contentinfo]', '.headerlink'],
];
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
/** Elements nested deeper are left out: the formatter is recursive, and its stack is finite. */
const MAX_DEPTH = 300;
/** The parser takes time quadratic in its open elements; no page has this many, only a broken generator. */
const MAX_OPEN_ELEMENTS = 20_000;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
/** Elements that need no closing tag. */
const SELF_CLOSING =
  /^(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|tbody|td|tfoot|th|thead|tr|track|wbr)$/i;

const FENCE = '```';

const formatHeading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  builder.addLiteral(`${'#'.repeat(headingLevel(element.name))} `);
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2 });
};

/** Code stands in a fence, so that its comments are not taken for headings. */
const formatCode: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ isPre: true, leadingLineBreaks: 2 });
  builder.addLiteral(FENCE);
  builder.addLineBreak();
  walk(element.children, builder);
  builder.addLineBreak();
  builder.addLiteral(FENCE);
  builder.closeBlock({ trailingLineBreaks: 2 });
};

/** `h2` → 2. */
function headingLevel(name = 'h1'): number {
  return Number(name.slice(1));
}

const SELECTORS: SelectorDefinition[] = [
  { selector: 'a', options: { ignoreHref: true } },
  { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  { selector: 'pre', format: 'fencedCode' },
  ...HEADINGS.map((selector) => ({ selector, format: 'markdownHeading' })),
  ...SKIPPED_ELEMENTS.map((selector) => ({ selector, format: 'skip' })),
];

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  formatters: { markdownHeading: formatHeading, fencedCode: formatCode },
  selectors: SELECTORS,
  limits: { maxDepth: MAX_DEPTH, maxInputLength: Number.MAX_SAFE_INTEGER },
};

/**
 * The title and the readable text of a document in HTML: its main content where it names one, else all of it.
 *
 * @throws FileSkipped `broken`
 */
export async function documentText(html: string): Promise<ExtractedText> {
  checkNesting(html);
  // Generated sites have menus and tables of contents beside what the page says.
  const main = await mainOfFile(html);
  const text = main.length >= MIN_MAIN_CHARACTERS ? main : await htmlToText(html);
  return { title: (await titleElement(html)) || firstHeading(text), text };
}

/** Where pages of the web keep what they are about. */
const MAIN_CONTENT = ['main', '[role=main]', 'article'];
/** Beside it on the page. */
const ASIDES = ['aside', '[role=navigation]', '[role=banner]', '[role=contentinfo]', '[role=complementary]'];
/** A main content with less is a frame that scripts would fill; the whole page says more. */
const MIN_MAIN_CHARACTERS = 250;

const PAGE_OPTIONS: HtmlToTextOptions = {
  ...OPTIONS,
  selectors: [...SELECTORS, ...ASIDES.map((selector) => ({ selector, format: 'skip' }))],
};
const mainOfFile = converter({
  ...OPTIONS,
  baseElements: { selectors: MAIN_CONTENT, returnDomByDefault: false },
});
const withoutAsides = converter(PAGE_OPTIONS);
const mainContent = converter({
  ...PAGE_OPTIONS,
  baseElements: { selectors: MAIN_CONTENT, returnDomByDefault: false },
});

/**
 * The title and the readable text of a page of the web: its main content where it names one, else all of it.
 * As any text of some megabytes it may take a minute: call it only where that holds nobody up.
 *
 * @throws FileSkipped `broken`
 */
export async function webPageText(html: string): Promise<ExtractedText> {
  checkNesting(html);
  const main = await mainContent(html);
  const text = main.length >= MIN_MAIN_CHARACTERS ? main : await withoutAsides(html);
  return { title: (await titleElement(html)) || firstHeading(text), text };
}

/** @throws FileSkipped `broken` for tags that are opened and opened and never closed */
function checkNesting(html: string): void {
  let open = 0;
  for (const [, slash, name] of html.matchAll(TAG)) {
    if (SELF_CLOSING.test(name!)) continue;
    open = slash ? Math.max(0, open - 1) : open + 1;
    if (open > MAX_OPEN_ELEMENTS)
      throw new FileSkipped(
        'broken',
        l10n.t`More than ${MAX_OPEN_ELEMENTS} of its elements are opened and not closed.`,
      );
  }
}

/** The readable text of a page or a fragment. */
export const htmlToText = converter(OPTIONS);

const titleText = converter({
  wordwrap: false,
  baseElements: { selectors: ['head > title', 'title'], returnDomByDefault: false },
  limits: { maxBaseElements: 1, maxDepth: MAX_DEPTH, maxInputLength: Number.MAX_SAFE_INTEGER },
});

async function titleElement(html: string): Promise<string> {
  return (await titleText(html)).replace(/\s+/g, ' ').trim();
}

/** Made ready with its first text, and kept: that takes ten times as long as converting a short page. */
function converter(options: HtmlToTextOptions): (html: string) => Promise<string> {
  let ready: Promise<(html: string) => string> | undefined;
  return async (html) => {
    ready ??= import('html-to-text').then(({ compile }) => compile(options));
    return (await ready)(html);
  };
}
