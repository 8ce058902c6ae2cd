/**
 * A gate's report as JUnit XML: a suite per eval set and pipeline, in it a test case per check and one per query
 * because of which something was missed.
 */
import {
  gapsOf,
  type DatasetReport,
  type GateCheck,
  type GateReport,
  type PipelineReport,
  type QueryReport,
} from '../gate/report.ts';
import { checkTitle, judgedSentence } from '../gate/wording.ts';
import { escapeXml } from './escape.ts';
import { circumstances, failedQueryViews } from './tables.ts';

interface TestCase {
  readonly name: string;
  readonly outcome: 'passed' | 'failure' | 'error';
  readonly type: string;
  readonly message: string;
  /** Content of the failure element, besides its message. */
  readonly detail: string;
}

interface Suite {
  readonly name: string;
  readonly file: string;
  readonly judgements: string;
  readonly cases: readonly TestCase[];
}

export function toJUnit(report: GateReport): string {
  const suites = report.error === undefined ? suitesOf(report) : [errorSuite(report.error)];
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Parallax"${counts(all)}>`,
    ...suites.flatMap((suite) => suiteLines(suite, report)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suitesOf(report: GateReport): Suite[] {
  const gaps = gapsOf(report);
  const checked = report.datasets.flatMap((dataset) =>
    dataset.pipelines.map((pipeline) => ({
      name: `${dataset.name}, ${pipeline.name}`,
      file: dataset.file,
      judgements: judgedSentence(dataset.judgements, report.k),
      cases: [...checkCases(dataset, pipeline, report), ...queryCases(dataset, pipeline, report)],
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
  }));
  return { name: 'gate', file: '', judgements: 'none', cases: failed };
}

function checkCases(dataset: DatasetReport, pipeline: PipelineReport, { checks }: GateReport): TestCase[] {
  return checks
    .filter((check) => check.dataset === dataset.name && check.pipeline === pipeline.name)
    .map((check) => ({
      name: checkTitle(check),
      outcome: ({ passed: 'passed', missed: 'failure', unknown: 'error' } as const)[check.outcome],
      type: check.kind,
      message: check.reason,
      detail: failingOf(check),
    }));
}

function failingOf({ failing }: GateCheck): string {
  return failing.length === 0 ? '' : `Queries: ${failing.join(', ')}`;
}

function queryCases(dataset: DatasetReport, pipeline: PipelineReport, report: GateReport): TestCase[] {
  const only = { ...report, datasets: [{ ...dataset, pipelines: [pipeline] }] };
  const failed = pipeline.queries.filter(({ missed }) => missed.length > 0);
  return failedQueryViews(only).map(({ text, place, details }, index) => ({
    name: `query ${(failed[index] as QueryReport).id}`,
    outcome: 'failure',
    type: 'query',
    message: text,
    detail: [place, ...details].join('\n'),
  }));
}

function suiteLines({ name, file, judgements, cases }: Suite, report: GateReport): string[] {
  const properties = { judgements, circumstances: circumstances(report) };
  return [
    `  <testsuite name="${escapeXml(name)}"${counts(cases)} timestamp="${escapeXml(report.at)}">`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([key, value]) => `      <property name="${key}" value="${escapeXml(value)}"/>`,
    ),
    '    </properties>',
    ...cases.flatMap((each) => caseLines(each, name, file)),
    '  </testsuite>',
  ];
}

function caseLines(
  { name, outcome, type, message, detail }: TestCase,
  suite: string,
  file: string,
): string[] {
  const place = file === '' ? '' : ` file="${escapeXml(file)}"`;
  const opening = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"${place}`;
  if (outcome === 'passed') return [`${opening}/>`];
  return [
    `${opening}>`,
    `      <${outcome} message="${escapeXml(message)}" type="${type}">${escapeXml(detail)}</${outcome}>`,
    '    </testcase>',
  ];
}

function counts(cases: readonly TestCase[]): string {
  const number = (outcome: TestCase['outcome']): number =>
    cases.filter((each) => each.outcome === outcome).length;
  return ` tests="${cases.length}" failures="${number('failure')}" errors="${number('error')}" skipped="0"`;
}
