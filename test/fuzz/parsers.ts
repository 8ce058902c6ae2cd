/**
 * Every parser of foreign input in src/core and src/shared, with valid examples. A parser may refuse anything with a
 * `ParallaxError`. Any other error, or an unusable result, is a fault.
 */
import assert from 'node:assert/strict';
import type * as z from 'zod';
import { programOf } from '../../src/features/agents/tools/programs.ts';
import { AGENT_TOOLS } from '../../src/features/agents/tools/tools.ts';
import { citedPassages, parseWrittenAnswer } from '../../src/features/papers/core/answers/answer-parse.ts';
import { retrievalOf } from '../../src/features/capture/core/conventions.ts';
import { spansOfJson } from '../../src/features/capture/core/spans.ts';
import { parseDisagreement } from '../../src/features/building/core/disagreement.ts';
import { parseDrafts } from '../fixtures/parse-drafts.ts';
import { parseNegation } from '../../src/features/building/core/negation.ts';
import { parsePersonal } from '../../src/features/building/core/personal.ts';
import { ParallaxError } from '../../src/core/errors.ts';
import { parsePassage, parseSplit } from '../../src/core/expansion/prompts.ts';
import { parseResults, valueAt } from '../../src/core/external/results.ts';
import { externalRetrieverSchema } from '../../src/core/external/spec.ts';
import { fillJson, fillUrl, type Json } from '../../src/core/external/template.ts';
import { parseBeirCorpus } from '../../src/core/formats/exchange/beir.ts';
import { evalSetProblems } from '../../src/core/formats/eval-set-problems.ts';
import { stanceEdit } from '../../src/core/formats/eval-set-edit.ts';
import { mergeExchanges, mismatches, type Exchange } from '../../src/core/formats/exchange/exchange.ts';
import { EXCHANGE_FORMATS, type ExchangeFormat } from '../../src/core/formats/exchange/exchange-formats.ts';
import { applyEdit, findValue } from '../../src/core/formats/json-edit.ts';
import { parseLabelledPairs } from '../../src/core/formats/labelled-pairs.ts';
import { LabelIndex } from '../../src/core/formats/label-index.ts';
import { formatLabel } from '../../src/core/formats/labels.ts';
import { parseLabels } from '../fixtures/parse-labels.ts';
import { parsePirTask } from '../../src/core/formats/pir.ts';
import { parseProposedPerspectives } from '../../src/core/formats/proposed-perspectives.ts';
import { parseEvalSet, queryLines } from '../../src/core/formats/queries.ts';
import { parseRetrieved } from '../../src/core/formats/retrieved.ts';
import { formatBaseline, parseBaseline } from '../../src/features/gate/core/baseline.ts';
import { compareEntries } from '../../src/features/history/core/compare-entries.ts';
import { historyEntrySchema } from '../../src/features/history/core/entry.ts';
import { evaluationSummarySchema, summaryOf } from '../../src/features/history/core/summary.ts';
import { parseArgument } from '../../src/core/judging/debate.ts';
import { parsePerspectives } from '../../src/core/judging/generate.ts';
import { jsonObjects, withoutThinking } from '../../src/core/judging/replies/json.ts';
import { parseAnswer } from '../../src/core/judging/replies/parse.ts';
import { parsePassageAnswer } from '../../src/core/judging/replies/passage-parse.ts';
import { parseStances } from '../../src/core/judging/stance.ts';
import { probabilityOfYes } from '../../src/core/judging/replies/token-probability.ts';
import { parseMeasure } from '../../src/core/metrics/measures.ts';
import { parsePipeline } from '../../src/core/pipeline.ts';
import { describeIssue } from '../../src/core/schema-issue.ts';
import { withSnapshotCorpus } from '../../src/features/web-corpus/core/config-edit.ts';
import { readPageUrl } from '../../src/features/web-corpus/core/page-url.ts';
import { PROVIDERS, SEARCH_PROVIDERS } from '../../src/features/web-corpus/core/search.ts';
import { parseManifest } from '../../src/features/web-corpus/core/snapshot.ts';
import { documentNamedBy, queryOf } from '../../src/extension/passages/extracted-query.ts';
import { addressOf, linkedQuery, queryLink } from '../../src/features/gate/host/linked-query.ts';
import { brokenNames, missingPath, namedPaths } from '../../src/extension/workspace/config-links.ts';
import { fromCompareSchema } from '../../src/features/compare/contract/panel.ts';
import { configSchema } from '../../src/shared/config.ts';
import { fromHistorySchema } from '../../src/features/history/contract/panel.ts';
import { fromInspectorSchema } from '../../src/features/inspector/contract/panel.ts';
import { hostMethods, logNoteSchema, progressNoteSchema } from '../../src/shared/rpc.ts';
import { CUT } from './inputs.ts';

