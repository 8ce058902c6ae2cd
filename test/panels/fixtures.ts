/** States of the panel to look at and to test with, from the first start to the crowded extremes. */
import { atLeast, exactly } from '../../src/core/measured.ts';
import type { JudgementSource } from '../../src/core/model.ts';
import { pipelineSchema, type PipelineInput } from '../../src/core/pipeline.ts';
import {
  perspectiveMark,
  type InspectorState,
  type JudgementView,
  type MetricsView,
  type PerspectiveView,
  type ResultView,
} from '../../src/features/inspector/contract/panel.ts';
import type { PerspectiveCoverage } from '../../src/core/coverage-states.ts';

const pipeline = (input: PipelineInput): InspectorState['pipeline'] => pipelineSchema.parse(input);

const BM25 = pipeline({ name: 'BM25', retriever: { type: 'bm25' }, k: 5 });
const DENSE = pipeline({ name: 'Dense', retriever: { type: 'dense' }, k: 5 });
const HYBRID = pipeline({
  name: 'Hybrid',
  retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense' }] },
});

const QUESTION = 'Should secondary schools start later in the morning?';

const EVAL_QUERIES: InspectorState['evalQueries'] = [
  { id: 'school-start', text: QUESTION, evalSet: 'questions.jsonl' },
  { id: 'remote', text: 'Is remote work good for young engineers?', evalSet: 'questions.jsonl' },
  {
    id: 'monorepo',
    text: 'Should our team keep all services in one repository?',
    evalSet: 'questions.jsonl',
  },
  { id: 'fasting', text: 'Is intermittent fasting healthy for most adults?', evalSet: 'health.jsonl' },
];

const LABELS_ONLY: InspectorState['judge'] = {
  name: 'labels',
  label: 'People',
  canJudge: false,
  choices: [
    { name: 'labels', label: 'People', short: 'People', restsOn: 'labels', sureness: 'One answer is enough' },
    {
      name: 'local',
      label: 'A model: qwen3-8b',
      short: 'qwen3-8b',
      restsOn: 'local',
      sureness: 'One answer is enough',
    },
  ],
  canGenerate: false,
};
const MODEL: InspectorState['judge'] = {
  ...LABELS_ONLY,
  name: 'local',
  label: 'qwen3-8b',
  canJudge: true,
  canGenerate: true,
  generator: 'qwen3-8b',
};
/** One model that answers alone, argues with itself, or leaves what it is unsure of to people. */
const SURER: InspectorState['judge'] = {
  ...MODEL,
  name: 'dream',
  label: 'DREAM',
  choices: [
    ...MODEL.choices,
    { name: 'dream', label: 'A model: DREAM', short: 'DREAM', restsOn: 'local', sureness: 'After a debate' },
    {
      name: 'unsure',
      label: 'A model: unsure (local, least sure to you)',
      short: 'unsure (local, least sure to you)',
      restsOn: 'local',
      sureness: 'You decide if it is unsure',
    },
  ],
};
const READY: InspectorState = {
  trusted: true,
  corpus: { state: 'indexed', name: 'sample', documents: 64, passages: 412, skipped: 2, notices: [] },
  corpora: ['sample'],
  tasks: [],
  pipelines: [
    { name: 'BM25', pipeline: BM25 },
    { name: 'Dense', pipeline: DENSE },
    { name: 'Hybrid', pipeline: HYBRID },
  ],
  embedders: ['hashing', 'minilm'],
  pipeline: BM25,
  judge: LABELS_ONLY,
  history: ['Is remote work good for young engineers?', 'Who pays for the congestion charge?'],
  evalQueries: EVAL_QUERIES,
  query: '',
  perspectives: [],
  perspectiveSource: 'none',
};

function perspectivesOf(
  ...texts: readonly (readonly [string, PerspectiveView['stance']?])[]
): PerspectiveView[] {
  return texts.map(([text, stance], index) => ({
    id: `p${index + 1}`,
    text,
    ...perspectiveMark(index),
    ...(stance === undefined ? {} : { stance }),
  }));
}

const SCHOOL = perspectivesOf(
  [
    'A later start lets teenagers get the sleep their bodies need, so that they learn and feel better.',
    'support',
  ],
  [
    'A later start upsets the mornings of working parents and the transport that families depend on.',
    'oppose',
  ],
  [
    'When the day ends later, young people lose the daylight hours for sport, paid work and caring for others.',
    'oppose',
  ],
);

interface PersonVerdict extends Partial<Omit<JudgementView, 'evidence' | 'perspectiveId'>> {
  /** Words of the passage that are the evidence. */
  readonly quotes?: readonly string[];
}

