/** Finds the problems of an eval set and their exact ranges, for diagnostics while typing. */
import * as l10n from '@vscode/l10n';
import { strictJsonBreak } from './commented-json.ts';
import { findValue } from './json-edit.ts';
import { linesOf, parseJson } from './lines.ts';
import { queryRecord } from './queries.ts';
import { clauseOf } from '../schema-issue.ts';

export interface EvalSetProblem {
  /** From 0. */
  readonly line: number;
  /** Offsets within the line, half-open. */
  readonly start: number;
  readonly end: number;
  /** An error drops the whole line, a warning only a part of it. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Reports what `parseEvalSet` of queries.ts leaves out. */
export function evalSetProblems(text: string): EvalSetProblem[] {
  const known = new Map<string, number>();
  const problems: EvalSetProblem[] = [];
  for (const { number, text: line } of linesOf(text)) {
    const problemsOfLine = lineProblems(line, number, known);
    problems.push(...problemsOfLine.map((problem) => ({ line: number - 1, ...problem })));
  }
  return problems;
}

type LineProblem = Omit<EvalSetProblem, 'line'>;
type QueryRecord = ReturnType<typeof queryRecord.parse>;

/** @param known line numbers of the preceding queries by id; this line is added */
function lineProblems(line: string, number: number, known: Map<string, number>): LineProblem[] {
  const json = parseJson(line);
  if ('problem' in json) return [notJson(line)];
  const parsed = queryRecord.safeParse(json.value);
  if (!parsed.success)
    return parsed.error.issues.map((issue) => {
      const place = issue.path.filter((step) => typeof step !== 'symbol');
      return { ...extentOf(line, place), severity: 'error', message: `${clauseOf(issue, json.value)}.` };
    });
  const { data } = parsed;
  const id = data._id ?? data.id ?? `q${number}`;
  const before = known.get(id);
  if (before !== undefined)
    return [
      {
        ...extentOf(line, [data._id == null ? 'id' : '_id']),
        severity: 'error',
        message: l10n.t`The question "${id}" occurs a second time; the one on line ${before} counts.`,
      },
    ];
  known.set(id, number);
  return perspectiveProblems(line, data);
}

function perspectiveProblems(line: string, { perspectives, answerable }: QueryRecord): LineProblem[] {
  if (answerable === false) return [];
  if (!perspectives || perspectives.length === 0)
    return [
      {
        ...extentOf(line, perspectives ? ['perspectives'] : []),
        severity: 'warning',
        message: l10n.t(
          'The question has no perspectives: there is nothing to cover, and evaluations leave it out.',
        ),
      },
    ];
  const ids = perspectives.map(({ id }, index) => id ?? `p${index + 1}`);
  return ids.flatMap((id, index) =>
    ids.indexOf(id) === index
      ? []
      : [
          {
            ...extentOf(line, ['perspectives', index]),
            severity: 'warning' as const,
            message: l10n.t`The perspective "${id}" occurs a second time in this question and is left out.`,
          },
        ],
  );
}

function notJson(line: string): LineProblem {
  const { at: breaksAt, isTooDeep } = strictJsonBreak(line) ?? { at: 0, isTooDeep: false };
  const isEnd = breaksAt >= line.trimEnd().length;
  return {
    // At the end of the line, mark its last character.
    start: isEnd ? Math.max(0, line.trimEnd().length - 1) : breaksAt,
    end: isEnd ? line.trimEnd().length : breaksAt + 1,
    severity: 'error',
    message: isTooDeep
      ? l10n.t('This is not JSON, and it is nested too deep from here on to find its end.')
      : isEnd
        ? l10n.t('The line ends before its JSON does. Each question needs a line of its own.')
        : l10n.t('From here on this is not JSON. Each question needs a line of its own.'),
  };
}

/** The value at a path, or its closest existing ancestor. */
function extentOf(
  line: string,
  path: readonly (string | number)[],
): { readonly start: number; readonly end: number } {
  for (let length = path.length; length > 0; length--) {
    const value = findValue(line, path.slice(0, length));
    if (value) return { start: value.start, end: value.end };
  }
  const start = line.length - line.trimStart().length;
  return { start, end: line.trimEnd().length };
}
