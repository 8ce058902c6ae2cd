/** Answers explain_missing: why a document is not retrieved, and the effect of a change that would retrieve it. */
import type { Explanation, ExplainedPassage, ProgramAnswer } from '../../explain/core/explanation.ts';
import {
  causeText,
  changeText,
  partTexts,
  programText,
  provisionalText,
} from '../../explain/core/wording.ts';
import type { ChangePrice } from '../../../evaluation/change-price.ts';
import { measuredSet, plainQuery } from '../../../shared/eval-query.ts';
import { DATA_NOTICE, fitted, rounded, short } from './answer.ts';
import type { AgentHost, AgentWork, AgentWorkspace } from './host.ts';
import type { MissingInput } from './tools.ts';
import { prepare } from './prepare.ts';
import { namedQuery, type Run } from './run.ts';

interface Size {
  readonly excerpt: number;
  readonly terms: number;
  readonly listed: number;
}

const SIZES: readonly Size[] = [
  { excerpt: 300, terms: 30, listed: 8 },
  { excerpt: 120, terms: 10, listed: 4 },
  { excerpt: 60, terms: 0, listed: 2 },
];
const MAX_NAME = 200;
const UNITS = 'Shares from 0 to 1, each pipeline with its own k passages; differences with 95% intervals.';

/**
 * Tries changes and measures them on the eval set only if no step of the pipeline asks a model.
 *
 * @param run of one question under one pipeline
 * @returns JSON
 * @throws ParallaxError `bad-argument` for more model requests than the budget allows, or the engine's error
 */
export async function explainMissing(
  { document, splitters = false }: MissingInput,
  run: Run,
  host: AgentHost,
  workspace: AgentWorkspace,
  work: AgentWork,
): Promise<string> {
  const { corpus, k } = run;
  const { text, perspectives } = run.queries[0]!;
  const { name, pipeline } = run.pipelines[0]!;
  const { requests, work: limited } = await prepare(run, host, workspace, host.budget(), work);
  const before = { ...pipeline, k };
  const query = namedQuery(run.queries[0]!);
  const explanation = await host.request(
    'explain',
    {
      corpus,
      query,
      perspectives,
      pipeline: before,
      document,
      tryChanges: requests === 0,
      trySplitters: requests === 0 && splitters,
    },
    limited,
  );
  const { change } = explanation;
  const measured = change && measuredSet(workspace.evalQueries, text);
  const price =
    measured &&
    (await host.request(
      'changePrice',
      {
        judge: workspace.judge,
        dataset: {
          name: measured.evalSet,
          corpus,
          evalSet: measured.evalSet,
          queries: measured.queries.map(plainQuery),
        },
        before,
        after: change.pipeline,
        split: change.split,
      },
      limited,
    ));
  return missingAnswer({ document, corpus, query: text, pipeline: name }, explanation, price);
}

/** JSON. */
export function missingAnswer(
  request: {
    readonly document: string;
    readonly corpus: string;
    readonly query: string;
    readonly pipeline: string;
  },
  explanation: Explanation,
  price: ChangePrice | undefined,
): string {
  const { cause, k, candidates, rank, retrievedRank, passage, duplicate, reranker, tried } = explanation;
  const {
    parts = [],
    documents = [],
    others = [],
    arms,
    terms,
    lengths,
    alike,
    relevance,
    elsewhere,
    programs = [],
  } = explanation;
  return fitted(SIZES, (size) => ({
    notice: DATA_NOTICE,
    corpus: request.corpus,
    pipeline: short(request.pipeline, MAX_NAME),
    query: short(request.query, MAX_NAME),
    document: short(request.document, MAX_NAME),
    cause,
    says: short([causeText(explanation), provisionalText(explanation)].join(' '), 600),
    k,
    candidates,
    ...(rank === undefined ? {} : { rank }),
    ...(retrievedRank === undefined ? {} : { retrievedRank }),
    ...(passage ? { passage: passageView(passage, size) } : {}),
    ...(duplicate ? { duplicate: { rank: duplicate.rank, ...passageView(duplicate, size) } } : {}),
    ...(reranker === undefined ? {} : { reranker }),
    ...(parts.length > 0
      ? {
          parts: partTexts(parts)
            .slice(0, size.listed)
            .map((text, place) => passageView({ ...parts[place]!, text }, size)),
        }
      : {}),
    ...(documents.length > 1
      ? { documents: documents.slice(0, size.listed).map((each) => short(each, MAX_NAME)) }
      : {}),
    ...(others.length > 0
      ? {
          otherPassages: others.slice(0, size.listed).map(({ id, name, ...each }) => ({
            id: short(id, MAX_NAME),
            name: short(name, MAX_NAME),
            ...each,
          })),
        }
      : {}),
    ...(alike
      ? { alike: { rank: alike.rank, cosine: rounded(alike.cosine), ...passageView(alike, size) } }
      : {}),
    ...(relevance ? { relevance } : {}),
    ...(elsewhere ? { elsewhere } : {}),
    ...(programs.length > 0
      ? {
          programs: programs.map((program) => ({
            ...programView(program),
            says: short(programText(program), 400),
          })),
        }
      : {}),
    arms: arms.map(({ score, needed, nearest, ...arm }) => ({
      ...arm,
      ...(nearest
        ? { nearest: { text: short(nearest.text, size.excerpt), score: rounded(nearest.score) } }
        : {}),
      ...(score === undefined ? {} : { score: rounded(score) }),
      ...(needed === undefined ? {} : { needed: rounded(needed) }),
    })),
    terms: terms.slice(0, size.terms).map(({ idf, contribution, ...term }) => ({
      ...term,
      idf: rounded(idf),
      contribution: rounded(contribution),
    })),
    ...(lengths ? { lengths: { passage: lengths.passage, mean: rounded(lengths.mean) } } : {}),
    change: changeView(explanation, price),
    tried: tried.length,
  }));
}

function programView({ name, returned, unmatched, rank }: ProgramAnswer): object {
  return { name: short(name, MAX_NAME), returned, unmatched, ...(rank === undefined ? {} : { rank }) };
}

function passageView({ id, documentId, name, text }: ExplainedPassage, { excerpt }: Size): object {
  return {
    id: short(id, MAX_NAME),
    document: short(documentId, MAX_NAME),
    name: short(name, MAX_NAME),
    excerpt: short(text, excerpt),
  };
}

function changeView(explanation: Explanation, price: ChangePrice | undefined): object | null {
  const { change } = explanation;
  const says = changeText(explanation);
  if (!change) return says === '' ? null : { says };
  return { says, ...change, ...(price ? { price: { units: UNITS, ...price } } : {}) };
}
