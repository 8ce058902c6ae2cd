/** A gate's report as annotations of a GitHub workflow, and as a job summary. */
import { failedQueries, gapsOf, type GateReport } from '../../features/gate/core/report.ts';
import { checkTitle } from '../../features/gate/core/wording.ts';
import { escapeWorkflowData, escapeWorkflowProperty } from './escape.ts';
import { failedQueryViews, headline } from './tables.ts';

/** GitHub shows this many annotations of each level per step and silently drops the rest. */
const SHOWN_ANNOTATIONS = 10;

/** GitHub rejects summaries above 1 MiB. */
const LONGEST_SUMMARY = 1024 * 1024;

interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
}

/** Workflow commands, one per line. */
export function toGitHub(report: GateReport): string {
  const errors = [...errorsOf(report), ...missedOf(report)];
  const summary: Annotation = { level: 'notice', title: 'Parallax', message: headline(report) };
  const notes = report.notes.map((message): Annotation => ({ level: 'notice', title: 'Parallax', message }));
  return [...limited(errors), ...limited(queriesOf(report)), ...limited([summary, ...notes])]
    .map(command)
    .join('');
}

/** A job summary within GitHub's limit. If it is too long, it is cut at a line end, with a note. */
export function toJobSummary(markdown: string): string {
  return cutAtLine(
    markdown,
    LONGEST_SUMMARY,
    'The rest is left out: a job summary may hold 1 MiB. The other formats have all of it.',
  );
}

/**
 * The text, or its first lines followed by a sentence about the rest.
 *
 * @param mostBytes of the result, in UTF-8
 * @param rest the sentence, in ASCII
 */
export function cutAtLine(text: string, mostBytes: number, rest: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= mostBytes) return text;
  const end = `\n\n${rest}\n`;
  const beginning = new TextDecoder().decode(bytes.subarray(0, mostBytes - end.length - 4));
  return beginning.slice(0, Math.max(beginning.lastIndexOf('\n'), 0)) + end;
}

function command({ level, title, message, file, line }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${escapeWorkflowProperty(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${escapeWorkflowProperty(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${escapeWorkflowData(message)}\n`;
}

function limited(annotations: readonly Annotation[]): Annotation[] {
  if (annotations.length <= SHOWN_ANNOTATIONS) return [...annotations];
  const shown = annotations.slice(0, SHOWN_ANNOTATIONS - 1);
  const rest = annotations.length - shown.length;
  const { level } = annotations[0]!;
  return [...shown, { level, title: 'Parallax', message: `… and ${rest} more: see the summary of the job.` }];
}

function errorsOf(report: GateReport): Annotation[] {
  const { error } = report;
  const messages = [...(error === undefined ? [] : [error]), ...gapsOf(report)];
  return messages.map((message) => ({ level: 'error', title: 'Parallax could not evaluate', message }));
}

function missedOf({ checks, datasets }: GateReport): Annotation[] {
  return checks
    .filter(({ outcome }) => outcome !== 'passed')
    .map((check) => ({
      level: 'error',
      title: `${check.pipeline}: ${checkTitle(check)}`,
      message: check.reason,
      file: datasets.find(({ name }) => name === check.dataset)?.file,
      line: 1,
    }));
}

function queriesOf(report: GateReport): Annotation[] {
  const views = failedQueryViews(report);
  return failedQueries(report).map(({ dataset, pipeline, query }, place) => ({
    level: 'warning',
    title: `${pipeline.name}: ${query.id}`,
    message: [query.text, ...views[place]!.details].join('\n'),
    file: dataset.file,
    line: query.line ?? 1,
  }));
}
