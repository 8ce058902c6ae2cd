/** Checks the behaviour of a pipeline without labels, by rephrasing questions, and shows the report. */
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import { checkTitle } from '../../behaviour/core/titles.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { Query } from '../../../core/model.ts';
import { retrieverLabel } from '../../../core/pipeline-label.ts';
import { MAX_QUESTIONS, namedPipelines, type BehaviourReport } from '../../behaviour/contract/behaviour.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { ReportDocuments } from '../../../extension/platform/report-documents.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';

export interface BehaviourParts {
  readonly engine: EngineClient;
  readonly config: ParallaxConfig;
  readonly reports: ReportDocuments;
  /** The corpus and questions of the side panel. */
  readonly asked: { readonly corpus: string; readonly queries: readonly Query[] };
}

/**
 * Asks for a pipeline of parallax.json, runs it on the first questions of the eval sets or on a typed one, and opens
 * the report.
 *
 * @throws ParallaxError `not-found` without pipelines, `bad-config`, or the engine's error
 */
export async function checkBehaviour({ engine, config, reports, asked }: BehaviourParts): Promise<void> {
  const title = vscode.l10n.t('Check How a Pipeline Behaves');
  const items = Object.entries(config.pipelines).map(([label, { retriever }]) => ({
    label,
    description: retrieverLabel(retriever),
  }));
  if (items.length === 0)
    throw new ParallaxError('not-found', vscode.l10n.t('parallax.json names no pipeline to check.'));
  const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
  const pipeline = chosen && config.pipelines[chosen.label];
  if (!pipeline) return;
  const questions = await questionsOf(asked.queries, title);
  if (questions.length === 0) return;
  const task = {
    ...(asked.corpus === '' ? {} : { corpus: asked.corpus }),
    pipeline,
    named: namedPipelines(chosen.label, config),
    questions,
  };
  const report = await withProgress(
    vscode.l10n.t('Parallax: asking {0} in several ways', chosen.label),
    (context) => engine.request('checkBehaviour', task, context),
  );
  const content = behaviourDocument(chosen.label, report, questions.length);
  await reports.show(vscode.l10n.t('Behaviour'), content);
}

async function questionsOf(queries: readonly Query[], title: string): Promise<string[]> {
  const known = [...new Set(queries.map(({ text }) => text))].slice(0, MAX_QUESTIONS);
  if (known.length > 0) return known;
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('No eval set has questions. What should be asked?'),
  });
  return typed === undefined || typed.trim() === '' ? [] : [typed];
}

function behaviourDocument(name: string, { checks, failed }: BehaviourReport, questions: number): string {
  const headings = {
    broken: vscode.l10n.t('Failed'),
    holds: vscode.l10n.t('Passed'),
    open: vscode.l10n.t('Does not apply here, or the answers do not tell'),
  };
  const sections = (['broken', 'holds', 'open'] as const).flatMap((kind) => {
    const matches = checks.filter(({ state }) => state === kind);
    if (matches.length === 0) return [];
    return [`## ${headings[kind]}`, '', ...matches.flatMap(linesOf), ''];
  });
  const unasked = failed.map(({ variant, message }) =>
    vscode.l10n.t('- could not be asked ({0}): {1}', variant, message),
  );
  return [
    `# ${vscode.l10n.t('How {0} behaves', name)}`,
    '',
    counted(
      vscode.l10n.t(
        'Asked {0} [0:question|questions] in several ways, and compared the lists. No labels were used.',
      ),
      questions,
    ),
    '',
    ...sections,
    ...unasked,
    '',
  ].join('\n');
}

function linesOf({ check, fault }: BehaviourReport['checks'][number]): string[] {
  if (!fault) return [`- ${checkTitle(check)}`];
  return [
    `- **${checkTitle(check)}**`,
    `  - ${fault.evidence}`,
    `  - ${vscode.l10n.t('To fix it: {0}', fault.fix)}`,
  ];
}
