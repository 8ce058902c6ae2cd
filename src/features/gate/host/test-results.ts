/** Shows the results of an evaluation in the Testing view. */
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import {
  coverageTallies,
  failedSearches,
  failedSearchesText,
  isChecked,
  quarantinedIn,
  queryFailures,
  setOutcome,
  tallyText,
  uncheckedSentence,
  undecidedIn,
  unknownIn,
  type QueryFailure,
} from '../core/query-outcome.ts';
import type { GateReport } from '../core/report.ts';
import { circumstances, groundsOf, headline, reasonsOf } from '../../../core/reports/tables.ts';
import { COMMANDS, FAILED_QUERY } from '../../../shared/manifest/contributions.ts';
import type { Query } from '../../../core/model.ts';
import { addressOf, type QueryLink } from './linked-query.ts';
import type { TestOutcome } from './listed-test.ts';
import type { Chosen, TestTree } from './test-tree.ts';
import { unguardedText } from './unguarded-text.ts';

export class TestResults {
  readonly #run: vscode.TestRun;
  readonly #tree: TestTree;
  /** By item; see {@link keyOf}. */
  readonly outcomes = new Map<string, TestOutcome>();

  constructor(run: vscode.TestRun, tree: TestTree) {
    this.#run = run;
    this.#tree = tree;
  }

  begin(chosen: readonly Chosen[]): void {
    for (const item of chosen.flatMap(itemsOf)) this.#run.enqueued(item);
    for (const item of chosen.flatMap(itemsOf)) this.#run.started(item);
  }

  report(chosen: readonly Chosen[], report: GateReport): void {
    for (const { set, whole, queries } of chosen) {
      for (const item of queries) {
        const query = this.#tree.queryOf(item);
        if (query) this.#query(item, report, query);
        else this.#run.skipped(item);
      }
      if (whole) this.#set(set, report);
    }
    this.#write([...groundsOf(report), ...report.notes, ...reasonsOf(report)]);
    this.#write([`${headline(report)} ${circumstances(report)}`, ...this.#unguarded(chosen, report)]);
    this.#write(this.#unchecked(chosen, report));
  }

