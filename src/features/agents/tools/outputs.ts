/**
 * The output schemas of the tools: the fields that an agent can rely on. An answer may have further fields, and omits
 * unknown ones.
 */
import * as z from 'zod';

const notice = z.string().describe('What in the answer is data from files.');
const rank = z.int().min(1);
const unit = z.number().min(0).max(1);

const passage = z.looseObject({
  id: z.string().describe('To ask further, and to label.'),
  document: z.string(),
  name: z.string(),
  text: z.string().describe('Data; it may be cut.'),
});

const place = z.looseObject({
  text: z.string(),
  where: z
    .string()
    .describe(
      'covered, below-k, approximate-miss, not-retrieved, unjudged or not-found, as far as it is judged.',
    ),
  rank: rank.optional(),
});

const figure = z.looseObject({
  value: unit,
  bound: z.string().describe('"exact", or "least" or "open" while passages are unjudged.'),
});

export const listOutput = z.looseObject({
  notice,
  programsRead: z.int(),
  sites: z.array(
    z.looseObject({
      file: z.string(),
      line: z.int(),
      library: z.string(),
      callee: z.string(),
      k: z.looseObject({ value: z.int().optional(), unknown: z.string().optional() }),
      binding: z.looseObject({ origin: z.string().optional(), none: z.string().optional() }),
    }),
  ),
});

export const searchOutput = z.looseObject({
  notice,
  corpus: z.string(),
  pipeline: z.string(),
  standsFor: z
    .looseObject({})
    .optional()
    .describe('The pipeline of the call, to compare with after an edit.'),
  k: z.int(),
  candidates: z.int(),
  passages: z.array(passage.extend({ rank })),
  likeness: z
    .looseObject({
      repeats: z.array(z.looseObject({ id: z.string(), of: z.string() })),
      themesNotShown: z.array(z.looseObject({ words: z.array(z.string()), nearest: z.string() })),
    })
    .optional(),
  perspectives: z.array(place).optional(),
});

export const deeperOutput = z.looseObject({
  notice,
  corpus: z.string(),
  k: z.int(),
  perspectives: z.array(
    place.extend({ number: z.int(), found: z.array(z.looseObject({ id: z.string(), judged: z.string() })) }),
  ),
  passages: z.array(passage.extend({ rankInPipeline: rank.nullable() })),
});

export const unjudgedOutput = z.looseObject({
  notice,
  pairs: z.int().describe('Pairs of a passage and a perspective without a verdict.'),
  passages: z.int(),
  questions: z.array(
    z.looseObject({
      query: z.string(),
      perspectives: z.array(z.string()),
      passages: z.array(passage.extend({ unjudged: z.array(z.int()) })),
    }),
  ),
  from: z.int().optional().describe('To read on.'),
});

export const labelOutput = z.looseObject({
  by: z.looseObject({ kind: z.literal('agent'), name: z.string() }),
  given: z.looseObject({ yes: z.int(), no: z.int(), unsure: z.int() }),
  refused: z.array(z.looseObject({ passage: z.string(), perspective: z.string(), why: z.string() })),
});

export const evaluateOutput = z.looseObject({
  notice,
  corpus: z.string(),
  queries: z.int(),
  k: z.int(),
  baseline: z.string(),
  pipelines: z.array(
    z.looseObject({
      name: z.string(),
      standsFor: z.looseObject({}).optional(),
      figures: z.record(z.string(), figure).optional(),
      judgedShare: unit.optional(),
      differenceToBaseline: z
        .record(z.string(), z.looseObject({ value: z.number(), low: z.number(), high: z.number() }))
        .optional(),
      error: z.string().optional(),
    }),
  ),
});

export const explainOutput = z.looseObject({
  notice,
  corpus: z.string(),
  pipeline: z.string(),
  k: z.int(),
  perspectives: z.int(),
  covered: z.int(),
  lost: z.array(z.looseObject({ query: z.string(), perspective: z.string(), where: z.string() })),
  whatIfs: z.array(z.looseObject({ name: z.string(), pipeline: z.looseObject({}).optional() })),
  bestWhatIf: z.string(),
});

export const missingOutput = z.looseObject({
  notice,
  document: z.string(),
  cause: z.string(),
  says: z.string(),
  k: z.int(),
  rank: rank.optional(),
  change: z.looseObject({ says: z.string() }).nullable(),
});

export const runOutput = z.looseObject({
  notice,
  run: z.string(),
  question: z.string(),
  perspectives: z.array(
    z.looseObject({
      number: z.int(),
      firstSearch: rank.nullable().describe('The first search that supports it.'),
      largerK: z
        .looseObject({ search: rank, rank })
        .nullable()
        .optional()
        .describe('For one never reached: the best rank at which a query finds support.'),
    }),
  ),
  searches: z.array(
    z.looseObject({
      number: rank,
      query: z.string(),
      new: z.array(rank),
      covered: z.int(),
      seenBefore: z.int(),
    }),
  ),
  searchesAfterLastNew: z.int(),
  judgedShare: unit,
});

export const saveOutput = z.looseObject({
  evalSet: z.string(),
  added: z.looseObject({ questions: z.int(), perspectives: z.int() }),
});

export const baselineOutput = z.looseObject({
  file: z.string(),
  changed: z.boolean(),
  pipelines: z.array(z.string()),
  holes: z.array(z.string()).describe('Why the baseline is easier to reach than it seems.'),
});
