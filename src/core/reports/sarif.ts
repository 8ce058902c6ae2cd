/** A gate's report as SARIF 2.1.0 for code scanning: one result per missed check and per failed query. */
import {
  failedQueries,
  gapsOf,
  type DatasetReport,
  type GateCheck,
  type GateReport,
  type QueryReport,
} from '../../features/gate/core/report.ts';
import { checkTitle } from '../../features/gate/core/wording.ts';
import { circumstances, failedQueryViews, groundsOf } from './tables.ts';

interface RuleText {
  readonly short: string;
  readonly full: string;
  /** How to fix it. */
  readonly help: string;
}

/** The names must stay stable, as code scanning identifies findings by them. */
const RULES = {
  threshold: {
    short: 'A measure is below its threshold.',
    full: 'The mean of a measure over the questions of an eval set is below the minimum that parallax.json demands.',
    help: 'Look at the questions that are listed with the check: each perspective shows where it is lost. Below the cut, more passages or a reranker bring it back; outside the candidates, another retriever or an expanded question does.',
  },
  judged: {
    short: 'Too few of the retrieved passages were judged.',
    full: 'So many passages of the top k have no verdict that the figures say little: unjudged passages count as not supporting.',
    help: 'Label what waits in the Review view, or let the gate ask a judge.',
  },
  baseline: {
    short: 'A measure is significantly worse than in the baseline.',
    full: 'Over the questions that both have, a measure is worse than in the accepted baseline by more than the tolerance, and a paired randomisation test says that this is not chance.',
    help: 'The reason says what changed since: eval set, corpus, pipeline or judgements. If the loss is wanted, accept a new baseline: parallax gate --accept.',
  },
  query: {
    short: 'A question because of which a check was missed.',
    full: 'The figures of this question pull the mean of a missed check below what is demanded.',
    help: 'Ask it in the side panel of Parallax, which shows the rank at which each perspective is first supported, and which passages moved.',
  },
  perspectives: {
    short: 'Perspectives that the baseline covered are lost.',
    full: 'More perspectives than parallax.json allows were covered by the top k of the accepted baseline, and are not covered now, of the same questions.',
    help: 'Each question lists the perspectives that it lost, and where. If the loss is wanted, accept a new baseline: parallax gate --accept.',
  },
  documents: {
    short: 'A document that is expected is not found.',
    full: 'The eval set names documents that a question has to find, and some did not reach the required rank.',
    help: 'Ask the question in the side panel of Parallax, and type the document under "Where is…": the answer is the first cause, and the smallest change that brings it in.',
  },
  unanswerable: {
    short: 'Too many questions without an answer have passages.',
    full: 'More of the questions that the corpus cannot answer have passages in the top k than parallax.json allows.',
    help: 'A note of the report has the score below which passages can be dropped, and how many perspectives that loses.',
  },
} as const satisfies Readonly<Record<string, RuleText>>;
type Rule = keyof typeof RULES;
const RULE_NAMES = Object.keys(RULES) as Rule[];

interface Result {
  readonly rule: Rule;
  readonly level: 'error' | 'warning';
  readonly message: string;
  readonly file: string;
  readonly line: number;
  /** The same for the same finding in another run. */
  readonly identity: readonly string[];
}

export function toSarif(report: GateReport): string {
  return `${JSON.stringify(sarifLog(report), null, 2)}\n`;
}

function sarifLog(report: GateReport): object {
  const results = [...checkResults(report), ...queryResults(report)];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Parallax',
            rules: RULE_NAMES.map((rule) => ({
              id: `parallax/${rule}`,
              name: rule,
              shortDescription: { text: RULES[rule].short },
              fullDescription: { text: RULES[rule].full },
              help: { text: RULES[rule].help },
            })),
          },
        },
        invocations: [
          {
            executionSuccessful: report.outcome === 'passed' || report.outcome === 'missed',
            toolExecutionNotifications: notificationsOf(report),
          },
        ],
        results: results.map(sarifResult),
        properties: { circumstances: circumstances(report), judgements: groundsOf(report) },
      },
    ],
  };
}

function sarifResult({ rule, level, message, file, line, identity }: Result): object {
  return {
    ruleId: `parallax/${rule}`,
    ruleIndex: RULE_NAMES.indexOf(rule),
    level,
    message: { text: message },
    locations: [
      { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } } },
    ],
    partialFingerprints: { 'parallax/v1': JSON.stringify([rule, ...identity]) },
  };
}

function checkResults({ checks, datasets }: GateReport): Result[] {
  return checks
    .filter(({ outcome }) => outcome === 'missed')
    .map((check) => ({
      rule: check.kind,
      level: 'error',
      message: `${check.dataset}, ${check.pipeline}: ${check.reason}`,
      file: fileOf(check, datasets),
      line: 1,
      identity: [check.dataset, check.pipeline, checkTitle(check)],
    }));
}

function fileOf({ dataset }: GateCheck, datasets: readonly DatasetReport[]): string {
  return datasets.find(({ name }) => name === dataset)!.file;
}

function queryResults(report: GateReport): Result[] {
  const views = failedQueryViews(report);
  return failedQueries(report).map(({ dataset, pipeline, query }, place) => ({
    rule: 'query',
    level: 'warning',
    message: [views[place]!.title, query.text, ...views[place]!.details].join('\n'),
    file: dataset.file,
    line: lineOf(query),
    identity: [dataset.name, pipeline.name, query.id],
  }));
}

const lineOf = ({ line = 1 }: QueryReport): number => line;

function notificationsOf(report: GateReport): object[] {
  const { checks, error, notes } = report;
  const unknown = checks.filter(({ outcome }) => outcome === 'undecided').map(({ reason }) => reason);
  return [
    ...[...(error === undefined ? [] : [error]), ...gapsOf(report), ...unknown].map((text) => ({
      level: 'error',
      message: { text },
    })),
    ...notes.map((text) => ({ level: 'note', message: { text } })),
  ];
}

/** A path as a relative URI reference (RFC 3986), with special characters percent-encoded. */
function uriOf(file: string): string {
  return file
    .toWellFormed()
    .replaceAll('\\', '/')
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
}
