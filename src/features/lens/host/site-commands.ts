/** The commands for a call site, run from its lens, its hover, or from the palette for the call at the cursor. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../../core/errors.ts';
import { isExternal } from '../../../core/pipeline.ts';
import { pipelineLabel } from '../../../core/pipeline-label.ts';
import { COMMANDS, PREVIEW_SCHEME } from '../../../shared/manifest/contributions.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { commentEdit, type CommentFields } from '../../../sites/comment-edit.ts';
import { CAPTURED } from '../../../sites/rebuild.ts';
import { lostByMmr, whatIfEdit } from '../../../sites/what-if-edit.ts';
import { on, type CommandHandler } from '../../../extension/platform/contributed.ts';
import type { RequestOptions } from '../../../extension/engine-process/engine-client.ts';
import type { LivePrograms } from '../../../extension/services/live-programs.ts';
import type { CodePreview } from './code-preview.ts';
import { openRuns } from './captured-sites.ts';
import { detailLines } from './hover-text.ts';
import type { MeasureParts } from './measure-parts.ts';
import { measuredRetriever } from './measure-site.ts';
import { listedTexts, withoutIcons, type SiteState } from './lens-text.ts';
import { rangeOf, type LocatedSite, type SiteDocuments } from './site-documents.ts';
import type { SiteEvaluations } from './site-evaluations.ts';
import { bestWhatIf } from './site-figures.ts';
import { isPlanned, type NotPlanned } from '../../../sites/plan.ts';
import { ACTION_COMMANDS, siteTarget, targetOf, type SiteTarget } from './site-surfaces.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export interface SiteCommandParts {
  readonly documents: SiteDocuments;
  readonly evaluations: SiteEvaluations;
  /** All information about a call, including captured retrievals. */
  readonly state: (located: LocatedSite) => SiteState;
  readonly preview: CodePreview;
  readonly measuring: MeasureParts;
  readonly live: () => LivePrograms;
  /** Has captured retrievals judged. @param ids newest first */
  readonly judgeCaptured: (ids: readonly string[]) => Promise<void>;
  readonly config: () => ParallaxConfig;
  readonly metrics: () => readonly string[];
  /** Shows a stored comparison in the compare panel. */
  readonly showComparison: (id: string) => Promise<void>;
}

type SiteCommand =
  | typeof COMMANDS.evaluateSite
  | typeof COMMANDS.cancelSite
  | typeof COMMANDS.compareSite
  | typeof COMMANDS.previewWhatIf
  | typeof COMMANDS.applyWhatIf
  | typeof COMMANDS.showMetrics
  | typeof COMMANDS.setSiteK
  | typeof COMMANDS.measureSite
  | typeof COMMANDS.measureCall
  | typeof COMMANDS.judgeSite
  | typeof COMMANDS.bindSite;

/** Reasons that are fixed in parallax.json. */
const CONFIG_REMEDIES: readonly NotPlanned['reason'][] = ['bad-config', 'no-corpus'];

/** A handler for each command. Without a target, the command applies to the call at the cursor. */
export function siteCommands(parts: SiteCommandParts): Record<SiteCommand, CommandHandler> {
  const commands = new SiteCommands(parts);
  const onSite = (run: (located: LocatedSite, target: SiteTarget | undefined) => unknown): CommandHandler =>
    on(siteTarget, async (target) => run(await commands.find(target), target));
  return {
    [COMMANDS.evaluateSite]: onSite((located) => commands.evaluate(located)),
    [COMMANDS.cancelSite]: onSite((located) => parts.evaluations.cancel(located.key)),
    [COMMANDS.compareSite]: onSite((located) => commands.compare(located)),
    [COMMANDS.previewWhatIf]: onSite((located, target) => commands.previewWhatIf(located, target?.whatIf)),
    [COMMANDS.applyWhatIf]: on(previewed, (uri) => uri && parts.preview.apply(uri)),
    [COMMANDS.showMetrics]: onSite((located) => commands.showMetrics(located)),
    [COMMANDS.setSiteK]: onSite((located) => commands.setK(located)),
    [COMMANDS.bindSite]: onSite((located) => commands.remedy(located)),
    [COMMANDS.measureSite]: onSite((located) => commands.measure(located)),
    [COMMANDS.judgeSite]: onSite((located) => commands.judge(located)),
    [COMMANDS.measureCall]: onSite((located) => commands.measureRunning(located)),
  };
}

/** The preview whose button was pressed, or the active one. */
function previewed(target: unknown): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const shown =
    target instanceof vscode.Uri || !(input instanceof vscode.TabInputTextDiff) ? target : input.modified;
  return shown instanceof vscode.Uri && shown.scheme === PREVIEW_SCHEME ? shown : undefined;
}

class SiteCommands {
  readonly #parts: SiteCommandParts;

  constructor(parts: SiteCommandParts) {
    this.#parts = parts;
  }