export interface FuzzedParser {
  readonly name: string;
  /** Accepted unchanged, which a test checks. */
  readonly examples: readonly string[];
  /** @throws ParallaxError to refuse the text; any other error is a fault */
  readonly run: (text: string) => void;
}

/** Returns whether the parser accepted the text. @throws any error that is no `ParallaxError` */
export function survives({ run }: FuzzedParser, text: string): boolean {
  try {
    run(text);
    return true;
  } catch (error) {
    if (!ParallaxError.is(error)) throw error;
    assert.ok(
      error.message.trim() !== '' && error.message.length < 2_000,
      `says too little or too much: ${error.message.slice(0, 200)}`,
    );
    return false;
  }
}

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** For parsers that receive parsed JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ParallaxError('bad-file', 'no JSON', { cause: error });
  }
}

const sentences = (warnings: readonly string[]): void => {
  for (const warning of warnings) assert.ok(typeof warning === 'string' && warning !== '');
};

const EVAL_SET = lines(
  {
    _id: 'q1',
    text: 'Why?',
    perspectives: [{ id: 'a', text: 'A', stance: 'support', group: 'g' }, 'B'],
    metadata: { tags: ['t'] },
  },
  { question: 'How?', perspectives: ['A', 'B'] },
);
const BERDS = lines({
  question: 'Q?',
  perspectives: ['yes', 'no'],
  ctxs: [
    { id: 'd1', title: 'T', text: 'one', score: 2, 'gpt4-preds': [true, false] },
    { text: 'two', score: 1, 'gpt4-preds': [null, 1] },
  ],
});
const PIR = JSON.stringify({
  corpus: ['a', 'b'],
  queries: ['r from x', 'r from y'],
  source_queries: ['r', 'r'],
  perspectives: ['x', 'y'],
  query_labels: ['left', 'right'],
  key_ref: { 0: [0], 1: 1 },
});
const SPAN = {
  name: 'retrieve',
  context: { trace_id: 't', span_id: 's' },
  span_kind: 'RETRIEVER',
  attributes: {
    'input.value': '{"query": "What?"}',
    'retrieval.documents.0.document.id': 'a',
    'retrieval.documents.0.document.content': 'one',
    'retrieval.documents.0.document.score': 0.9,
  },
};
const OTLP = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'x' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: 't',
              spanId: 's',
              name: 'r',
              startTimeUnixNano: '1',
              attributes: [
                { key: 'openinference.span.kind', value: { stringValue: 'RETRIEVER' } },
                { key: 'input.value', value: { stringValue: 'What?' } },
                { key: 'retrieval.documents.0.document.content', value: { stringValue: 'one' } },
                { key: 'retrieval.documents.0.document.score', value: { doubleValue: 0.5 } },
                { key: 'code.line.number', value: { intValue: '7' } },
              ],
            },
          ],
        },
      ],
    },
  ],
});
const LABEL = {
  v: 1,
  query: 'q',
  perspective: 'p',
  perspectiveText: 'P.',
  document: 'd',
  quote: 'one two',
  verdict: 'yes',
  by: { kind: 'human', name: 'Kim' },
  at: '2026-01-01T00:00:00Z',
  standard: 'berds-1',
};
const CONFIG = {
  corpora: { docs: { roots: ['docs'], split: { type: 'words', size: 100 } } },
  embedders: { small: { type: 'onnx', path: 'model' } },
  pipelines: {
    mine: {
      retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense' }] },
      rerank: [{ type: 'mmr' }],
    },
  },
  judges: { gpt: { type: 'openai', model: 'gpt' }, two: { type: 'debate', agents: ['gpt', 'gpt'] } },
  evalSets: ['eval/*.jsonl'],
  gate: {
    pipelines: ['mine'],
    thresholds: [{ metric: 'MRecall@5', min: 0.5, tag: 't' }],
    baseline: { file: 'b.json', metrics: ['AP'] },
  },
};
const BASELINE = JSON.stringify({
  version: 1,
  at: 'now',
  commit: 'abc',
  k: 5,
  datasets: [
    {
      name: 'set',
      evalSet: 'set.jsonl',
      corpus: { name: 'docs', fingerprint: 'f', passages: 3 },
      judgements: {
        judge: 'labels',
        pairs: 4,
        judged: 3,
        by: [{ source: 'human', judge: 'people', count: 3, heuristic: false }],
      },
      pipelines: [
        {
          name: 'bm25',
          pipeline: { retriever: { type: 'bm25' } },
          models: {},
          metrics: { 'MRecall@5': 0.5 },
          queries: [
            {
              id: 'q',
              digest: 'd',
              metrics: { 'MRecall@5': 1 },
              lost: [{ perspective: 'p', where: 'below-k' }],
              ranked: ['a', 'b'],
            },
          ],
        },
      ],
    },
  ],
});
const AT = '2026-01-01T00:00:00.000Z';
const PAGE = 'http://a.example/';
const MANIFEST = lines(
  { type: 'snapshot', version: 1 },
  {
    type: 'search',
    queryId: 'q',
    query: 'Why?',
    provider: 'searxng',
    wanted: 20,
    at: AT,
    results: [
      { rank: 1, url: PAGE, title: 'A' },
      { rank: 2, url: `${PAGE}twin`, title: 'B' },
    ],
  },
  {
    type: 'page',
    url: PAGE,
    finalUrl: PAGE,
    status: 200,
    contentType: 'text/html',
    bytes: 9,
    hash: 'h',
    at: AT,
  },
  {
    type: 'skipped',
    url: `${PAGE}twin`,
    reason: 'duplicate',
    message: 'It is.',
    twin: PAGE,
    passing: false,
    at: AT,
  },
);
export const SEARCH_ANSWERS: Readonly<Record<(typeof SEARCH_PROVIDERS)[number], readonly string[]>> = {
  serper: [JSON.stringify({ organic: [{ link: PAGE, title: 'A', position: 1 }], credits: 1 })],
  brave: [JSON.stringify({ type: 'search', web: { results: [{ url: PAGE, title: 'A' }] } })],
  searxng: [
    JSON.stringify({ results: [{ url: PAGE, title: 'A' }], unresponsive_engines: [] }),
    JSON.stringify({ results: [], unresponsive_engines: [['bing', 'timeout']] }),
  ],
};
const DRAFT = {
  v: 1,
  id: 'd-1',
  review: 'proposed',
  text: 'Why?',
  perspectives: [{ id: 'a', text: 'A', stance: 'support' }],
  passages: [{ document: 'd', hash: 'h', text: 'one', supports: ['a'] }],
  made: { from: 'corpus', prompts: ['p-1'], model: 'm', at: AT },
};
export const ENTRY = entryOf(JSON.parse(BASELINE) as { datasets: Baselined[] });
const ANSWER = '{"verdict": "yes", "evidence": ["one two"], "reason": "It says so."}';