/** A result whose judgements are given in the order of the perspectives; what is left out is unjudged. */
function result(
  rank: number,
  passage: Pick<ResultView, 'title' | 'path' | 'text'> & { lines?: ResultView['lines'] },
  perspectives: readonly PerspectiveView[],
  said: readonly PersonVerdict[] = [],
): ResultView {
  const judgements = perspectives.map(({ id }, index): JudgementView => {
    const { quotes = [], ...judgement } = said[index] ?? {};
    const evidence = quotes.map((quote) => {
      const start = passage.text.indexOf(quote);
      if (start < 0) throw new Error(`The passage “${passage.title}” does not contain “${quote}”.`);
      return { start, end: start + quote.length };
    });
    return { verdict: 'unjudged', ...judgement, perspectiveId: id, evidence };
  });
  return {
    rank,
    passageId: `${passage.path}#${rank}`,
    score: 14.2 - rank * 1.137,
    judgements,
    fullTitle: passage.title,
    ...passage,
  };
}

/** Figures over results, as the extension host counts them. */
function measured(
  items: readonly ResultView[],
  perspectives: readonly PerspectiveView[],
  k: number,
): MetricsView {
  const top = items.slice(0, k);
  const judged = top.flatMap(({ judgements }) => judgements).filter(({ verdict }) => verdict !== 'unjudged');
  const supports = (item: ResultView): boolean => item.judgements.some(({ verdict }) => verdict === 'yes');
  const covered = perspectives.filter(({ id }) =>
    top.some((item) => item.judgements.some((one) => one.perspectiveId === id && one.verdict === 'yes')),
  ).length;
  const isUnjudged = ({ verdict }: JudgementView): boolean => verdict === 'unjudged';
  const isOpen = (item: ResultView): boolean => item.judgements.some(isUnjudged);
  const open = perspectives.filter(({ id }) => {
    const own = top.flatMap(({ judgements }) => judgements.filter((one) => one.perspectiveId === id));
    return own.some(isUnjudged) && !own.some(({ verdict }) => verdict === 'yes');
  }).length;
  const needed = Math.min(k, perspectives.length);
  const sources = Map.groupBy(judged, ({ source = 'human', judge = '' }) => `${source}\n${judge}`);
  return {
    k,
    ...(perspectives.length === 0
      ? {}
      : {
          mrecall: atLeast(covered >= needed ? 1 : 0, covered + open >= needed ? 1 : 0),
          precision: atLeast(
            top.filter(supports).length / k,
            top.filter((item) => supports(item) || isOpen(item)).length / k,
          ),
        }),
    covered: atLeast(covered, covered + open),
    judgedPairs: judged.length,
    unsurePairs: judged.filter(({ verdict }) => verdict === 'unsure').length,
    pairs: top.length * perspectives.length,
    sources: [...sources].map(([key, group]) => {
      const [source, judge = ''] = key.split('\n') as [JudgementSource, string?];
      const evidenceNotFound = group.filter((one) => one.evidenceNotFound).length;
      const notFound = evidenceNotFound > 0 ? { evidenceNotFound } : {};
      return { source, judge, count: group.length, heuristic: source === 'lexical', ...notFound };
    }),
  };
}

type Answer = NonNullable<InspectorState['results']>;
type Likeness = NonNullable<Answer['likeness']>;

function answer(
  items: ResultView[],
  perspectives: readonly PerspectiveView[],
  rest: Partial<Answer> & { k?: number } = {},
): Answer {
  const { k = 5, ...changes } = rest;
  const metrics = measured(items, perspectives, k);
  return {
    items,
    metrics,
    candidates: 100,
    coverage: [],
    lookDeeperPassages: 30,
    deeper: [],
    search: 'exact',
    milliseconds: 3.4,
    stale: false,
    ...changes,
  };
}

/** Likeness of five passages that come from two documents, the last two nearly the same. */
function likeness(items: readonly ResultView[], clear: boolean): NonNullable<Answer['likeness']> {
  const theme = (terms: string[], passages: number, top: number): Likeness['themes']['larger'][number] => ({
    terms,
    passages,
    top,
    members: [],
    nearest: { passageId: items[0]!.passageId, title: items[0]!.title, path: items[0]!.path },
  });
  const last = items.slice(-2);
  return {
    embedder: clear ? 'minilm' : 'hashing',
    passages: items.length,
    candidates: 100,
    fields: [{ name: 'author', top: 3, candidates: 17, without: 1 }],
    foundFields: ['title', 'author', 'status'],
    spreads: {
      documents: { top: items.length, candidates: 41, without: 0 },
      folders: { top: 1, candidates: 6, without: 0 },
      sections: clear
        ? { top: items.length - 1, candidates: 78, without: 1 }
        : { top: 0, candidates: 0, without: items.length },
    },
    repeats: [{ passageId: last[1]!.passageId, of: last[0]!.passageId }],
    vendi: 3.412,
    similarity: 0.4183,
    themes: {
      larger: [
        theme(['sleep', 'melatonin', 'clock'], 31, 4),
        theme(['bus', 'timetable', 'drivers'], 22, 0),
        theme(['childcare', 'shift', 'parents'], 17, 1),
        theme(['Schulanfangszeitenverordnung', 'Landesregierung', 'Verwaltungsgericht'], 12, 0),
        theme(['daylight', 'sport', 'clubs'], 9, 0),
      ],
      rest: { passages: 9, top: 0 },
      clear,
    },
  };
}