  /** @throws ParallaxError `not-found` if there is no call site */
  async find(target: SiteTarget | undefined): Promise<LocatedSite> {
    const found = target ? await this.#byKey(target.uri, target.key) : await this.#atCursor();
    if (found) return found;
    throw new ParallaxError('not-found', vscode.l10n.t('There is no call that retrieves at the cursor.'));
  }

  async evaluate(located: LocatedSite): Promise<void> {
    await withProgress(located, (options) => this.#parts.evaluations.evaluate(located, options));
  }

  /** Measures the program's own retriever by asking the running program the questions of the eval set. */
  async measureRunning(located: LocatedSite): Promise<void> {
    const { evaluations, live } = this.#parts;
    const call = await live().measure(located.key, located.site.callee, evaluations.questions(located));
    if (call) await withProgress(located, (options) => evaluations.measured(located, call, options));
  }

  /** Judges what the running program retrieved at the call. */
  async judge(located: LocatedSite): Promise<void> {
    const { captured } = this.#parts.state(located);
    if (captured) await this.#parts.judgeCaptured(openRuns(captured));
  }

  /** Shows the run that the figures are from; evaluates first if there are none. */
  async compare(located: LocatedSite): Promise<void> {
    const { figures } = this.#parts.evaluations.state(located);
    if (!figures) await this.evaluate(located);
    const shown = this.#parts.evaluations.state(located).figures;
    if (shown) await this.#parts.showComparison(shown.comparison);
  }

  /**
   * Previews the edit of a what-if if the edit is unambiguous, else shows the comparison. Changes nothing until the
   * user asks for it.
   *
   * @param wanted name of the what-if; defaults to the best one
   */
  async previewWhatIf(located: LocatedSite, wanted: string | undefined): Promise<void> {
    const { figures, planned } = this.#parts.evaluations.state(located);
    const name = wanted ?? (figures && bestWhatIf(figures)?.name);
    const whatIf = isPlanned(planned) ? planned.whatIfs.find((tried) => tried.name === name) : undefined;
    const edits = whatIf && whatIfEdit(located.document.getText(), located.site, whatIf);
    if (!edits || !whatIf) return this.compare(located);
    const title = vscode.l10n.t('{0}: {1} (preview, nothing is changed)', located.file, whatIf.name);
    const { preview } = this.#parts;
    const shown = await preview.show(located.document, edits, title);
    const apply = vscode.l10n.t('Apply');
    const message = vscode.l10n.t('{0}: the preview shows the edit of your code.', whatIf.name);
    const lost = lostByMmr(located.document.getText(), located.site);
    // Not awaited, because the preview stays open with the question.
    void vscode.window
      .showInformationMessage(withoutLinks(lost === undefined ? message : `${message} ${lost}`), apply)
      .then((chosen) => (chosen === apply ? preview.apply(shown) : undefined));
  }

  /** Lists all details, readable by screen readers. */
  async showMetrics(located: LocatedSite): Promise<void> {
    const { state: stateOf, metrics } = this.#parts;
    const state = stateOf(located);
    const actions = listedTexts(state, metrics()).map(({ title, tooltip, action }) => ({
      label: withoutIcons(title),
      description: tooltip,
      command: ACTION_COMMANDS[action],
    }));
    const listed = new Set(actions.flatMap(({ label, description }) => [label, description]));
    const details = detailLines(located.site, state)
      .filter((line) => !listed.has(line))
      .map((label) => ({ label, command: undefined }));
    const isMeasured = isPlanned(state.planned) && state.planned.origin === 'measured';
    const measure = isMeasured ? [] : [{ ...measureItem(), command: COMMANDS.measureSite }];
    const chosen = await vscode.window.showQuickPick<{ label: string; command: string | undefined }>(
      [...actions, ...measure, ...details],
      { title: vscode.l10n.t('Metrics of {0}', located.site.callee), matchOnDescription: true },
    );
    if (chosen?.command !== undefined)
      await vscode.commands.executeCommand(chosen.command, targetOf(located));
  }

  async setK(located: LocatedSite): Promise<void> {
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('k of {0}', located.site.callee),
      prompt: vscode.l10n.t(
        'How many passages this call returns. It is written as a comment above the call.',
      ),
      value: String(kOrDefault(located.site) ?? 5),
      validateInput: (value) =>
        /^[1-9]\d{0,3}$/u.test(value) ? undefined : vscode.l10n.t('A whole number from 1 to 9999.'),
    });
    if (typed !== undefined) await this.#say(located, { k: Number(typed) });
  }

  /** Measures the retriever that the call runs, and binds the call to it once its program answers. */
  async measure(located: LocatedSite): Promise<void> {
    const retriever = await measuredRetriever(located, this.#parts.measuring);
    if (retriever === undefined) return;
    const target = targetOf(located);
    await this.#say(await this.find(target), { retriever });
    await this.evaluate(await this.find(target));
  }

  /** Opens what is needed before there can be figures. If nothing is missing, offers another pipeline. */
  async remedy(located: LocatedSite): Promise<void> {
    const { planned } = this.#parts.evaluations.state(located);
    if (!isPlanned(planned) && planned.reason === 'untrusted')
      return void (await vscode.commands.executeCommand('workbench.trust.manage'));
    if (!isPlanned(planned) && planned.reason === 'no-eval-set')
      return void (await vscode.commands.executeCommand(COMMANDS.ask));
    if (!isPlanned(planned) && CONFIG_REMEDIES.includes(planned.reason))
      return void (await vscode.commands.executeCommand(COMMANDS.openConfig));
    await this.#bind(located, this.#parts.evaluations.state(located));
  }

  async #bind(located: LocatedSite, { planned }: SiteState): Promise<void> {
    const mark = located.document.languageId === 'python' ? '#' : '//';
    const items = Object.entries(this.#parts.config().pipelines)
      .map(([name, pipeline]) => ({
        name,
        measured: isExternal(pipeline.retriever),
        label: name,
        description: pipelineLabel({ ...pipeline, name: undefined }),
      }))
      .toSorted((a, b) => Number(b.measured) - Number(a.measured))
      .map((item) => ({
        ...item,
        detail: vscode.l10n.t(
          '{0}; writes: {1}',
          item.measured
            ? vscode.l10n.t('measured on your own retriever')
            : vscode.l10n.t("rebuilt on Parallax's index"),
          `${mark} parallax: retriever=${item.name}`,
        ),
        picked: isPlanned(planned) && planned.boundTo === item.name,
      }));
    const captured = {
      name: CAPTURED,
      label: CAPTURED,
      description: vscode.l10n.t('what the running program retrieves'),
      detail: vscode.l10n.t(
        'measured on your own retriever; writes: {0}',
        `${mark} parallax: retriever=${CAPTURED}`,
      ),
      picked: !isPlanned(planned) && planned.reason === 'captured',
    };
    const measured = { ...measureItem(), name: undefined };
    const isTaken = items.some(({ name }) => name === CAPTURED);
    const choices: readonly (vscode.QuickPickItem & { readonly name: string | undefined })[] = [
      measured,
      ...items,
      ...(isTaken ? [] : [captured]),
    ];
    const chosen = await vscode.window.showQuickPick(choices, {
      title: vscode.l10n.t('Bind {0} to a Pipeline', located.site.callee),
      placeHolder: vscode.l10n.t('The comment is written above the call; undo takes it back.'),
    });
    if (chosen === measured) await this.measure(located);
    else if (chosen) await this.#say(located, { retriever: chosen.name });
  }

  async #say({ document, site }: LocatedSite, fields: CommentFields): Promise<void> {
    const { place, text } = commentEdit(document.getText(), site, document.languageId, fields);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, rangeOf(document, place), text);
    if (!(await vscode.workspace.applyEdit(edit)))
      throw new ParallaxError(
        'bad-file',
        vscode.l10n.t('The comment could not be written. Is the file read-only?'),
      );
  }

  async #byKey(uri: string, key: string): Promise<LocatedSite | undefined> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    return (await this.#parts.documents.sites(document)).find((located) => located.key === key);
  }

  /** The call whose name, line or statement contains the cursor, or a use of the call. */
  async #atCursor(): Promise<LocatedSite | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const { document } = editor;
    const at = document.offsetAt(editor.selection.active);
    const line = editor.selection.active.line;
    const sites = await this.#parts.documents.sites(document);
    const holds = ({ start, end }: { start: number; end: number }): boolean => start <= at && at <= end;
    return (
      sites.find(({ site }) => holds(site.range)) ??
      sites.find(({ site }) => document.positionAt(site.range.start).line === line) ??
      sites.find(({ site }) => holds(site.statement) || site.uses.some(holds))
    );
  }
}

/** The call's k, or the default that the program uses if k is not set. */
function kOrDefault({ k }: LocatedSite['site']): number | undefined {
  return k.value ?? ('otherwise' in k ? k.otherwise : undefined);
}

/** Shows the progress in a notification that can cancel it. */
async function withProgress(
  { site }: LocatedSite,
  work: (options: RequestOptions) => Promise<unknown>,
): Promise<void> {
  const title = withoutLinks(vscode.l10n.t('Parallax: evaluating {0}', site.callee));
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    await work({
      signal: controller.signal,
      onNote: (note) => {
        if (note.type === 'progress') progress.report({ message: withoutLinks(note.progress.detail ?? '') });
      },
    });
  });
}

function measureItem(): { readonly label: string; readonly description: string } {
  return {
    label: vscode.l10n.t('Measure my retriever…'),
    description: vscode.l10n.t('writes a few lines that serve it, and starts them when you agree'),
  };
}
