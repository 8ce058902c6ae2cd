/** States of the map to look at and to test with. */
import type { MapState } from '../../src/features/map/contract/panel.ts';
import { FIXTURES } from './fixtures.ts';

type DrawnMap = NonNullable<MapState['map']>;

const THEMES = [
  ['sleep', 'melatonin', 'clock'],
  ['bus', 'timetable', 'drivers'],
  ['childcare', 'shift', 'parents'],
  ['Schulanfangszeitenverordnung', 'Landesregierung'],
] as const;
const PER_THEME = 24;

/** Spread around the middle of its theme, the same every time. */
function passageOf(place: number): DrawnMap['passages'][number] {
  const theme = place % THEMES.length;
  const turn = place * 2.399963;
  const away = 0.06 * Math.sqrt(place % 17);
  return {
    slot: place,
    id: `docs/${place}.md#p1`,
    title: `report-${place} › ${THEMES[theme]![0]}`,
    path: `docs/${place}.md`,
    text: `Passage ${place} speaks of ${THEMES[theme]!.join(' and ')}, and of what follows from it for schools.`,
    x: Math.cos(theme * 1.7) * 0.5 + away * Math.cos(turn),
    y: Math.sin(theme * 1.7) * 0.35 + away * Math.sin(turn),
  };
}

const PASSAGES = Array.from({ length: THEMES.length * PER_THEME }, (_, place) => passageOf(place));
const ids = (places: readonly number[]): string[] => places.map((place) => PASSAGES[place]!.id);
const PERSPECTIVES = FIXTURES.answered.perspectives.map(({ text, letter, color }) => ({
  text,
  letter,
  color,
}));

const BASE: DrawnMap = {
  likeness: {
    ...FIXTURES['no-perspectives'].results.likeness!,
    themes: {
      larger: THEMES.map((terms, theme) => ({
        terms: [...terms],
        passages: PER_THEME,
        top: theme === 0 ? 4 : theme === 2 ? 1 : 0,
        members: PASSAGES.filter((_, place) => place % THEMES.length === theme).map(({ id }) => id),
        nearest: {
          passageId: PASSAGES[theme]!.id,
          title: PASSAGES[theme]!.title,
          path: PASSAGES[theme]!.path,
        },
      })),
      rest: { passages: 0, top: 0 },
      clear: true,
    },
  },
  explained: 0.41,
  sample: { slots: [], places: [], corpus: PASSAGES.length },
  projections: [],
  passages: PASSAGES,
  question: { x: 0.1, y: 0.1 },
  perspectives: [
    { x: 0.45, y: -0.05 },
    { x: -0.05, y: 0.42 },
    { x: -0.5, y: -0.1 },
  ],
  tops: [
    { name: 'BM25', ids: ids([0, 4, 8, 2, 12]) },
    { name: 'Hybrid', ids: ids([0, 1, 5, 3, 7]) },
    { name: 'Dense', ids: [], problem: 'The model is not there.' },
  ],
};

const DRAWN: DrawnMap = { ...BASE, explained: 0.137 };

const ASKED: MapState = {
  question: FIXTURES.answered.query,
  perspectives: PERSPECTIVES,
  map: DRAWN,
  supports: {
    [PASSAGES[0]!.id]: [0],
    [PASSAGES[4]!.id]: [0, 2],
    [PASSAGES[8]!.id]: [],
    [PASSAGES[1]!.id]: [1],
  },
  looked: [],
  sample: 0,
  pipelines: ['Dense', 'Hybrid'],
  chosen: ['Hybrid', 'Dense'],
  working: false,
};

const NOTHING: MapState = {
  perspectives: [],
  supports: {},
  looked: [],
  sample: 0,
  pipelines: [],
  chosen: [],
  working: false,
};

/** Others of the corpus around the candidates. */
export function sampleOf(count: number): DrawnMap['sample'] {
  const places = Array.from({ length: count }, (_, place) => {
    const turn = place * 2.399963;
    const away = 0.9 * Math.sqrt(place / count);
    return [away * Math.cos(turn) * (1 + 0.3 * Math.sin(5 * turn)), 0.7 * away * Math.sin(turn)];
  });
  return {
    slots: Array.from({ length: count }, (_, place) => 1000 + place),
    places: places.flat(),
    corpus: 1000 + count,
  };
}

const SAMPLED: MapState = {
  ...ASKED,
  sample: 1000,
  map: {
    ...BASE,
    sample: sampleOf(1000),
    projections: PERSPECTIVES.map(({ text }, place) => ({ perspective: text, x: 0.2 * place, y: -0.3 })),
  },
  looked: [
    {
      slot: 1001,
      id: 'docs/other.md#p1',
      title: 'other › Elsewhere',
      path: 'docs/other.md',
      text: 'Another passage of the corpus, which the question did not find.',
    },
  ],
};

export const MAP_FIXTURES = {
  starting: undefined,
  empty: { ...NOTHING, pipelines: ['BM25'] },
  drawn: ASKED,
  sampled: SAMPLED,
  stopped: { ...NOTHING, question: ASKED.question! },
  working: { ...ASKED, working: true, perspectives: [], supports: {} },
  failed: {
    question: ASKED.question!,
    ...NOTHING,
    error: { message: 'The key for “openai” is missing. Set it, and ask again.', remedies: ['set-key'] },
  },
} as const satisfies Record<string, MapState | undefined>;