const HUMAN = { source: 'human', judge: 'anna' } as const;
const YES = { verdict: 'yes', ...HUMAN } as const;
const NO = { verdict: 'no', ...HUMAN } as const;

const SCHOOL_RESULTS = [
  result(
    1,
    {
      title: 'What we learned from a term of later starts',
      path: 'docs/school-start/trial-report.md',
      lines: { first: 12, last: 18 },
      text: 'During the trial term the first lesson began at 9:30. Pupils in years ten and eleven reported forty minutes more sleep on school nights, and first-period marks rose. Teachers described the morning as calmer. Attendance did not change in the younger years.',
    },
    SCHOOL,
    [
      {
        ...YES,
        quotes: ['reported forty minutes more sleep on school nights, and first-period marks rose'],
        rationale: 'The report ties the later bell to more sleep and to better marks.',
      },
      NO,
      NO,
    ],
  ),
  result(
    2,
    {
      title: 'Sleep and the teenage clock',
      path: 'docs/school-start/clinic-leaflet.html',
      text: 'In the teenage years the inner clock moves back by up to two hours. A bell at eight asks a fifteen-year-old to work in the middle of the biological night. Doctors at the clinic therefore advise a start no earlier than nine, which lets young people get the sleep their bodies need.',
    },
    SCHOOL,
    [
      {
        verdict: 'yes',
        source: 'llm',
        judge: 'qwen3-8b',
        confidence: 0.94,
        quotes: ['lets young people get the sleep their bodies need'],
        rationale: 'Says outright that a later start gives teenagers the sleep that they need.',
      },
      { verdict: 'no', source: 'llm', judge: 'qwen3-8b', confidence: 0.03 },
      { verdict: 'no', source: 'llm', judge: 'qwen3-8b', confidence: 0.06 },
    ],
  ),
  result(
    3,
    {
      title: 'Minutes of the parents’ evening',
      path: 'docs/school-start/parents-minutes.md',
      lines: { first: 40, last: 47 },
      text: 'Mr Hale asked who would be at home at nine. He starts at seven, his wife at half past, and the breakfast club closes at eight. Several parents said that a later bell would leave their children alone in the morning, and that the two buses which serve the estate cannot be moved.',
    },
    SCHOOL,
    [
      NO,
      {
        ...YES,
        quotes: [
          'a later bell would leave their children alone in the morning, and that the two buses which serve the estate cannot be moved',
        ],
      },
      { ...NO, verdict: 'unsure' },
    ],
  ),
  result(
    4,
    {
      title: 'Timetable options, draft 3',
      path: 'docs/school-start/options.csv',
      lines: { first: 5, last: 5 },
      text: 'Option C: first bell 9:30, lunch 13:00, last bell 16:20. Cost: neutral. Needs agreement with the transport office.',
    },
    SCHOOL,
    [NO, { verdict: 'no', source: 'nli', judge: 'deberta' }],
  ),
  result(
    5,
    {
      title: 'Council paper on school hours',
      path: 'docs/school-start/council-paper.md',
      lines: { first: 3, last: 3 },
      text: 'The council takes note of the consultation and asks the schools to report on their experience within two years.',
    },
    SCHOOL,
    [NO, NO, NO],
  ),
];

const SCHOOL_COVERAGE: PerspectiveCoverage[] = [
  { where: 'covered', perspectiveId: 'p1', rank: 1 },
  { where: 'covered', perspectiveId: 'p2', rank: 3 },
  {
    where: 'below-k',
    perspectiveId: 'p3',
    rank: 23,
    passageId: 'docs/school-start/coach-letter.md#1',
    unjudgedAbove: 18,
  },
];

const ANSWERED: InspectorState = {
  ...READY,
  query: QUESTION,
  perspectives: SCHOOL,
  perspectiveSource: 'eval-set',
  judge: MODEL,
  results: answer(SCHOOL_RESULTS, SCHOOL, { coverage: SCHOOL_COVERAGE, queryId: 'school-start' }),
};

