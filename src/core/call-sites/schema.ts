/**
 * Rules that describe retrieving calls, as data. The built-in ones are JSON files in src/sites/rules; users add their
 * own in `parallax.json`.
 *
 * A path names a parameter by segments joined with dots, from the call inwards:
 *
 *   `k`        keyword argument `k` (Python), or property `k` of the options object (JavaScript)
 *   `#1`       second positional argument
 *   `a.b`      key `b` of the object, dict or keyword-argument call that `a` holds
 *   `a.*.b`    any key between
 *   `a.[].b`   every element of the list that `a` holds; all must agree
 *   `>limit`   the call `.limit(…)` chained after this one
 *   `<Index`   the call `Index(…)` that this call's receiver comes from; `<*` any of them
 *
 * e.g. `search_kwargs.k`, `>limit.#0`, `<open_table.#0`, `query.<encode.<SentenceTransformer.#0`.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read, Written } from '../read.ts';

const SEGMENT = String.raw`(?:#\d+|\[\]|[<>]?(?:\*|[\p{ID_Start}_$][\p{ID_Continue}$]*))`;
const PATH = new RegExp(`^${SEGMENT}(?:\\.${SEGMENT})*$`, 'u');

const path = z.string().regex(PATH, {
  error: () => l10n.t('must be a path such as "search_kwargs.k", "#1" or ">limit.#0"'),
});
const paths = z.array(path).min(1);

const pattern = z
  .string()
  .refine(isPattern, { error: () => l10n.t('must be a regular expression that JavaScript can read') });

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** True if the parameter at the path exists, or has one of these values. */
const condition = z.strictObject({ path, is: z.array(z.string()).min(1).optional() });

const numberParameter = z.strictObject({
  from: z.array(path).default([]).describe('Tried in this order; the first that is present counts.'),
  default: z
    .union([z.number(), z.literal('k'), z.literal('3k')])
    .optional()
    .describe('What the library does when the call says nothing: a number, or a multiple of k.'),
  when: condition.optional().describe('The parameter has an effect only then.'),
});

const kParameter = z.strictObject({
  from: z.array(path).default([]),
  default: z.number().int().min(1).optional(),
  atMost: z
    .strictObject({
      from: paths,
      unless: paths.optional().describe('What also finds passages, so that more may come back.'),
      each: z
        .string()
        .optional()
        .describe('Why it is no bound of the whole: when it is smaller, k is not known.'),
      source: z.url().optional(),
    })
    .optional()
    .describe('A second bound: fewer come back when this is smaller.'),
  absent: z
    .string()
    .optional()
    .describe('Why k is not known when the call says nothing and no default is set.'),
  written: z
    .strictObject({
      pattern,
      most: z.number().int().min(1).optional(),
      unless: pattern.optional(),
      given: paths.default([]),
    })
    .optional()
    .describe(
      'k within a text that is handed over: the first group of the pattern, where every match gives the same number, it is at most `most`, and nothing in the arguments matches `unless`. A parameter of the text, such as `$k`, is looked up among the arguments of that name, and in what `given` names.',
    ),
});

const mmr = z.strictObject({
  when: condition.optional(),
  weight: paths,
  polarity: z.enum(['relevance', 'diversity']).describe('What a weight of 1 asks for.'),
  default: z.number().min(0).max(1).optional(),
});

const rerank = z.strictObject({
  when: condition.optional(),
  model: paths.optional(),
  topN: paths.optional(),
  topNDefault: z.number().int().min(1).optional(),
  modelDefault: z.string().optional(),
});

/** Calls on the result of this call. */
const uses = z.strictObject({
  methods: z
    .array(z.string())
    .default([])
    .describe('Methods of the retriever that run it; "" stands for calling it like a function.'),
  k: z.array(path).default([]).describe('Parameters of those calls that override k.'),
});

