/**
 * HTML as Markdown-like text: what a reader of the page sees, with headings marked by `#` so that a page can be split
 * by headings as well.
 */
import * as l10n from '@vscode/l10n';
import type { FormatCallback, HtmlToTextOptions, SelectorDefinition } from 'html-to-text';
import { FileSkipped } from '../readers/reader.ts';
import { firstHeading } from '../readers/verbatim.ts';
import type { ExtractedText } from './messages.ts';

/** Navigation and other elements without text of the page. */
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
/** Leaves out elements nested deeper: the formatter is recursive, and its stack is finite. */
const MAX_DEPTH = 300;
/** The parser's time is quadratic in the number of open elements. Only a broken generator leaves this many open. */
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

/** Puts code in a fence, so that its comments are not taken for headings. */
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
 * The title and the readable text of an HTML document: its main content if it marks one, else all of it.
 *
 * @throws FileSkipped `broken`
 */
export async function documentText(html: string): Promise<ExtractedText> {
  checkNesting(html);
  // Generated sites have menus and tables of contents beside the content.
  const main = await mainOfFile(html);
  const text = main.length >= MIN_MAIN_CHARACTERS ? main : await htmlToText(html);
  return { title: (await titleElement(html)) || firstHeading(text), text };
}

/** Where web pages have their content. */
const MAIN_CONTENT = ['main', '[role=main]', 'article'];
/** Parts beside the content. */
const ASIDES = ['aside', '[role=navigation]', '[role=banner]', '[role=contentinfo]', '[role=complementary]'];
/** A shorter main content is a frame that scripts fill, so the whole page has more. */
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
 * The title and the readable text of a web page: its main content if it marks one, else all of it. A text of some
 * megabytes may take a minute, so call it only where that blocks nothing else.
 *
 * @throws FileSkipped `broken`
 */
export async function webPageText(html: string): Promise<ExtractedText> {
  checkNesting(html);
  const main = await mainContent(html);
  const text = main.length >= MIN_MAIN_CHARACTERS ? main : await withoutAsides(html);
  return { title: (await titleElement(html)) || firstHeading(text), text };
}

/** @throws FileSkipped `broken` if too many tags are never closed */
function checkNesting(html: string): void {
  let open = 0;
  for (const [, slash, name] of html.matchAll(TAG)) {
    if (SELF_CLOSING.test(name!)) continue;
    open = slash ? Math.max(0, open - 1) : open + 1;
    if (open > MAX_OPEN_ELEMENTS)
      throw new FileSkipped('broken', l10n.t`More than ${MAX_OPEN_ELEMENTS} of its elements are not closed.`);
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

/** Created with the first text and kept: creating it takes ten times as long as converting a short page. */
function converter(options: HtmlToTextOptions): (html: string) => Promise<string> {
  let ready: Promise<(html: string) => string> | undefined;
  return async (html) => {
    ready ??= import('html-to-text').then(({ compile }) => compile(options));
    return (await ready)(html);
  };
}