const unjudged = (items: readonly ResultView[]): ResultView[] =>
  items.map((item) => ({
    ...item,
    judgements: item.judgements.map(({ perspectiveId }) => ({
      perspectiveId,
      verdict: 'unjudged',
      evidence: [],
    })),
  }));

/** The "yes" of a model, without its words in the passage. */
const UNFOUNDED: InspectorState = {
  ...ANSWERED,
  results: answer(
    SCHOOL_RESULTS.map((item) => ({
      ...item,
      judgements: item.judgements.map((judgement) =>
        judgement.verdict === 'yes' && judgement.source === 'llm'
          ? { ...judgement, evidence: [], evidenceNotFound: true }
          : judgement,
      ),
    })),
    SCHOOL,
    { coverage: SCHOOL_COVERAGE },
  ),
};

const UNJUDGED: InspectorState = {
  ...ANSWERED,
  results: answer(unjudged(SCHOOL_RESULTS), SCHOOL, {
    coverage: SCHOOL.map(({ id }) => ({ where: 'unjudged', perspectiveId: id, unjudged: 5 })),
  }),
};

const JUDGING: InspectorState = {
  ...UNJUDGED,
  tasks: [
    {
      kind: 'judge',
      title: 'Judging 15 pairs with qwen3-8b',
      fraction: 0.4,
      detail: '6 of 15 pairs, about 20 s left',
    },
  ],
  results: answer(
    SCHOOL_RESULTS.map((item, index) => ({
      ...item,
      judgements: item.judgements.map((judgement) =>
        index < 2
          ? judgement
          : { ...judgement, verdict: 'unjudged', evidence: [], source: undefined, pending: index === 2 },
      ),
    })) as ResultView[],
    SCHOOL,
    {
      coverage: [
        { where: 'covered', perspectiveId: 'p1', rank: 1 },
        { where: 'unjudged', perspectiveId: 'p2', unjudged: 3 },
        { where: 'unjudged', perspectiveId: 'p3', unjudged: 3 },
      ],
    },
  ),
};

const LONG_TITLE =
  'Minutes of the extraordinary general meeting of the association of residents, shopkeepers and bus users, part two';
const LONG_WORD =
  'https://example.org/archive/2024/11/Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft/index.html';

const FOUR = perspectivesOf(
  [
    'A charge on driving into the centre would thin out the traffic and make the streets cleaner, quieter and safer.',
    'support',
  ],
  [
    'A charge on driving into the centre would keep customers away and damage the shops in it, above all the small ones that live on passing trade and have no second branch to fall back on.',
    'oppose',
  ],
  ['Drivers should not be charged until there are buses good enough for people to leave the car at home.'],
  [`A flat charge falls hardest on low-paid workers; see ${LONG_WORD}`, 'oppose'],
);
const OVERLAP =
  'The charge would thin out the traffic and keep customers away from the shops until there are buses; low-paid workers pay first. ';
const FOUR_RESULTS = Array.from({ length: 20 }, (_, index) =>
  result(
    index + 1,
    {
      title: index % 3 === 0 ? LONG_TITLE : `Reply ${index + 1} to the consultation`,
      path: `docs/congestion-charge/consultation/replies/2024/very-long-folder-name-for-the-archive/reply-${index + 1}.jsonl`,
      lines: { first: index * 7 + 1, last: index * 7 + 1 },
      text:
        index === 0
          ? OVERLAP.repeat(4)
          : `${'In our street the matter looks different. '.repeat(index % 4)}${OVERLAP}${LONG_WORD}`,
    },
    FOUR,
    index === 0
      ? [
          { ...YES, quotes: ['thin out the traffic and keep customers away'] },
          NO,
          NO,
          {
            ...YES,
            quotes: [
              'keep customers away from the shops until there are buses',
              'low-paid workers pay first',
            ],
          },
        ]
      : [
          index % 2 === 0
            ? NO
            : { verdict: 'yes', source: 'nli', judge: 'deberta', quotes: ['thin out the traffic'] },
          index % 5 === 0 ? { verdict: 'unsure', ...HUMAN } : NO,
          {},
          index % 7 === 0 ? {} : NO,
        ],
  ),
);

