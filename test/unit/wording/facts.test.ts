/**
 * The sentence of each fact on each surface, as text in facts.txt. After a change of wording, run
 * `UPDATE=1 node --test test/unit/wording/facts.test.ts` and review the difference.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { describePlace } from '../../../src/cli/presentation/describe-analyses.ts';
import { PLACES, type PerspectiveState } from '../../../src/core/coverage-states.ts';
import { figureText } from '../../../src/features/gate/core/wording.ts';
import { evidenceNotFoundText, ofDocumentsText } from '../../../src/core/judging/judgement-tally.ts';
import { unreadableText } from '../../../src/core/judging/unreadable.ts';
import { atLeast, exactly } from '../../../src/core/measured.ts';
import type { JudgedBy } from '../../../src/core/model.ts';
import { UNJUDGED } from '../../../src/core/reports/tables.ts';
import { JUDGEMENT_SOURCES } from '../../../src/core/words.ts';
import { certaintyText } from '../../../src/core/external/certainty.ts';
import { shortfallsText, shortfallText } from '../../../src/core/external/shortfall.ts';
import {
  circularText,
  cutShortText,
  effortText,
  failedQueriesText,
  judgedPairsText,
  judgedText,
  judgedTopText,
  judgeName,
  measuredText,
  openStateText,
  placeMeaning,
  sentence,
  stateText,
} from '../../../src/core/facts.ts';
import { overviewWords } from '../../../webview/compare/overview/strings.ts';
import { queryWords } from '../../../webview/compare/queries/strings.ts';
import { shareText } from '../../../webview/components/figures.ts';
import { words } from '../../../webview/components/words.ts';
import { strings as historyStrings } from '../../../webview/history/strings.ts';
import { strings } from '../../../webview/inspector/strings.ts';

const K = 5;
const SUPPORTER = { passageId: 'a.md#3', path: 'a.md' };
const PROBE = { searches: 2, found: 30 };
const NOT_FOUND = { where: 'not-found', perspectiveId: 'p', judged: 7, unsure: 0, unjudged: 0 } as const;
const BELOW = { where: 'below-k', perspectiveId: 'p', rank: 9, passageId: 'a.md#3' } as const;
const ELSEWHERE = { where: 'not-retrieved', perspectiveId: 'p', ...SUPPORTER, candidates: 100 } as const;

const STATES: Readonly<Record<string, PerspectiveState>> = {
  covered: { where: 'covered', perspectiveId: 'p', rank: 2 },
  'below k': BELOW,
  'below k, one above unjudged': { ...BELOW, unjudgedAbove: 1 },
  'below k, some above unjudged': { ...BELOW, unjudgedAbove: 4 },
  'approximate miss': { where: 'approximate-miss', perspectiveId: 'p', exactRank: 3, passageId: 'a.md#3' },
  'not retrieved': ELSEWHERE,
  'not retrieved, one candidate': { ...ELSEWHERE, candidates: 1 },
  'not retrieved, some unjudged': { ...ELSEWHERE, unjudgedCandidates: 12 },
  unjudged: { where: 'unjudged', perspectiveId: 'p', unjudged: 5 },
  'unjudged, looked deeper': {
    where: 'unjudged',
    perspectiveId: 'p',
    unjudged: 5,
    probed: { ...PROBE, judged: 0 },
  },
  'not found, one judged': { ...NOT_FOUND, judged: 1 },
  'not found, some judged': NOT_FOUND,
  'not found, of all': { ...NOT_FOUND, passages: 500 },
  'not found, some of the top k unjudged': { ...NOT_FOUND, passages: 500, unjudged: 2 },
  'not found, some unsure': { ...NOT_FOUND, unsure: 2 },
  'not found, looked deeper': { ...NOT_FOUND, passages: 500, probed: { ...PROBE, judged: 4 } },
  'probably absent': { ...NOT_FOUND, judged: 30, passages: 500, probed: { ...PROBE, judged: 30 } },
  'absent, one passage': { ...NOT_FOUND, judged: 1, passages: 1 },
  absent: { ...NOT_FOUND, judged: 8, passages: 8 },
};

function stateLines(state: PerspectiveState): string[] {
  return [
    ...(state.where !== 'approximate-miss'
      ? [`side panel: ${strings.coverage(state, K)}`, `side panel, one line: ${strings.shortCoverage(state)}`]
      : []),
    `comparison: ${queryWords.place('A', state.where, 'rank' in state ? state.rank : undefined)}`,
    `gate, Testing view, reports: ${sentence(stateText(state, K))}`,
    ...(state.where === 'covered' ? [] : [`gate, if it is open: ${sentence(openStateText(state, 2, K))}`]),
    `command line: ${describePlace(state, K)}`,
    `agents: ${placeMeaning(state.where)}`,
  ];
}

function placeLines(): string[] {
  const parts = overviewWords.lossParts(K);
  const marks = new Map(queryWords.marks());
  return PLACES.flatMap((place) => [
    `comparison, overview: ${parts[place].join(': ')}`,
    `comparison, legend: ${marks.get(place)}`,
    `comparison, link: ${queryWords.lead({ to: 'place', pipeline: 'bm25', place }, 'bm25')}`,
  ]);
}

function sourceLines(source: JudgedBy['source']): string[] {
  const heuristic = source === 'lexical';
  const judge = source === 'human' ? 'people' : 'gpt';
  const one: JudgedBy = { source, judge, count: 1, heuristic };
  const some = { ...one, count: 12 };
  const metrics = { k: K, covered: exactly(1), judgedPairs: 12, unsurePairs: 0, pairs: 15, sources: [some] };
  return [
    `side panel: ${strings.judgedBy(metrics)}`,
    `side panel, a verdict: ${strings.saidBy(source, judge)}`,
    `comparison, history: ${words.restsOn([one, some])}`,
    `calls in the code: ${judgedTopText(0.8, String(K), [some])}`,
    `gate, reports: ${judgedPairsText(12, 15, [some])}`,
  ];
}

const FAILURE = { query: 'q1', message: 'q1 timed out.' };

const RANGE = { least: 1, most: 1 };
const TOKENS = { least: 1200, most: 3400 };

const FACTS: Readonly<Record<string, () => readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(STATES).map(([name, state]) => [`A perspective: ${name}`, () => stateLines(state)]),
  ),
  'The places of perspectives': placeLines,
  ...Object.fromEntries(
    JUDGEMENT_SOURCES.map((source) => [`A source of judgements: ${source}`, () => sourceLines(source)]),
  ),
  'The judge that was asked': () => [
    `command line: ${judgeName({ judge: 'gpt', heuristic: false })}`,
    `command line, a heuristic: ${judgeName({ judge: 'lexical', heuristic: true })}`,
  ],
  'The share that is judged': () => [
    `side panel: ${strings.judgedSoFar({ k: K, covered: atLeast(1, 2), judgedPairs: 12, unsurePairs: 0, pairs: 15, sources: [] }, 3)}`,
    `comparison: ${overviewWords.judgedShare(0.8)}`,
    `comparison, a query: ${queryWords.topJudged(0.8)}`,
    `history: ${historyStrings.judgedPairs(12, 15)}`,
    `calls in the code: ${judgedText(0.8)}`,
    `calls in the code, without a source: ${judgedTopText(0.8, String(K), [])}`,
  ],
  'Nothing is judged': () => [
    `side panel: ${strings.nothingJudged()}; ${strings.notJudged()}; ${strings.nothingJudgedYet()}`,
    `comparison: ${overviewWords.nothingJudged()}; ${overviewWords.noSources()}`,
    `comparison, a query: ${queryWords.outcome(undefined, 0, K)}`,
    `gate: ${judgedPairsText(0, 15)}`,
  ],
  'Unjudged passages count as not supporting': () => [
    `side panel: ${strings.judgedDefinition()} ${strings.mayRise(1)} ${strings.mayRise(3)}`,
    `comparison: ${overviewWords.judgedDefinition()}`,
    `history: ${historyStrings.timelineNote('policies', 2)}`,
    `reports: ${UNJUDGED}`,
  ],
  'A value that can only rise': () => [
    `everywhere: ${measuredText(atLeast(0.58, 0.7), shareText)}, ${measuredText(exactly(0.58), shareText)}`,
    `gate: ${figureText(atLeast(0.58, 0.7))}, ${figureText(exactly(0.58))}`,
    `history: ${historyStrings.value({ value: 0.58, low: 0.5, high: 0.7 }, true)}`,
    `comparison, counts: ${overviewWords.countAtLeast(3)}`,
  ],
  'A ranking whose own judge scored it': () => [`everywhere: ${circularText('gpt')}`],
  'Failed queries': () =>
    [[FAILURE], [FAILURE, FAILURE]].map((errors) => `everywhere: ${failedQueriesText('bm25', errors, 2)}`),
  'Questions with too few requests': () => [`everywhere: ${cutShortText('reranked', ['q1', 'q3'], 12)}`],
  'A store that returned too little': () => [
    `one search: ${shortfallText({ returned: 40, asked: 100 })}`,
    `an evaluation: ${shortfallsText('bm25', { returned: 40, asked: 100, queries: 1 }, 12)}`,
    ...[3, 5].map((certain) => `${certaintyText({ certain, scored: 100, approximate: false }, K)}`),
  ],
  'Doubts about verdicts': () => [
    ...[1, 3].map((verdicts) => `everywhere: ${evidenceNotFoundText(verdicts)}`),
    ...[1, 3].map((verdicts) => `everywhere: ${ofDocumentsText(verdicts)}`),
    ...[1, 3].map((answers) => `everywhere: ${unreadableText({ unreadable: 1, answers })}`),
  ],
  'The cost of judging': () => [
    `command line: ${effortText({ requests: RANGE, promptTokens: RANGE, completionTokens: RANGE, mayAskAgain: false })}`,
    `command line, a range: ${effortText({ requests: { least: 3, most: 12 }, promptTokens: TOKENS, completionTokens: TOKENS, mayAskAgain: true })}`,
  ],
};

const FILE = path.join(import.meta.dirname, 'facts.txt');

const block = (fact: string, lines: readonly string[]): string =>
  [fact, ...lines.map((line) => `  ${line}`), ''].join('\n');

if (process.env['UPDATE'])
  writeFileSync(
    FILE,
    Object.entries(FACTS)
      .map(([fact, lines]) => block(fact, lines()))
      .join('\n'),
  );

const written = readFileSync(FILE, 'utf8').split(/\n(?=\S)/u);

for (const [place, [fact, lines]] of Object.entries(FACTS).entries())
  test(`${fact}: as in facts.txt`, () => {
    assert.equal(block(fact, lines()).trimEnd(), written[place]?.trimEnd());
  });