interface Baselined {
  readonly pipelines: readonly { readonly queries: readonly object[] }[];
}

/** A baseline with the verdicts that an evaluation stores. */
function entryOf(baseline: { readonly datasets: readonly Baselined[] }): string {
  const datasets = baseline.datasets.map((dataset) => ({
    ...dataset,
    pipelines: dataset.pipelines.map((pipeline) => ({
      ...pipeline,
      queries: pipeline.queries.map((query) => ({ ...query, verdicts: { p: '1-' } })),
    })),
  }));
  return JSON.stringify({ ...baseline, id: 'e', judge: 'labels', outcome: 'passed', datasets });
}

const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: 'code', source: ['a = 1\n', 'b'], metadata: { vscode: { languageId: 'typescript' } } },
    { cell_type: 'markdown', source: '# One' },
  ],
  metadata: { language_info: { name: 'python' } },
});
/** File names for formats that are folders. */
const FOLDER_FILES: Readonly<Record<string, readonly string[]>> = {
  beir: ['queries.jsonl', 'qrels/test.tsv', 'corpus.jsonl'],
};

const EXCHANGE_EXAMPLES: Readonly<Record<keyof typeof EXCHANGE_FORMATS, readonly string[]>> = {
  'trec-run': ['q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1e-3 tag\n# note\nq2\tQ0\td1\t1\t-1\ttag\r\n'],
  'trec-qrels': ['q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 -1\n', 'q1 pro d1 1\nq1 con d2 2\n'],
  beir: [
    `${EVAL_SET}${CUT}query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n${CUT}${lines({ _id: 'd1', title: 'T', text: 'one' })}`,
  ],
  berds: [BERDS],
  pir: [PIR],
  'ranx-run': ['{"q1": {"d1": 1.5, "d2": 0.5}, "q2": {"d1": -1}}'],
  'ranx-qrels': ['{"q1": {"d1": 1, "d2": 0}}'],
  ragas: [lines({ user_input: 'Q', retrieved_contexts: ['a', 'b'], reference_contexts: ['b'] })],
  deepeval: [
    lines({ name: 'n', input: 'Q', retrieval_context: ['a'], context: ['a'] }),
    JSON.stringify([{ input: 'Q' }]),
  ],
  langfuse: [
    lines({
      id: 'o',
      traceId: 't',
      input: { query: 'Q' },
      output: [{ pageContent: 'one', metadata: { id: 'a' } }, [{ text: 'two' }, 0.5]],
    }),
    JSON.stringify({ observations: [{ id: 'o', input: 'Q', output: '{"documents": ["one"]}' }] }),
  ],
  phoenix: [
    JSON.stringify({ data: [SPAN] }),
    lines({ 'context.span_id': 's', input: 'Q', document_position: 0, reference: 'one', document_score: 1 }),
    OTLP,
  ],
  judged: [lines({ query: 'q', perspective: 'pro', passage: 'a', relevance: 1, evidence: ['one'] })],
  pairs: [],
  triples: [],
  retrieved: [
    lines({ id: 'q', query: 'Q', results: [{ id: 'a', text: 'one', score: 1 }] }),
    'q Q0 d 1 1 t\n',
  ],
  'eval-set': [EVAL_SET],
};