const CROWDED: InspectorState = {
  ...READY,
  corpus: {
    ...READY.corpus,
    state: 'indexed',
    name: 'a-corpus-with-a-rather-long-name-2024',
    documents: 118_204,
    passages: 1_204_877,
    skipped: 1204,
    notices: [
      'Approximate search is missing on this machine (hnswlib-node did not load): every search is exact and slower.',
    ],
  },
  corpora: ['a-corpus-with-a-rather-long-name-2024', 'sample', 'handbook'],
  query:
    'Should Tarnbridge charge drivers to enter the town centre, and if so at what hours, for whom, and what would have to be in place first?',
  pipeline: pipeline({ retriever: HYBRID.retriever, k: 20, candidates: 250 }),
  perspectives: FOUR,
  perspectiveSource: 'typed',
  judge: LABELS_ONLY,
  results: answer(FOUR_RESULTS, FOUR, {
    k: 20,
    search: 'approximate',
    milliseconds: 1234,
    stale: true,
    coverage: [
      { where: 'covered', perspectiveId: 'p1', rank: 1 },
      { where: 'not-found', perspectiveId: 'p2', judged: 20, passages: 412, unsure: 0, unjudged: 0 },
      {
        where: 'not-retrieved',
        perspectiveId: 'p3',
        candidates: 250,
        passageId: 'x',
        path: 'docs/congestion-charge/bus-users-minutes.md',
      },
      { where: 'covered', perspectiveId: 'p4', rank: 1 },
    ],
  }),
  error: {
    message:
      'The judge at http://127.0.0.1:11434/v1 did not answer (connection refused). Start it, or choose another judge.',
    remedies: ['show-log'],
  },
};

const ARABIC = perspectivesOf(
  ['العمل عن بُعد يمنح الموظفين وقتًا أطول مع أسرهم ويقلل من التنقل.', 'support'],
  ['العمل من المكتب يساعد المبتدئين على التعلّم من زملائهم.', 'oppose'],
);
const RIGHT_TO_LEFT: InspectorState = {
  ...READY,
  query: 'هل العمل عن بُعد مفيد للمهندسين الشباب؟',
  perspectives: ARABIC,
  perspectiveSource: 'typed',
  judge: MODEL,
  results: answer(
    [
      result(
        1,
        {
          title: 'تقرير عن العمل عن بُعد',
          path: 'docs/remote/taqrir.md',
          lines: { first: 1, last: 4 },
          text: 'بعد عام من العمل عن بُعد قال معظم الموظفين إنهم يقضون وقتًا أطول مع أسرهم. لكن المبتدئين قالوا إنهم يتعلمون أقل.',
        },
        ARABIC,
        [
          { ...YES, quotes: ['يقضون وقتًا أطول مع أسرهم'] },
          { ...YES, quotes: ['المبتدئين قالوا إنهم يتعلمون أقل'] },
        ],
      ),
    ],
    ARABIC,
    {
      coverage: [
        { where: 'covered', perspectiveId: 'p1', rank: 1 },
        { where: 'covered', perspectiveId: 'p2', rank: 1 },
      ],
    },
  ),
};

const EIGHT = perspectivesOf(
  ...['blue', 'orange', 'green', 'purple', 'red', 'yellow', 'cyan', 'magenta'].map(
    (color) => [`The palette has a place for ${color}.`] as const,
  ),
);
const PALETTE_TEXT = EIGHT.map(({ text }) => text).join(' ');
const PALETTE: InspectorState = {
  ...READY,
  query: 'Can eight perspectives be told apart?',
  perspectives: EIGHT,
  perspectiveSource: 'typed',
  results: answer(
    [
      result(
        1,
        {
          title: 'One passage for all',
          path: 'docs/palette.md',
          lines: { first: 1, last: 8 },
          text: PALETTE_TEXT,
        },
        EIGHT,
        EIGHT.map(({ text }) => ({ ...YES, quotes: [text] })),
      ),
      result(2, { title: 'Nobody has read this', path: 'docs/unread.md', text: 'Unread.' }, EIGHT),
    ],
    EIGHT,
    { coverage: EIGHT.map(({ id }) => ({ where: 'covered', perspectiveId: id, rank: 1 })) },
  ),
};

/** As a model sees the perspectives, beside one that the eval set gives a stance. */
const REVIEWED: PerspectiveView[] = SCHOOL.map((perspective, index) =>
  index === 0
    ? { ...perspective, stanceBy: 'model' }
    : {
        ...perspective,
        stance: undefined,
        proposal: { stance: index === 1 ? 'oppose' : 'neither', by: 'qwen3-8b' },
      },
);
const STANCES: InspectorState = { ...ANSWERED, perspectives: REVIEWED };