const call = z.strictObject({
  callee: z
    .enum(['method', 'function', 'sql', 'url'])
    .describe(
      '`method`: called on an object. `function`: imported function or class. `sql`: takes a SQL text. `url`: takes an address.',
    ),
  names: z
    .array(z.string().min(1))
    .min(1)
    .describe('Names of the method, function or class; "Class.from_x" for a class method.'),
  role: z
    .enum(['search', 'retriever', 'wrapper', 'reranker', 'use'])
    .default('search')
    .describe(
      '`use` runs a retriever that is made elsewhere, `search` returns results, `retriever` returns something that does, `wrapper` is a retriever around others, `reranker` is a part of the wrapper that it is handed to, and a site where none of the text is.',
    ),
  receiver: pattern
    .optional()
    .describe('Regular expression on the dotted name that a known receiver was made from.'),
  receiverText: pattern
    .optional()
    .describe('Regular expression on the receiver as it is written, as proof where its origin is not known.'),
  chains: z
    .boolean()
    .default(false)
    .describe('Also a run of a chain that holds what `receiverText` matches, for calls of the role `use`.'),
  needsArgument: z.boolean().default(false).describe('Without any argument it is no search.'),
  distinctive: z
    .boolean()
    .default(false)
    .describe('The name alone is proof enough once the library is imported.'),
  unmistakable: z
    .boolean()
    .default(false)
    .describe(
      'Nobody else calls anything so: the name, or the receiver as it is written, is proof where the library is not imported, too.',
    ),
  evidence: z
    .array(z.string())
    .default([])
    .describe('Paths, mostly argument names, one of which proves the call where the receiver is not known.'),
  unpacksTo: z
    .number()
    .int()
    .optional()
    .describe('Number of names that the result is assigned to, as proof instead of an argument name.'),
  beside: pattern
    .optional()
    .describe(
      'Regular expression on the function around the call, or on the whole text at the top level: scores are a search only where something is sorted by them.',
    ),
  byHand: z
    .boolean()
    .default(false)
    .describe(
      'It orders a list by a score that compares each element with what the program is asked, and the beginning is kept.',
    ),
  argumentCalls: z
    .array(z.string())
    .default([])
    .describe('The call counts only when an argument calls one of these.'),
  ranks: z
    .strictObject({ by: z.array(z.string()).min(1), never: z.array(z.string()).min(1) })
    .optional()
    .describe(
      'Keys of queries that rank: a call in which everything is written and none of them is there is no search; with one of `never` it is a scan.',
    ),
  named: pattern
    .optional()
    .describe(
      'Regular expression on further names, for helpers of an application that hand a SQL text or an address on, and for functions that score.',
    ),
  unless: pattern
    .optional()
    .describe(
      'Regular expression on the arguments with which the call is no search, such as a vector of zeros.',
    ),
  carries: pattern
    .optional()
    .describe(
      "Regular expression that the arguments must match, with what their variables hold; proof enough, where the library has no imports for any method that is not the program's own.",
    ),
  contains: pattern
    .optional()
    .describe('Regular expression that the SQL text or address must match, and for other calls the program.'),
  options: z.number().int().min(0).default(0).describe('Position of the options object in JavaScript.'),
  terminals: z
    .array(z.string())
    .optional()
    .describe(
      'Chained calls that end a chain; a chain without one may go on elsewhere, so absent is unknown.',
    ),
  k: kParameter.default({ from: [] }),
  pool: numberParameter.optional(),
  mmr: mmr.optional(),
  hybridDense: numberParameter.optional(),
  rerank: rerank.optional(),
  rerankers: paths.optional().describe('Where reranker objects are handed in.'),
  children: paths.optional().describe('Where the wrapped retrievers are handed in.'),
  childK: z
    .enum(['child', 'union'])
    .optional()
    .describe('`child`: k of the wrapped retriever; `union`: everything that the wrapped ones find.'),
  needsUse: z
    .boolean()
    .default(false)
    .describe('A part for tools: of a variable that nothing speaks of it is no search.'),
  hidesChildren: z
    .boolean()
    .default(false)
    .describe(
      'What it wraps is no retrieval of its own; neither is the one retriever whose k the wrapper takes. Any others have figures of their own, beside those of the whole.',
    ),
  handsOn: z
    .boolean()
    .default(false)
    .describe(
      'A wrapper that returns what its one retriever finds, unless rerankers are handed in: the figures stand where that is made, and a link here.',
    ),
  embedModel: paths.optional(),
  index: paths.optional(),
  filter: z.array(path).default([]),
  uses: uses.optional(),
  attributes: z
    .array(z.string())
    .default([])
    .describe('Attributes of the retriever whose assignment sets k after construction.'),
  runtime: z
    .strictObject({ register: z.string(), run: z.string(), key: z.string() })
    .optional()
    .describe('Pipelines that take k by component name when they are run.'),
  docs: z.url().optional(),
});