function filesOf(format: string, text: string): ReadonlyMap<string, string> {
  const names = FOLDER_FILES[format];
  if (!names) return new Map([['', text]]);
  return new Map(
    text
      .split(CUT)
      .slice(0, names.length)
      .map((part, place) => [names[place]!, part]),
  );
}

/** Everything that is read can be evaluated and written in every format, or is refused with a message. */
const exchangeParsers = Object.entries<ExchangeFormat>(EXCHANGE_FORMATS)
  .filter(([, { parse }]) => parse)
  .map(([name, { parse }]): FuzzedParser => ({
    name: `convert from ${name}`,
    examples: EXCHANGE_EXAMPLES[name as keyof typeof EXCHANGE_FORMATS],
    run: (text) => {
      const { exchange, warnings } = parse!(filesOf(name, text), 'file');
      sentences(warnings);
      checkExchange(exchange);
      sentences(mergeExchanges([exchange, exchange]).warnings);
      for (const { format } of Object.values<ExchangeFormat>(EXCHANGE_FORMATS))
        if (format) writeOrRefuse(() => format(exchange, 'tag'));
      sentences(mismatches(exchange));
    },
  }));

function writeOrRefuse(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!ParallaxError.is(error)) throw error;
  }
}

function checkExchange({ passages, queries, run, qrels }: Exchange): void {
  const unique = (ids: readonly string[]): void => assert.equal(new Set(ids).size, ids.length);
  unique(passages.map(({ id }) => id));
  unique(queries.map(({ id }) => id));
  for (const { text, perspectives } of queries) {
    assert.ok(text.trim() !== '');
    unique(perspectives.map(({ id }) => id));
  }
  for (const ranking of run.values()) {
    unique(ranking.map(({ item }) => item));
    ranking.forEach(({ score }, place) =>
      assert.ok(Number.isFinite(score) && (place === 0 || score <= ranking[place - 1]!.score), 'scores fall'),
    );
  }
  for (const topic of qrels.values())
    for (const judged of topic.values())
      for (const relevance of judged.values()) assert.ok(relevance >= 0 && Number.isInteger(relevance));
}

