/**
 * The panels in a pseudo-language. Any visible or spoken text that has no accents and does not come from the data was
 * not translated.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { parted } from '../../webview/components/cut.ts';
import { PANELS, type PanelName } from '../panels/panels.ts';
import { PanelPage } from './support/panel-page.ts';
import { pseudo, pseudoLanguage } from './support/pseudo-language.ts';

/** The same in every language: names of measures, of formats and of keys in `parallax.json`. */
const NAMES = [
  /(?:p-)?(?:MRecall|Precision|Hit|Recall|StRecall|nDCG|alpha_nDCG|ERR_IA|Hole|Judged)(?:@(?:k|\d+))?/u,
  /Parallax|BM25|Meaning|Words and meaning|Hashed words|Hybrid|PAP\+?|MMR|hashing|int8/u,
  /JSON|CSV|LaTeX|Markdown|PNG|SVG/u,
  // The depth, its value, a p-value, the weight of a projection.
  /[kpw]/u,
  // Keys that label a pair, and those that decide on a draft.
  /[YNU]|[AERSWZ]/u,
  // The beginning of a commit's id.
  /[\da-f]{10}/u,
  // The pseudo-language has no dates.
  /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|AM|PM/u,
];

/** Fields of a state that hold words of the program, which are translated before they are shown. */
const CODES = new Set([
  ...['action', 'blocked', 'kind', 'method', 'perspectiveSource', 'search', 'source'],
  ...['stance', 'stanceBy', 'state', 'type', 'verdict', 'where'],
]);