const matching = z.strictObject({
  by: z
    .enum(['words', 'vectors', 'both', 'passages', 'children'])
    .describe(
      '`both`: words and vectors. `passages`: it only reorders passages that it is handed. `children`: as the retrievers do that it wraps.',
    ),
  called: pattern
    .optional()
    .describe('Regular expression on what is called, with its class or object, e.g. "BM25Retriever".'),
  when: condition.optional(),
});

/** One library, or the retrieving calls of a user's own code: an entry of `callSites` in `parallax.json`. */
export const callSiteRuleSchema = z.strictObject({
  library: z.string().min(1).describe('Shown to users; the name of a built-in library extends it.'),
  languages: z.array(z.enum(['python', 'javascript'])).min(1),
  imports: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Modules whose import makes the rules apply, with everything below them; a final * is a wildcard.',
    ),
  replaced: z
    .array(
      z.strictObject({
        names: z.array(z.string().min(1)).min(1),
        language: z.enum(['python', 'javascript']),
        instead: z.string().describe('The call that has taken their place.'),
        package: z.string(),
        since: z.string().describe('The version of the package that calls them deprecated.'),
        gone: z.string().optional().describe('The version that has them no more, where that was looked up.'),
        isSame: z
          .boolean()
          .default(false)
          .describe('With a question alone both are called alike, so that renaming is enough.'),
        source: z.url(),
      }),
    )
    .default([])
    .describe('Calls on objects of the library that another one has replaced.'),
  mmrStores: z
    .strictObject({ names: z.array(z.string()).min(1), source: z.url() })
    .optional()
    .describe(
      'Classes of vector stores whose searches can use MMR, and where that is said; a change to MMR is offered for no others.',
    ),
  stores: z
    .array(
      z.strictObject({
        names: z.array(z.string().min(1)).min(1),
        k: z.string().optional().describe('Why k is not known where the call leaves it to the default.'),
        weight: z.string().optional().describe('Why the weight of MMR is not known, although it is written.'),
        source: z.url(),
      }),
    )
    .default([])
    .describe(
      'Classes of vector stores in which the calls of this library mean something else, and where that is said.',
    ),
  mentions: pattern
    .optional()
    .describe(
      'Regular expression on the text that makes the rules apply without an import, but only to calls that `evidence` or `carries` prove: helpers of an application are often handed the store.',
    ),
  docs: z.url().optional(),
  matching: z
    .array(matching)
    .default([])
    .describe('By what its calls find passages: tried in this order, the first that applies counts.'),
  constructors: z
    .array(z.string())
    .default([])
    .describe(
      'Classes whose arguments are read like the entries of an object, where a path leads through them.',
    ),
  calls: z.array(call).min(1),
  examples: z
    .array(
      z.strictObject({
        language: z.enum(['python', 'typescript', 'javascript']),
        code: z.string(),
        finds: z
          .array(z.string())
          .describe('What is called and its k, e.g. "search 5", or "search ?" where k is not known.'),
      }),
    )
    .default([])
    .describe('Programs and what the rules find in them; those that ship are run as tests.'),
});

export type CallSiteRuleInput = Written<typeof callSiteRuleSchema>;
/** The rules of one library with all defaults. */
export type LibraryRules = Read<typeof callSiteRuleSchema>;
export type CallRule = LibraryRules['calls'][number];
export type NumberParameter = Read<typeof numberParameter>;
export type Condition = Read<typeof condition>;