export const FUZZED_PARSERS: readonly FuzzedParser[] = [
  ...exchangeParsers,
  {
    name: 'eval set, with places and edits',
    examples: [EVAL_SET],
    run: (text) => {
      const { queries, warnings } = parseEvalSet(text, 'file');
      sentences(warnings);
      const places = queryLines(text);
      for (const { id, perspectives } of queries) {
        assert.ok(places.has(id), `the line of ${JSON.stringify(id)}`);
        for (const perspective of perspectives) {
          const edit = stanceEdit(text, id, perspective, { stance: 'oppose', by: 'human' });
          assert.equal(typeof applyEdit(text, edit), 'string');
        }
      }
    },
  },
  {
    name: 'labels, and what they say',
    examples: [lines(LABEL, { ...LABEL, quote: undefined, hash: 'h', verdict: 'no' })],
    run: (text) => {
      const { labels, warnings } = parseLabels(text);
      sentences(warnings);
      for (const label of labels) assert.deepEqual(parseLabels(formatLabel(label)).labels.length, 1);
      const index = new LabelIndex(labels);
      index.lookup({ perspectiveText: 'P' }, { documentId: 'd', text: 'one two three', hash: 'h' });
      index.labelledPassages();
    },
  },
  {
    name: 'labelled pairs',
    examples: [lines({ question: 'Q', document: 'D', perspective: 'P', label: 1 }, LABEL)],
    run: (text) => sentences(parseLabelledPairs(text).warnings),
  },
  { name: 'PIR task', examples: [PIR], run: (text) => void parsePirTask(text, 'file') },
  {
    name: 'BEIR corpus',
    examples: [lines({ _id: 1, title: null, text: 'x' })],
    run: (text) => sentences(parseBeirCorpus(text, 'file').warnings),
  },
  {
    name: 'proposed perspectives',
    examples: [lines({ question: 'Q', generated: ['a', { name: 'n', text: 'b' }] })],
    run: (text) => sentences(parseProposedPerspectives(text).warnings),
  },
  {
    name: 'retrieved',
    examples: EXCHANGE_EXAMPLES.retrieved,
    run: (text) => sentences(parseRetrieved(text, 'file').warnings),
  },
  {
    name: 'baseline',
    examples: [BASELINE],
    run: (text) => {
      const written = formatBaseline(parseBaseline(text, 'file'));
      assert.equal(formatBaseline(parseBaseline(written, 'file')), written);
    },
  },
  {
    name: 'place of a value in JSON',
    examples: ['{"a": [1, {"b": "c\\"d"}], "a": {"x": null}}', '[[], {}]'],
    run: (text) => {
      const value = json(text);
      for (const path of [['a'], ['a', 1, 'b'], [0], ['__proto__'], []] as const) {
        const extent = findValue(text, path);
        const found = path.reduce<unknown>((inner, step) => memberOf(inner, step), value);
        assert.equal(extent === undefined, found === undefined);
        if (extent) assert.deepEqual(JSON.parse(text.slice(extent.start, extent.end)), found);
      }
    },
  },
  {
    name: 'results of a retriever',
    examples: ['[{"id": 1, "text": "one", "score": 0.5}, {"text": "two"}]'],
    run: (text) => {
      for (const { id, text: own, score } of parseResults('it', json(text)))
        assert.ok(Number.isFinite(score) && (id ?? own ?? '') !== '');
    },
  },
  {
    name: 'a path into an answer',
    examples: ["hits.hits[0]['a.b']", 'choices[0].message'],
    run: (text) => {
      valueAt({ hits: { hits: [{ 'a.b': 1 }] } }, text);
      assert.equal(valueAt({}, `__proto__.${text}`), undefined);
    },
  },
  {
    name: 'an external retriever and its templates',
    examples: ['{"type": "http", "url": "http://a/{query}?k={k}", "body": {"q": "{query}", "k": "{k}"}}'],
    run: (text) => {
      const parsed = externalRetrieverSchema.safeParse(json(text));
      if (!parsed.success) throw new ParallaxError('bad-pipeline', describeIssue(parsed.error, json(text)));
      if (parsed.data.type !== 'http') return;
      const values = { query: '{k} &?', k: 5 };
      fillJson(parsed.data.body as Json, values);
      fillUrl(parsed.data.url, values);
    },
  },
  {
    name: 'spans of OpenTelemetry',
    examples: [OTLP],
    run: (text) => {
      for (const span of spansOfJson(text))
        for (const { score } of retrievalOf(span)?.results ?? [])
          assert.ok(score === undefined || Number.isFinite(score), `a score of ${score}`);
    },
  },
  ...answerParsers(),
  {
    name: 'token probabilities',
    examples: ['[{"token": " Yes", "logprob": -0.1, "alternatives": [{"token": "no", "logprob": -2}]}]'],
    run: (text) => {
      const value = json(text);
      // The client that reads the endpoint's answer checks the types.
      const tokens = (Array.isArray(value) ? value : []).flatMap((own: unknown) => tokenOf(own) ?? []);
      const probability = probabilityOfYes(tokens);
      if (typeof probability === 'number')
        assert.ok(probability >= 0 && probability <= 1, String(probability));
    },
  },
  {
    name: 'parallax.json',
    examples: [JSON.stringify(CONFIG)],
    run: (text) => {
      const value = json(text);
      // Also for invalid configurations.
      sentences(brokenNames(value, ['eval/one.jsonl']).map(({ message }) => message));
      sentences(namedPaths(value).map(missingPath));
      const parsed = configSchema.safeParse(value);
      if (!parsed.success) throw new ParallaxError('bad-config', describeIssue(parsed.error, value));
      assert.ok(configSchema.safeParse(parsed.data).success, 'what was read is read again');
    },
  },
  {
    name: 'pipeline',
    examples: [
      JSON.stringify(CONFIG.pipelines.mine),
      '{"retriever": {"type": "dense"}, "projection": {"weight": 2}}',
    ],
    run: (text) => assert.deepEqual(parsePipeline(parsePipeline(json(text))), parsePipeline(json(text))),
  },
  ...webParsers(),
  ...historyParsers(),
  {
    name: 'drafts',
    examples: [lines(DRAFT)],
    run: (text) => sentences(parseDrafts(text, 'file').warnings),
  },
  { name: 'measure', examples: ['nDCG@10', 'AP'], run: (text) => void parseMeasure(text) },
  {
    name: 'problems of an eval set',
    examples: [EVAL_SET],
    run: (text) => {
      const lengths = text.split('\n').map(({ length }) => length);
      for (const { line, start, end, message } of evalSetProblems(text)) {
        assert.ok(message !== '' && start >= 0 && start <= end, message);
        assert.ok(end <= lengths[line]!, `line ${line}, ${end}`);
      }
    },
  },
  {
    name: 'cells of a notebook',
    examples: [NOTEBOOK],
    run: (text) => {
      for (const { text: source, languageId } of programOf('a.ipynb', text)?.cells ?? [])
        assert.ok(typeof source === 'string' && typeof languageId === 'string');
    },
  },
  ...messageParsers(),
  ...linkParsers(),
];