const PAP = pipeline({ retriever: { type: 'dense' }, projection: { method: 'pap', weight: 1 }, k: 5 });
const TRYING: InspectorState = {
  ...ANSWERED,
  pipeline: { ...PAP, rerank: pipeline({ ...PAP, rerank: [{ type: 'mmr' }] }).rerank },
  results: answer(
    SCHOOL_RESULTS.map((item, index) => ({ ...item, movement: [0, 7, -1, 31, -3][index] ?? 0 })),
    SCHOOL,
    {
      coverage: SCHOOL_COVERAGE,
      queryId: 'school-start',
      splits: [
        { full: QUESTION, root: 'Should schools start later?', perspective: 'secondary, in the morning' },
      ],
      matches: { id: 3, text: 0, fuzzy: 1, foreign: 1 },
      projectionSlider: { method: 'pap', untouched: 1, least: 0, most: 2 },
      whatIf: { weight: 0.64, lambda: 0.85, embedder: 'hashing' },
      likeness: likeness(SCHOOL_RESULTS, true),
    },
  ),
};

/** Nothing is indexed here; passages are those of a table. */
const PGVECTOR = pipeline({
  name: 'articles',
  retriever: { type: 'postgres', database: 'app', user: 'reader', table: 'articles', embedder: 'minilm' },
  k: 5,
});
const STORE: InspectorState = {
  ...READY,
  corpus: {
    state: 'indexed',
    name: 'articles',
    store: 'pgvector (articles)',
    documents: 0,
    passages: 1_204_318,
    skipped: 0,
    notices: [],
  },
  corpora: ['articles'],
  pipelines: [{ name: 'articles', pipeline: PGVECTOR }],
  pipeline: PGVECTOR,
};
const STORE_ANSWERED: InspectorState = {
  ...ANSWERED,
  ...STORE,
  results: answer(
    SCHOOL_RESULTS.map((item, index) => ({
      ...item,
      path: `https://library.example.org/articles/school-start/${90_114 + 7 * index}.html`,
    })),
    SCHOOL,
    {
      coverage: SCHOOL_COVERAGE,
      candidates: 40,
      matches: { id: 40, text: 0, fuzzy: 0, foreign: 0 },
      short: { returned: 40, asked: 100 },
      search: 'approximate',
      milliseconds: 12.6,
    },
  ),
};

/** In the order that a judge's answers made. */
const ORDERED: InspectorState = {
  ...ANSWERED,
  pipeline: pipeline({ ...ANSWERED.pipeline, rerank: [{ type: 'coverage', judge: 'local' }] }),
  results: answer(
    SCHOOL_RESULTS.map((item, index) => ({
      ...item,
      movement: [11, 4, -1, 0, -3][index] ?? 0,
      ...(index > 1
        ? {}
        : { raised: { perspectiveId: SCHOOL[index]!.id, supports: 0.8, only: index === 0 ? 0.72 : 0.31 } }),
    })),
    SCHOOL,
    {
      coverage: SCHOOL_COVERAGE,
      validated: { judge: 'local', yesOfSupport: 0.84, yesOfNone: 0.06, from: 'validation', labels: 212 },
      takenErrors: {
        judge: 'local',
        yesOfSupport: 0.84,
        yesOfNone: 0.06,
        from: 'validation',
        labels: 212,
        leftOut: 14,
        together: {
          judges: ['local', 'other'],
          correlation: 0.5,
          votes: 2 / 1.5,
          from: 'validation',
          pairs: 180,
        },
      },
    },
  ),
};

export const BAD_CONFIG = 'parallax.json: pipelines.bm25.k: must be a number.';

/** What decides about the first passages, and about all others. */
const CUT_PARTS = ['A desk at home costs the firm half as much.', 'Who pays for it?'].map((text, place) => ({
  id: `docs/remote/home-office.md#p${place + 3}`,
  documentId: 'docs/remote/home-office.md',
  name: 'home-office › What a desk at home costs',
  text,
}));

const RANKED = [
  ...Array.from({ length: 5 }, () => ({ decision: 'retrieved' as const })),
  { decision: 'duplicate-above' as const, repeats: 2 },
  { decision: 'moved-down' as const, retrievedRank: 4 },
  ...Array.from({ length: 93 }, () => ({ decision: 'below-k' as const })),
  { decision: 'outside-candidates' as const },
];