/** All texts in the data of a fixture. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    CODES.has(key) && typeof inner === 'string' ? [] : textsOf(inner),
  );
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

/** Words that may appear untranslated. */
function known(data: readonly string[]): RegExp {
  const texts = [...new Set(data)].filter((text) => text !== '').sort((a, b) => b.length - a.length);
  const all = [...texts.map(escaped), ...NAMES.map(({ source }) => source)].join('|');
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${all})(?![\\p{L}\\p{N}_])`, 'gu');
}

/** The texts that still contain letters once all known words are removed. */
function untranslated(shown: Iterable<string>, data: readonly string[]): string[] {
  const pattern = known(data);
  // Charts cut long names, with the letters of perspectives before them or not.
  const isCut = (text: string): boolean =>
    text.endsWith('…') && data.some((one) => one.startsWith(text.slice(0, -1).replace(/^[A-Z]+ {2}/u, '')));
  // Long names are cut in their middle: beginning and end are separate texts.
  const halves = new Set(data.flatMap((one) => [...parted(one), parted(one).join(' ')]));
  const isHalf = (text: string): boolean => halves.has(text.replace(/:\d+(?:–\d+)?$/u, ''));
  return [...new Set(shown)].filter(
    (text) => !isCut(text) && !isHalf(text) && /[a-z]/iu.test(text.replace(pattern, ' ')),
  );
}

/** All visible and spoken text of the page except passages and code. */
async function textsOn(page: Page): Promise<string[]> {
  const drawn = await page.evaluate(() => {
    for (const foreign of document.querySelectorAll('.passage, .reading, pre')) foreign.replaceChildren();
    const texts = Array.from(document.querySelectorAll('svg :is(text, tspan, title)'), ({ childNodes }) =>
      Array.from(childNodes, (node) => (node instanceof Text ? node.data : '')).join(''),
    );
    const hints = ['title', 'placeholder'].flatMap((name) =>
      Array.from(document.querySelectorAll(`[${name}]`), (one) => one.getAttribute(name)),
    );
    return [...texts, ...hints];
  });
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  const said = nodes
    // Inline boxes are lines of a text that is also there as a whole.
    .filter(({ ignored, role }) => !ignored && role?.value !== 'InlineTextBox')
    .flatMap(({ name, value, description, properties = [] }) => [
      ...[name, value, description].map((one) => one?.value as unknown),
      ...properties.filter((one) => one.name === 'valuetext').map((one) => one.value.value as unknown),
    ]);
  return [...drawn, ...said].filter((text): text is string => typeof text === 'string' && text !== '');
}

/** A state of a panel, and what is clicked before it is read. */
interface Case {
  readonly state: string;
  readonly clicks?: readonly string[];
}

const CASES: Record<PanelName, readonly Case[]> = {
  map: ['empty', 'drawn', 'working'].map((state): Case => ({ state })),
  inspector: [
    ...[
      'starting',
      'no-folder',
      'untrusted',
      'not-indexed',
      'no-query',
      'searching',
      'no-results',
      'failed',
      'bad-config',
    ],
    ...['no-perspectives', 'answered', 'proposed', 'unjudged', 'judging', 'crowded', 'trying'],
  ]
    .map((state): Case => ({ state }))
    .concat([
      { state: 'stances', clicks: ['more', 'stance-p1'] },
      { state: 'answered', clicks: ['edit-perspectives'] },
    ]),
  compare: [
    ...['untrusted', 'no-eval-set', 'bad-config', 'too-few', 'not-indexed', 'ready', 'stale', 'other'],
    ...['errors', 'unjudged', 'judged', 'pool-open', 'single'],
  ]
    .map((state): Case => ({ state }))
    .concat([
      { state: 'several', clicks: ['sort-judged', 'earlier'] },
      { state: 'missing-index', clicks: ['set-picker'] },
      { state: 'judgeable', clicks: ['judge-more'] },
      { state: 'compared', clicks: ['lead-MRecall@5-Dense'] },
      { state: 'movement', clicks: ['movement-q001'] },
      { state: 'compared', clicks: ['chart-choice-sycophancy'] },
      ...['scatter', 'map', 'heat', 'recall'].map((chart) => ({
        state: 'groups',
        clicks: [`chart-choice-${chart}`],
      })),
    ]),
  capture: ['nothing', 'captured', 'working', 'again', 'covered', 'unlabelled', 'failed']
    .map((state): Case => ({ state }))
    .concat([{ state: 'captured', clicks: ['search-2'] }]),
  building: ['none', 'reviewing', 'bare', 'done', 'failed'].map((state): Case => ({ state })),
  review: ['pair', 'next', 'end'].map((state): Case => ({ state })),
  history: ['untrusted', 'no-eval-set', 'bad-config', 'empty', 'one', 'two-sets', 'compared', 'failed'].map(
    (state): Case => ({ state }),
  ),
};

/** Letters of perspectives that no state contains. On the map, all that a passage supports are side by side. */
const LETTERS: Partial<Record<PanelName, readonly string[]>> = { map: ['AC'], capture: ['B', 'C', 'D'] };

for (const [name, cases] of Object.entries(CASES) as [PanelName, readonly Case[]][])
  describe(`the ${name} panel in another language`, () => {
    let panel: PanelPage<{ type: string }>;
    before(async () => {
      panel = await PanelPage.open(name, (message) => message as { type: string }, pseudoLanguage());
      await panel.page.setViewportSize({ width: 1100, height: 5000 });
    });
    after(() => panel?.close());

    for (const { state, clicks = [] } of cases)
      test(`“${[state, ...clicks].join('”, “')}” has only translated text`, async () => {
        await panel.show(state, 'dark', 'main > :not(h1, .sr-only)');
        for (const testId of clicks) await panel.byId(testId).click();
        await panel.unfoldAll();
        const fixtures: Readonly<Record<string, unknown>> = PANELS[name].fixtures;
        const shown = await textsOn(panel.page);
        assert.ok(shown.some((text) => text.includes('⟦')));
        const data = [...textsOf(fixtures[state]), ...clicks, ...(LETTERS[name] ?? [])];
        assert.deepEqual(untranslated(shown, data), []);
        await panel.endTest();
      });
  });

test('an untranslated text is found', () => {
  const data = ['Anna', 'a passage'];
  const shown = [
    pseudo('Labelled by {0}').replace('{0}', 'Anna'),
    'Labelled by Anna',
    'a passage: MRecall@5',
  ];
  assert.deepEqual(untranslated(shown, data), ['Labelled by Anna']);
  assert.deepEqual(untranslated([pseudo('Only {0}').replace('{0}', 'a fragment')], data).length, 1);
});

describe('the side panel in a language that writes decimal commas', () => {
  let panel: PanelPage<{ type: string }>;
  before(async () => {
    panel = await PanelPage.open('inspector', (message) => message as { type: string }, { tag: 'de' });
    await panel.page.setViewportSize({ width: 500, height: 5000 });
  });
  after(() => panel?.close());

  for (const state of ['answered', 'trying'] as const)
    test(`“${state}” has no decimal point`, async () => {
      await panel.show(state, 'dark', 'main > :not(h1, .sr-only)');
      await panel.unfoldAll();
      const shown = await panel.page.evaluate(() => {
        // JSON is the same in every language.
        for (const json of document.querySelectorAll('pre')) json.remove();
        const hints = Array.from(document.querySelectorAll('[title], [aria-valuetext]'), (one) =>
          [one.getAttribute('title'), one.getAttribute('aria-valuetext')].join(' '),
        );
        return [document.body.innerText, ...hints];
      });
      const data = known(textsOf(PANELS.inspector.fixtures[state]));
      const numbers = shown.flatMap((text) => text.replace(data, ' ').match(/\d+[.,]\d+/gu) ?? []);
      assert.deepEqual(
        numbers.filter((number) => number.includes('.')),
        [],
      );
      assert.ok(numbers.length > 0);
      await panel.endTest();
    });
});