/** Messages of panels, calls of agents' tools, and files defined by a schema alone. */
function messageParsers(): FuzzedParser[] {
  const schemas: Readonly<Record<string, readonly [z.ZodType, ...unknown[]]>> = {
    'message of the side panel': [
      fromInspectorSchema,
      { type: 'set-pipeline', pipeline: { retriever: { type: 'bm25' } } },
      { type: 'label', passageId: 'd', perspectiveId: 'p', verdict: 'yes' },
      { type: 'what-if', lambda: 0.5 },
    ],
    'message of the compare panel': [
      fromCompareSchema,
      { type: 'set-sets', sets: [{ evalSet: 'e', corpus: 'c' }] },
      { type: 'set-k', k: 5 },
    ],
    'message of the history panel': [fromHistorySchema, { type: 'compare', ids: ['a', 'b'] }],
    'note of progress': [
      progressNoteSchema,
      { type: 'progress', progress: { done: 1, total: 2 } },
      { type: 'capturing', url: 'http://127.0.0.1:1/' },
    ],
    'note for the log': [logNoteSchema, { level: 'warn', message: 'm' }],
    "question to the editor's model": [
      hostMethods.complete.params,
      { vendor: 'v', messages: [{ role: 'user', content: 'Q?' }] },
    ],
    "answer of the editor's model": [hostMethods.complete.result, { text: 'A', model: 'm' }],
    "call of an agent's tool": [
      AGENT_TOOLS.explain_lost_perspectives.input,
      { query: 'Q?', perspectives: ['P'], pipeline: 'bm25', site: { file: 'a.py', line: 3 } },
    ],
  };
  return Object.entries(schemas).map(([name, [schema, ...examples]]) => ({
    name,
    examples: examples.map((example) => JSON.stringify(example)),
    run: (text) => {
      const value = json(text);
      const parsed = schema.safeParse(value);
      if (!parsed.success) throw new ParallaxError('bad-argument', describeIssue(parsed.error, value));
      assert.ok(schema.safeParse(parsed.data).success, 'what was read is read again');
    },
  }));
}

