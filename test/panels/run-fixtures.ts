/** States of the panel of a run to look at and to test with. */
import type { RunState } from '../../src/features/capture/contract/panel.ts';

type Picture = NonNullable<RunState['picture']>;

const PERSPECTIVES = [
  { id: 'hours', text: 'People who work on weekdays can only come at the weekend.' },
  { id: 'staff', text: 'Staff would lose their free Sundays, and some would leave.' },
  { id: 'cost', text: 'The book fund pays for the longer hours.' },
  { id: 'help', text: 'Volunteers can keep the reading room open without a desk.' },
  {
    id: 'trial',
    text: 'The trial with a card gate was given up after two months, because the heating ran all night.',
  },
];

function passage(
  title: string,
  supports: readonly string[] = [],
  recognised = true,
): Picture['searches'][number]['passages'][number] {
  return { id: `docs/${title}.md#p1`, title, recognised, supports: [...supports] };
}

const SEARCHES: Picture['searches'] = [
  {
    query: 'Should the town library open on Sundays?',
    name: 'VectorStoreRetriever',
    passages: [
      passage('survey', ['hours']),
      passage('letters/king-street', ['hours']),
      passage('letters/mill-lane'),
      passage('parents'),
    ],
    gained: ['hours'],
    covered: 1,
    seen: 0,
    nearlySeen: 0,
    tokens: 480,
    gainPerThousandTokens: 1000 / 480,
  },
  {
    query: 'library opening hours survey results',
    name: 'VectorStoreRetriever',
    passages: [
      passage('survey', ['hours']),
      passage('letters/king-street', ['hours']),
      passage('letters/queen-street'),
      passage('a page elsewhere', [], false),
    ],
    gained: [],
    covered: 1,
    seen: 2,
    nearlySeen: 1,
    tokens: 466,
    gainPerThousandTokens: 0,
  },
  {
    query: 'Sunday wages and objections of the library staff and of the works council',
    name: 'VectorStoreRetriever',
    passages: [passage('rota', ['staff']), passage('survey', ['hours']), passage('treasurer', ['cost'])],
    gained: ['staff', 'cost'],
    covered: 3,
    seen: 1,
    nearlySeen: 0,
    tokens: 391,
    gainPerThousandTokens: 2000 / 391,
  },
  {
    query: 'volunteers',
    name: 'VectorStoreRetriever',
    passages: [],
    gained: [],
    covered: 3,
    seen: 0,
    nearlySeen: 0,
    tokens: 0,
  },
  {
    query: 'library Sunday staff',
    name: 'VectorStoreRetriever',
    passages: [passage('rota', ['staff']), passage('letters/king-street', ['hours'])],
    gained: [],
    covered: 3,
    seen: 2,
    nearlySeen: 0,
    tokens: 250,
    gainPerThousandTokens: 0,
  },
];

const PICTURE: Picture = {
  question: 'Should the town library open on Sundays?',
  perspectives: PERSPECTIVES,
  searches: SEARCHES,
  never: ['help', 'trial'],
  searchesAfter: 2,
  passages: 8,
  judgedPairs: 32,
  pairs: 40,
};

const AGAIN: NonNullable<Picture['again']> = {
  retriever: 'embeddings',
  depth: 412,
  lost: [
    {
      perspectiveId: 'help',
      known: 2,
      reached: { search: 3, rank: 14, passageId: 'docs/volunteers.md#p1', title: 'volunteers' },
    },
    { perspectiveId: 'trial', known: 1 },
  ],
  whatIfs: [
    { order: 'retrieved', leavesOutSeen: false, covered: [1, 1, 3, 3, 3], judgedPairs: 32, pairs: 40 },
    { order: 'retrieved', leavesOutSeen: true, covered: [1, 2, 3, 3, 4], judgedPairs: 40, pairs: 75 },
    { order: 'mmr', leavesOutSeen: false, covered: [1, 2, 3, 3, 3], judgedPairs: 38, pairs: 60 },
    { order: 'mmr', leavesOutSeen: true, covered: [1, 2, 3, 4, 4], judgedPairs: 40, pairs: 80 },
    { order: 'covering', leavesOutSeen: false, covered: [3, 4, 4, 4, 4], judgedPairs: 41, pairs: 70 },
    { order: 'covering', leavesOutSeen: true, covered: [3, 4, 4, 4, 4], judgedPairs: 41, pairs: 80 },
  ],
};

const NAMES = { pipelines: ['hybrid', 'dense', 'bm25'], pipeline: 'hybrid' };

/** A run longer than any panel is wide. */
const LONG: Picture = {
  ...PICTURE,
  searches: Array.from({ length: 40 }, (_, place) => SEARCHES[place < 3 ? place : 4]!).map(
    (search, place) => ({
      ...search,
      ...(place > 2 ? { gained: [], covered: 3 } : {}),
    }),
  ),
  searchesAfter: 37,
};

export const RUN_FIXTURES = {
  nothing: { pipelines: [], pipeline: '' },
  captured: { ...NAMES, picture: PICTURE },
  working: { ...NAMES, picture: PICTURE, task: { title: 'Asking the queries again', fraction: 0.4 } },
  again: { ...NAMES, picture: { ...PICTURE, again: AGAIN } },
  covered: {
    ...NAMES,
    picture: {
      ...PICTURE,
      perspectives: PERSPECTIVES.slice(0, 3),
      never: [],
      again: { ...AGAIN, lost: [] },
    },
  },
  unlabelled: {
    ...NAMES,
    picture: {
      ...PICTURE,
      perspectives: [],
      never: [],
      searchesAfter: 5,
      pairs: 0,
      judgedPairs: 0,
      searches: SEARCHES.map((search) => ({ ...search, gained: [], covered: 0 })),
    },
  },
  long: { ...NAMES, picture: LONG },
  failed: {
    ...NAMES,
    picture: PICTURE,
    error: { message: 'The model "embed" needs an API key.', remedies: ['set-key'] },
  },
} as const satisfies Record<string, RunState>;