export const FIXTURES = {
  starting: undefined,
  'no-folder': { ...READY, corpus: { state: 'no-folder' }, corpora: [] },
  untrusted: { ...READY, trusted: false, corpus: { state: 'unknown' } },
  'not-indexed': {
    ...READY,
    corpus: {
      state: 'not-indexed',
      name: 'sample',
      roots: ['.'],
      survey: {
        folders: [
          { name: 'docs', prose: 640, code: 3, kinds: ['md', 'html', 'pdf'] },
          { name: 'a-folder-with-a-name-that-is-longer-than-the-panel', prose: 12, code: 0, kinds: ['md'] },
          { name: 'app', prose: 0, code: 41, kinds: [] },
          { name: '', prose: 2, code: 4, kinds: ['md', 'text'] },
        ],
        withCode: false,
        canChoose: true,
        unread: {
          kinds: [
            { extension: 'png', files: 1204 },
            { extension: 'svg', files: 77 },
            { extension: 'epub', files: 3 },
            { extension: 'pptx', files: 2 },
            { extension: 'mp4', files: 2 },
            { extension: 'lock', files: 1 },
          ],
          ignored: ['app/data/', 'exports-of-the-ticket-system-with-a-long-name/'],
        },
      },
      others: [{ name: 'handbook', files: 212, kinds: ['adoc', 'md'] }],
    },
  },
  'nothing-to-read': {
    ...READY,
    corpus: {
      state: 'not-indexed',
      name: 'sample',
      roots: ['.'],
      survey: {
        folders: [],
        withCode: false,
        canChoose: true,
        unread: { kinds: [{ extension: 'epub', files: 1 }], ignored: [] },
      },
      others: [],
    },
  },
  'store-not-named': {
    ...READY,
    corpus: { state: 'not-indexed', name: 'app', roots: ['.'], store: 'pgvector (articles)', others: [] },
  },
  indexing: {
    ...READY,
    corpus: { state: 'not-indexed', name: 'sample', roots: ['docs'], others: [] },
    tasks: [{ kind: 'index', title: 'Indexing sample', fraction: 0.63, detail: '41 of 64 documents' }],
  },
  'no-query': READY,
  searching: {
    ...READY,
    query: QUESTION,
    tasks: [
      { kind: 'search', title: 'Searching' },
      {
        kind: 'index',
        title: 'Embedding sample with minilm',
        detail: '1,204 of 48,000 passages, about 9 min left',
        fraction: 0.03,
      },
      { kind: 'generate', title: 'Asking qwen3-8b for perspectives' },
    ],
  },
  'no-results': { ...ANSWERED, perspectives: [], perspectiveSource: 'none', results: answer([], []) },
  'no-perspectives': {
    ...ANSWERED,
    perspectives: [],
    perspectiveSource: 'none',
    results: answer(
      SCHOOL_RESULTS.map((item) => ({ ...item, judgements: [] })),
      [],
      { likeness: likeness(SCHOOL_RESULTS, false) },
    ),
  },
  answered: ANSWERED,
  surer: { ...ANSWERED, judge: SURER },
  deeper: {
    ...CROWDED,
    error: undefined,
    results: {
      ...CROWDED.results!,
      stale: false,
      coverage: CROWDED.results!.coverage.map((each) =>
        each.where === 'not-found'
          ? { ...each, judged: 26, probed: { searches: 4, found: 61, judged: 8 } }
          : each,
      ),
      deeper: [
        {
          perspectiveId: 'p2',
          found: 61,
          unjudged: 53,
          refused: 8,
          passages: [
            {
              passageId: 'traders',
              title: 'traders-association › What members say',
              path: 'docs/traders-association.md',
              lines: { first: 12, last: 15 },
              text: 'Members say that customers came by other roads in the summer of the trial.',
              ranks: [
                { retriever: 'BM25', asked: 'perspective', rank: 1 },
                { retriever: 'Hashed words', asked: 'question-perspective', rank: 7 },
              ],
              verdict: 'no',
              evidence: [],
            },
            {
              passageId: 'hours',
              title: 'opening-hours › The trial of 2019',
              path: 'docs/consultations/economy/retail-and-markets/responses-of-the-public/opening-hours.md',
              lines: { first: 30, last: 36 },
              text: '## The trial of 2019\n\nShops stayed open until eight on Thursdays. Takings rose a little, and two of the bakers gave it up after a month.',
              ranks: [{ retriever: 'BM25', asked: 'question-perspective', rank: 4 }],
              rank: 41,
              verdict: 'unjudged',
              evidence: [],
            },
          ],
        },
      ],
    },
  },
  ranking: {
    ...ANSWERED,
    ranking: {
      words: '',
      total: 1204,
      selected: 1204,
      from: 0,
      counts: {
        retrieved: 5,
        'duplicate-above': 3,
        'moved-down': 2,
        'below-k': 90,
        'outside-candidates': 1104,
        filtered: 0,
      },
      passages: Array.from({ length: 150 }, (_, place) => ({
        id: `docs/remote/home-office.md#p${place}`,
        documentId: `docs/remote/${'of-a-long-consultation/'.repeat(place % 3)}home-office-${place}.md`,
        name: `home-office ${place} › What a desk at home costs${' and who pays for it'.repeat(place % 4)}`,
        rank: place + 1,
        ...RANKED[Math.min(place, RANKED.length - 1)]!,
      })),
    },
  },
  missing: {
    ...ANSWERED,
    missing: {
      document: 'docs/remote/home-office.md',
      askable: ['r1'],
      explanation: {
        cause: 'outside-candidates',
        k: 5,
        candidates: 100,
        rank: 412,
        passage: {
          id: 'docs/remote/home-office.md#p3',
          documentId: 'docs/remote/home-office.md',
          name: 'home-office › What a desk at home costs',
          text: 'A desk at home costs the firm half as much.',
        },
        ranked: 1204,
        others: [
          { id: 'docs/remote/home-office.md#p1', name: 'home-office', rank: 160 },
          { id: 'docs/remote/home-office.md#p2', name: 'home-office › Who pays for it' },
        ],
        arms: [
          {
            name: 'BM25',
            rank: 412,
            score: 2.113,
            needed: 7.802,
            searched: 1204,
            better: { passageId: 'docs/remote/home-office.md#p1', rank: 160 },
          },
          {
            name: 'Meaning',
            searched: 0,
            problem: 'Its rank is not known yet, because not all passages have vectors of this model.',
          },
        ],
        terms: [
          {
            term: 'remot',
            word: 'remote',
            idf: 3.2,
            passages: 41,
            frequency: 0,
            contribution: 0,
            similar: 'remotely',
          },
          { term: 'work', word: 'work', idf: 1.1, passages: 301, frequency: 2, contribution: 2.113 },
        ],
        lengths: { passage: 43, mean: 74.2 },
        programs: [
          {
            id: 'r1',
            name: 'collection.query, app.py:14',
            at: 0,
            returned: 4,
            unmatched: 1,
            live: { site: 'app.py#query#0', retrieval: '7-1' },
          },
        ],
        change: {
          kind: 'retriever',
          label: 'BM25 → Words and meaning',
          pipeline: HYBRID,
          rank: 4,
        },
        tried: [],
      },
      price: {
        evalSet: 'eval/questions.parallax.jsonl',
        queries: 24,
        measures: [
          {
            family: 'MRecall',
            before: exactly(0.417),
            after: {
              ...exactly(0.5),
              difference: { value: 0.083, low: -0.042, high: 0.208, wins: 4, losses: 2, ties: 18 },
            },
          },
          {
            family: 'Precision',
            before: exactly(0.467),
            after: {
              ...exactly(0.433),
              difference: { value: -0.034, low: -0.075, high: 0.008, wins: 3, losses: 6, ties: 13 },
            },
          },
        ],
        tokens: { before: 640, after: 655 },
        milliseconds: { before: 2.1, after: 14 },
      },
    },
    offered: {
      text: 'home',
      documents: [
        { id: 'docs/remote/home-office.md', title: 'What a desk at home costs' },
        { id: 'docs/a-folder-with-a-name-that-is-longer-than-the-panel/homework.md', title: '' },
      ],
    },
  },
  'missing-cut': {
    ...ANSWERED,
    tasks: [
      {
        kind: 'explain',
        title: 'Trying other splitters',
        fraction: 0.3,
        detail: 'sections 240 (1/3)',
      },
    ],
    missing: {
      document: 'A desk at home costs the firm half as much. Who pays for it?',
      askable: [],
      explanation: {
        cause: 'cut-apart',
        k: 5,
        candidates: 100,
        rank: 12,
        passage: CUT_PARTS[0]!,
        parts: CUT_PARTS,
        embedded: { done: 640, of: 1204 },
        arms: [],
        terms: [],
        tried: [],
        splitters: 'untried',
      },
    },
  },
  proposed: {
    ...ANSWERED,
    proposed: {
      by: 'qwen3-8b',
      from: 'passages',
      items: [
        {
          text: 'Parents want the same hours for all their children.',
          passages: [{ passageId: 'parents', title: 'parents › Mornings' }],
        },
        { text: 'Buses are cheaper when hours differ.', passages: [] },
      ],
    },
  },
  unjudged: UNJUDGED,
  unfounded: UNFOUNDED,
  judging: JUDGING,
  stances: STANCES,
  trying: TRYING,
  ordered: ORDERED,
  crowded: CROWDED,
  'right-to-left': RIGHT_TO_LEFT,
  palette: PALETTE,
  failed: {
    ...READY,
    error: { message: 'The key for “openai” is missing. Set it, and ask again.', remedies: ['set-key'] },
  },
  store: STORE,
  'store-answered': STORE_ANSWERED,
  'bad-config': { ...ANSWERED, configProblem: BAD_CONFIG },
  'bad-config-first': {
    ...READY,
    corpus: {
      state: 'not-indexed',
      name: 'sample',
      roots: ['.'],
      others: [],
    },
    configProblem: BAD_CONFIG,
  },
} as const satisfies Record<string, InspectorState | undefined>;