/** Addresses that the editor passes back, from any source. */
function linkParsers(): FuzzedParser[] {
  const link = { evalSet: 'eval/a (b).jsonl', query: 'q', pipeline: 'mine' };
  const query = { evalSet: link.evalSet, id: link.query, text: 'Why?', perspectives: [] };
  const workspace = { config: configSchema.parse(CONFIG), evalQueries: [query] };
  const item = { id: query.id, parent: { id: query.evalSet } };
  const document = { corpus: 'docs', documentId: 'a/b.pdf' };
  const linked = (target: unknown): void => {
    const link = queryLink(target);
    if (!link || !linkedQuery(link, workspace)) throw new ParallaxError('not-found', 'It leads nowhere.');
  };
  return [
    {
      name: 'item or link of the Testing view',
      examples: [link, item, { test: item, message: { message: { value: `[x](${addressOf(link)})` } } }].map(
        (target) => JSON.stringify(target),
      ),
      run: (text) => linked(json(text)),
    },
    {
      name: 'message of the Testing view',
      examples: [`q failed\n\n[Open](${addressOf(link)})`, 'no link'],
      run: (text) => linked({ test: item, message: { message: { value: text } } }),
    },
    {
      name: 'address of an extracted document',
      examples: [queryOf(document)],
      run: (text) => {
        const named = documentNamedBy(text);
        if (!named) throw new ParallaxError('not-found', 'It names no document.');
        assert.deepEqual(documentNamedBy(queryOf(named)), named);
        assert.ok(typeof named.corpus === 'string' && typeof named.documentId === 'string');
      },
    },
  ];
}

/** Answers of search providers, pages, and the parts of them that are stored. */
function webParsers(): FuzzedParser[] {
  return [
    ...SEARCH_PROVIDERS.map((provider): FuzzedParser => ({
      name: `search results of ${provider}`,
      examples: SEARCH_ANSWERS[provider],
      run: (text) => {
        const answer = PROVIDERS[provider].read(json(text));
        if (!answer) throw new ParallaxError('retriever-failed', 'not its shape');
        for (const { url, title } of answer.hits)
          assert.ok(typeof url === 'string' && typeof title === 'string');
        assert.ok(answer.trouble === undefined || answer.hits.length === 0);
      },
    })),
    {
      name: 'address of a page',
      examples: ['https://a.example/b?c=d#e', 'http://[2606:4700::1]/', 'http://1.1.1.1:80/'],
      run: (text) => {
        const page = readPageUrl(text);
        if ('refused' in page) throw new ParallaxError('bad-argument', page.refused);
        assert.match(page.url.protocol, /^https?:$/u);
        assert.ok(page.url.hash === '' && page.url.username === '');
        assert.doesNotMatch(page.url.hostname, /^(127|10|192\.168)\.[\d.]+$/u);
      },
    },
    {
      name: 'manifest of a snapshot',
      examples: [MANIFEST],
      run: (text) => {
        const manifest = parseManifest(text, 'file');
        for (const question of [...manifest.questions, 'Why?'])
          for (const url of manifest.pagesFor(question) ?? []) assert.ok(manifest.page(url));
        assert.equal(new Set(manifest.pages.map(({ url }) => url)).size, manifest.pages.length);
      },
    },
    {
      name: 'a snapshot as a corpus of parallax.json',
      examples: [JSON.stringify(CONFIG), '{}', '{"corpora": {}}'],
      run: (text) => {
        const parsed = configSchema.safeParse(json(text));
        if (!parsed.success) throw new ParallaxError('bad-config', describeIssue(parsed.error, json(text)));
        const edited = configSchema.parse(JSON.parse(withSnapshotCorpus(text, 'added', 'name', true)));
        assert.equal(edited.corpora['added']?.perQuery, true);
      },
    },
  ];
}