  /** Notes about queries without checks. If there is no baseline yet, explains that one turns them into tests. */
  #unchecked(chosen: readonly Chosen[], report: GateReport): string[] {
    const queries = chosen.flatMap((set) => set.queries);
    const skipped = queries.filter(
      (item) =>
        this.outcomes.get(keyOf(item))?.outcome === 'skipped' && !isChecked(report, item.parent!.id, item.id),
    );
    const [first] = skipped;
    if (!first) return [];
    const reason = uncheckedSentence(report, first.parent!.id, first.id);
    const advice = vscode.l10n.t('"Parallax: Accept as Baseline" makes tests of them.');
    return [
      counted(
        vscode.l10n.t('{0} of {1} [1:question|questions] [0:was|were] not checked.'),
        skipped.length,
        queries.length,
      ),
      report.baseline ? reason : `${reason} ${advice}`,
    ];
  }

  #unguarded(chosen: readonly Chosen[], report: GateReport): string[] {
    const queries = chosen.flatMap((set) => set.queries);
    const failed = queries.filter((item) => this.outcomes.get(keyOf(item))?.outcome === 'failed').length;
    const text = unguardedText(report, failed, queries.length);
    return text === undefined ? [] : [text];
  }

  /** Reports that nothing could be evaluated. */
  fail(chosen: readonly Chosen[], reason: string): void {
    for (const item of chosen.flatMap(itemsOf)) {
      this.#run.errored(item, new vscode.TestMessage(reason));
      this.#note(item, 'errored', [reason]);
    }
    this.#write([reason]);
  }

  #query(item: vscode.TestItem, report: GateReport, query: Query): void {
    const set = item.parent!.id;
    this.#tree.describe(item, tallyText(coverageTallies(report, set, [query])));
    const errors = failedSearches(report, set, query.id);
    const failures = queryFailures(report, set, query);
    if (errors.length > 0) return this.#error(item, errors, failures);
    if (!isChecked(report, set, query.id)) return this.#skip(item, uncheckedSentence(report, set, query.id));
    const undecided = undecidedIn(report, set, query.id);
    const open = [...undecided, ...quarantinedIn(report, set, query.id), ...unknownIn(report, set, query.id)];
    if (failures.length === 0 && open.length > 0) return this.#undecided(item, open);
    if (failures.length === 0) this.#run.passed(item);
    else
      this.#run.failed(
        item,
        failures.map((failure) => queryMessage(item, failure)),
      );
    const [first] = failures;
    this.outcomes.set(keyOf(item), {
      outcome: first ? 'failed' : 'passed',
      messages: failures.map(({ message }) => message),
      ...(first ? { expected: first.expected, actual: first.actual } : {}),
    });
  }

  /** A query that could not be run or judged says nothing about retrieval, so it counts as an error. */
  #error(item: vscode.TestItem, errors: readonly string[], failures: readonly QueryFailure[]): void {
    const messages = errors.map((error) => new vscode.TestMessage(error));
    this.#run.errored(item, [...messages, ...failures.map((failure) => queryMessage(item, failure))]);
    this.#note(item, 'errored', [...errors, ...failures.map(({ message }) => message)]);
  }

  /**
   * Skipped, because the view counts everything as failed that is not passed or skipped, and nothing has failed here.
   */
  #undecided(item: vscode.TestItem, reasons: readonly string[]): void {
    const state = vscode.l10n.t('undecided');
    this.#tree.describe(item, item.description ? `${state} · ${item.description}` : state);
    this.#skip(item, vscode.l10n.t('Undecided: {0}', reasons.join(' ')));
    this.#note(item, 'undecided', reasons);
  }

  /** The view cannot show a reason, so it goes to the output of the test. */
  #skip(item: vscode.TestItem, reason: string): void {
    this.#run.skipped(item);
    this.#run.appendOutput(`${reason}\r\n`, undefined, item);
    this.#note(item, 'skipped', [reason]);
  }

  #set(item: vscode.TestItem, report: GateReport): void {
    const tally = tallyText(coverageTallies(report, item.id, this.#tree.queriesOf(item)));
    const failed = failedSearchesText(report, item.id);
    this.#tree.describe(item, failed === undefined ? tally : `${failed} · ${tally}`);
    const { outcome, reasons } = setOutcome(report, item.id);
    if (outcome === 'unchecked') return this.#skip(item, reasons.join(' '));
    const messages = reasons.map((reason) => new vscode.TestMessage(reason));
    if (outcome === 'undecided' && !report.datasets.some(({ evalSet, gaps }) => evalSet === item.id && gaps))
      return this.#undecided(item, reasons);
    if (outcome === 'passed') this.#run.passed(item);
    else if (outcome === 'missed') this.#run.failed(item, messages);
    else this.#run.errored(item, messages);
    const noted = { passed: 'passed', missed: 'failed', undecided: 'errored' } as const;
    this.#note(item, noted[outcome], reasons);
  }

  #note(item: vscode.TestItem, outcome: TestOutcome['outcome'], messages: readonly string[]): void {
    this.outcomes.set(keyOf(item), { outcome, messages });
  }

  /** Test output is a terminal: lines end with CR LF, and control characters of foreign texts are removed. */
  #write(lines: readonly string[]): void {
    for (const line of lines) this.#run.appendOutput(`${line.replace(/\p{Cc}+/gu, ' ')}\r\n`);
  }
}

/** Unique among all items, unlike ids of queries, which are unique only within their set. */
export function keyOf(item: vscode.TestItem): string {
  return item.parent ? `${item.parent.id}#${item.id}` : item.id;
}

function itemsOf({ set, whole, queries }: Chosen): vscode.TestItem[] {
  return whole ? [set, ...queries] : [...queries];
}

function queryMessage(
  item: vscode.TestItem,
  { message, pipeline, expected, actual }: QueryFailure,
): vscode.TestMessage {
  const link: QueryLink = { evalSet: item.parent!.id, query: item.id, pipeline };
  const text = new vscode.MarkdownString();
  // Foreign text is shown verbatim; only our own command can run.
  text.isTrusted = { enabledCommands: [COMMANDS.openEvaluatedQuery] };
  text.appendText(`${message}\n\n`);
  text.appendMarkdown(`[${vscode.l10n.t('Open in Parallax')}](${addressOf(link)})`);
  const testMessage = vscode.TestMessage.diff(text, expected, actual);
  if (item.uri && item.range) testMessage.location = new vscode.Location(item.uri, item.range);
  testMessage.contextValue = FAILED_QUERY;
  return testMessage;
}
