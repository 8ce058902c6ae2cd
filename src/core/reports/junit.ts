/**
 * A gate's report as JUnit XML: one suite per eval set and pipeline, with a test case per check and per query, so that
 * a fixed query turns green. It uses what the schemas of Ant's JUnit task and of Jenkins have in common: times without
 * a zone, totals on suites only, and files only inside texts.
 */
import { uncheckedSentence, unpassedReasons } from '../../features/gate/core/query-outcome.ts';
import {
  gapsOf,
  type DatasetReport,
  type GateCheck,
  type GateReport,
  type PipelineReport,
  type QueryReport,
} from '../../features/gate/core/report.ts';
import { judgedPairsText } from '../facts.ts';
import { checkTitle, missedBy } from '../../features/gate/core/wording.ts';
import { escapeXml } from './escape.ts';
import { circumstances, lossesOf, placeOf } from './tables.ts';

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

interface TestCase {
  readonly name: string;
  readonly outcome: Outcome;
  readonly type: string;
  readonly message: string;
  /** Content of the outcome's element, besides its message. */
  readonly detail: string;
  /** In seconds. */
  readonly time: number;
}

interface Suite {
  readonly name: string;
  readonly judgements: string;
  readonly cases: readonly TestCase[];
}

export function toJUnit(report: GateReport): string {
  const suites = report.error === undefined ? suitesOf(report) : [errorSuite(report.error)];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    ...suites.flatMap((suite, id) => suiteLines(suite, id, report)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suitesOf(report: GateReport): Suite[] {
  const gaps = gapsOf(report);
  const checked = report.datasets.flatMap((dataset) =>
    dataset.pipelines.map((pipeline) => ({
      name: `${dataset.name}, ${pipeline.name}`,
      judgements: judgedPairsText(dataset.judgements.judged, dataset.judgements.pairs, dataset.judgements.by),
      cases: [
        ...checkCases(dataset, pipeline, report),
        ...pipeline.queries.map((query) => queryCase(query, { dataset, pipeline, report })),
      ],
    })),
  );
  return gaps.length > 0 ? [errorSuite(...gaps), ...checked] : checked;
}

function errorSuite(...messages: readonly string[]): Suite {
  const failed = messages.map((message): TestCase => ({
    name: 'evaluation',
    outcome: 'error',
    type: 'not-evaluated',
    message,
    detail: '',
    time: 0,
  }));
  return { name: 'gate', judgements: 'none', cases: failed };
}

function checkCases(dataset: DatasetReport, pipeline: PipelineReport, { checks }: GateReport): TestCase[] {
  return checks
    .filter((check) => check.dataset === dataset.name && check.pipeline === pipeline.name)
    .map((check) => ({
      name: checkTitle(check),
      outcome: ({ passed: 'passed', missed: 'failure', undecided: 'skipped' } as const)[check.outcome],
      type: check.kind,
      message: check.reason,
      detail: failingOf(check),
      time: 0,
    }));
}

function failingOf({ failing }: GateCheck): string {
  return failing.length === 0 ? '' : `Questions: ${failing.join(', ')}`;
}

interface QueryContext {
  readonly dataset: DatasetReport;
  readonly pipeline: PipelineReport;
  readonly report: GateReport;
}

/** Named by its id, so that it is the same case in every run. Its time is the search time. */
function queryCase(query: QueryReport, { dataset, pipeline, report }: QueryContext): TestCase {
  const common = { name: `query ${query.id}`, type: 'query', time: (query.milliseconds ?? 0) / 1000 };
  const detail = (first: readonly string[]): string =>
    [placeOf(dataset, query), ...first, ...lossesOf(query)].join('\n');
  const failed = pipeline.queryErrors?.find((error) => error.query === query.id);
  if (failed) return { ...common, outcome: 'error', message: failed.message, detail: detail([query.text]) };
  if (query.missed.length > 0) {
    const missed = query.missed.map((place) => missedBy(query.metrics, report.checks[place]!)).join('; ');
    return { ...common, outcome: 'failure', message: query.text, detail: detail([`Missed: ${missed}.`]) };
  }
  const skipped =
    query.demands === 0
      ? uncheckedSentence(report, dataset.evalSet, query.id)
      : unpassedReasons(report, query).join(' ');
  return { ...common, outcome: skipped === '' ? 'passed' : 'skipped', message: skipped, detail: '' };
}

function suiteLines({ name, judgements, cases }: Suite, id: number, report: GateReport): string[] {
  const properties = { judgements, circumstances: circumstances(report) };
  const time = cases.reduce((sum, each) => sum + each.time, 0);
  const attributes = {
    name,
    package: 'parallax',
    id: String(id),
    hostname: 'localhost',
    timestamp: withoutZone(report.at),
    tests: String(cases.length),
    failures: count(cases, 'failure'),
    errors: count(cases, 'error'),
    skipped: count(cases, 'skipped'),
    time: time.toFixed(3),
  };
  return [
    `  <testsuite${written(attributes)}>`,
    '    <properties>',
    ...Object.entries(properties).map(([key, value]) => `      <property${written({ name: key, value })}/>`),
    '    </properties>',
    ...cases.flatMap((each) => caseLines(each, name)),
    '    <system-out/>',
    ...warningLines(id === 0 ? report.notes : []),
    '  </testsuite>',
  ];
}

/** Warnings that concern all suites are in the first one. */
function warningLines(notes: readonly string[]): string[] {
  if (notes.length === 0) return ['    <system-err/>'];
  return [`    <system-err>${escapeXml(notes.join('\n'))}</system-err>`];
}

function caseLines({ name, outcome, type, message, detail, time }: TestCase, suite: string): string[] {
  const opening = `    <testcase${written({ classname: suite, name, time: time.toFixed(3) })}`;
  if (outcome === 'passed') return [`${opening}/>`];
  const attributes = written(outcome === 'skipped' ? { message } : { message, type });
  return [
    `${opening}>`,
    `      <${outcome}${attributes}>${escapeXml(detail)}</${outcome}>`,
    '    </testcase>',
  ];
}

const written = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');

function count(cases: readonly TestCase[], outcome: Outcome): string {
  return String(cases.filter((each) => each.outcome === outcome).length);
}

/** @param at ISO 8601, in UTC @returns the time to the second */
const withoutZone = (at: string): string => at.replace(/(?:\.\d+)?Z$/u, '');