/** Records of evaluations, whose checksums do not prove their author. */
function historyParsers(): FuzzedParser[] {
  return [
    {
      name: 'evaluation of the history',
      examples: [ENTRY],
      run: (text) => {
        const value = json(text);
        const parsed = historyEntrySchema.safeParse(value);
        if (!parsed.success) throw new ParallaxError('bad-file', describeIssue(parsed.error, value));
        const then = historyEntrySchema.parse(JSON.parse(ENTRY));
        for (const pair of [
          [then, parsed.data],
          [parsed.data, then],
        ] as const)
          for (const { queries } of compareEntries(...pair).comparisons) assert.ok(queries >= 0);
      },
    },
    {
      name: 'line of the history',
      examples: [
        JSON.stringify(summaryOf(historyEntrySchema.parse(JSON.parse(ENTRY)), false, () => undefined)),
      ],
      run: (text) => {
        const value = json(text);
        const parsed = evaluationSummarySchema.safeParse(value);
        if (!parsed.success) throw new ParallaxError('bad-file', describeIssue(parsed.error, value));
      },
    },
  ];
}

/** Answers of a model to any question. */
function answerParsers(): FuzzedParser[] {
  const answers = [
    ANSWER,
    `<think>{"verdict": "no"}</think>\n\`\`\`json\n${ANSWER}\n\`\`\``,
    '{"1": {"verdict": "no"}, "2": {"verdict": "unsure"}}',
  ];
  const parsers: Readonly<Record<string, (text: string) => unknown>> = {
    'an answer of a judge': parseAnswer,
    'an answer on a passage': (text) => assert.equal(parsePassageAnswer(text, 2).length, 2),
    'an argument': parseArgument,
    'sides of perspectives': (text) => parseStances(text, 2),
    'proposed perspectives of a model': (text) => parsePerspectives(text, 4),
    'an imagined passage': parsePassage,
    'a query taken apart': parseSplit,
    'a disagreement of two passages': parseDisagreement,
    'a negated question': parseNegation,
    'whether a question is personal': parsePersonal,
    'a written answer': (text) => {
      const answer = parseWrittenAnswer(text);
      if ('text' in answer)
        for (const number of citedPassages(answer.text, 3)) assert.ok(number >= 1 && number <= 3);
    },
    'JSON within a text': (text) => [...jsonObjects(withoutThinking(text))],
  };
  return Object.entries(parsers).map(([name, parse]) => ({
    name,
    examples: [
      ...answers,
      '{"1": "support", "2": "oppose"}',
      '{"perspectives": [{"name": "n", "text": "t"}]}',
      '{"root": "r", "perspective": "p"}',
      '{"answer": "So [1, 3].", "missing": "why"}',
    ],
    run: (text) => void parse(text),
  }));
}

function memberOf(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof step === 'number'))
    return undefined;
  return Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
}

function tokenOf(
  value: unknown,
): { token: string; logprob: number; alternatives: { token: string; logprob: number }[] } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { token, logprob, alternatives } = value as Record<string, unknown>;
  if (typeof token !== 'string' || typeof logprob !== 'number' || logprob > 0) return undefined;
  const others = (Array.isArray(alternatives) ? alternatives : []).flatMap(
    (own: unknown) => tokenOf(own) ?? [],
  );
  return {
    token,
    logprob,
    alternatives: others.map(({ token: word, logprob: log }) => ({ token: word, logprob: log })),
  };
}
