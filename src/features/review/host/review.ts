/** The review in the editor: view, texts and commands around the controller. */
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import {
  COMMANDS,
  CONTEXT_KEYS,
  REVIEW_SCHEME,
  type CommandId,
} from '../../../shared/manifest/contributions.ts';
import type { Verdict } from '../../../core/model.ts';
import type { ReviewState } from '../contract/panel.ts';
import type { ReviewAdded, ReviewQueueView } from '../contract/review.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { on, setContext, type CommandHandler } from '../../../extension/platform/contributed.ts';
import type { Memory } from '../../../extension/platform/memory.ts';
import { agreementText } from './agreement-text.ts';
import { askForCount } from '../../../extension/platform/dialogs.ts';
import { ReviewController } from './review-controller.ts';
import { ReviewPanel } from './review-panel.ts';
import { childrenOf, entriesOf, groupsOf, parentOf, reviewNode, type ReviewNode } from './review-groups.ts';
import type { ReviewContent, ReviewSurface } from './review-surface.ts';
import { treeItem } from './review-tree.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';
import type { QuestionPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';

export interface ReviewParts {
  readonly engine: EngineClient;
  readonly surface: ReviewSurface;
  readonly memory: Memory;
  readonly services: Pick<Services, 'context' | 'log'>;
  readonly userName: () => string;
  /** The corpus in view, and the questions asked of it. */
  readonly asked: () => QuestionPanel['asked'];
  /** The answer of the side panel as a request to a judge. `undefined` if there is no answer. */
  readonly judgingTask: () => Params<'judge'> | undefined;
  /** Id of the comparison that is shown. */
  readonly comparison: () => string | undefined;
  /** Labels were added, so figures that depend on them are out of date. */
  readonly onLabelled: () => void;
  readonly log: (message: string) => void;
}

/** Judgements arrive in bursts. */
const SETTLE_MS = 300;

const AGREEMENT_URI = vscode.Uri.from({ scheme: REVIEW_SCHEME, path: '/Agreement.md' });

export class Review implements ReviewContent, vscode.Disposable {
  readonly #parts: ReviewParts;
  readonly #controller: ReviewController;
  readonly #panel: ReviewPanel;
  #roots: ReturnType<typeof groupsOf> = [];
  /** Whether the queue has been read. If not, opening the view reads it. */
  #known = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ReviewParts) {
    this.#parts = parts;
    this.#panel = new ReviewPanel(parts.services, () => this.#controller.end());
    this.#controller = new ReviewController({
      engine: parts.engine,
      userName: parts.userName,
      actions: {
        publish: (queue) => this.#publish(queue),
        show: async (item, progress, takeFocus) => {
          await this.#panel.show(item, { ...progress, waiting: 0 }, takeFocus);
          await this.#select(item.entry.id);
        },
        showEnd: (progress, waiting, takeFocus) =>
          this.#panel.show(undefined, { ...progress, left: 0, waiting }, takeFocus),
        labelled: parts.onLabelled,
        warn: (message) => void vscode.window.showWarningMessage(withoutLinks(message)),
      },
    });
  }

  readonly handlers = {
    [COMMANDS.reviewNext]: () => this.#controller.next(),
    [COMMANDS.reviewOpen]: on(reviewNode, (node) => this.#open(node)),
    [COMMANDS.reviewYes]: () => this.#answer('yes'),
    [COMMANDS.reviewNo]: () => this.#answer('no'),
    [COMMANDS.reviewUnsure]: () => this.#answer('unsure'),
    [COMMANDS.reviewSkip]: () => this.#controller.skip(),
    [COMMANDS.reviewUndo]: () => this.#controller.undo(),
    [COMMANDS.reviewNote]: () => this.#note(),
    [COMMANDS.reviewRemove]: on(reviewNode, (node) => this.#remove(node)),
    [COMMANDS.reviewFind]: () => this.#find(),
    [COMMANDS.reviewSample]: () => this.#sample(),
    [COMMANDS.reviewAttention]: () => this.#attention(),
    [COMMANDS.reviewUnjudged]: () => this.#unjudged(),
    [COMMANDS.reviewUnjudgedCompared]: () => this.#unjudgedCompared(),
    [COMMANDS.reviewNarrow]: () => this.#narrow(),
    [COMMANDS.showAgreement]: () => this.#showAgreement(),
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  get panel(): ReviewPanel['panel'] {
    return this.#panel.panel;
  }

  /** The pair in view, or the end of the review. */
  get shown(): ReviewState {
    return this.#panel.state;
  }

  async children(node: ReviewNode | undefined): Promise<readonly ReviewNode[]> {
    if (node) return childrenOf(node);
    if (!this.#known) await this.#refresh();
    return this.#roots;
  }

  parent(node: ReviewNode): ReviewNode | undefined {
    return parentOf(this.#roots, node);
  }

  item(node: ReviewNode): vscode.TreeItem {
    return treeItem(node);
  }

  async text(uri: vscode.Uri): Promise<string> {
    if (uri.path !== AGREEMENT_URI.path) return '';
    return agreementText(await this.#parts.engine.request('labelAgreement', {}));
  }

  /** All pairs in view, as text. */
  async list(): Promise<string[]> {
    await this.#refresh();
    return this.#pairs().map((node) => treeItem(node).accessibilityInformation?.label ?? '');
  }

  /** Judgements or labels changed. Does not start the engine. */
  changed(): void {
    if (this.#parts.engine.state !== 'running') return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), SETTLE_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  async #refresh(): Promise<void> {
    try {
      await this.#controller.refresh();
    } catch (error) {
      this.#parts.log(`The review queue could not be read: ${messageOf(error)}`);
    }
  }

  #publish({ entries, open, waiting }: ReviewQueueView): void {
    const { surface } = this.#parts;
    this.#known = true;
    this.#roots = groupsOf(entries);
    surface.tree.description = [
      ...(open === 0 ? [] : [vscode.l10n.t('{0} to review', open)]),
      ...(waiting === 0 ? [] : [vscode.l10n.t('{0} wait for others', waiting)]),
    ].join(', ');
    // The view stays open while its last pair is answered; a new window starts without it.
    if (entries.length > 0) void setContext(CONTEXT_KEYS.anyReview, true);
    this.#parts.memory.set(CONTEXT_KEYS.anyReview, entries.length > 0);
    surface.refreshTree();
  }

  /** Selects the pair in view if the list is visible. */
  async #select(id: string): Promise<void> {
    const { tree } = this.#parts.surface;
    const node = this.#pairs().find(({ entry }) => entry.id === id);
    if (node && tree.visible) await tree.reveal(node, { select: true, focus: false });
  }

  #pairs(): Extract<ReviewNode, { kind: 'pair' }>[] {
    return this.#roots.flatMap(({ queries }) => queries.flatMap(({ pairs }) => pairs));
  }

  async #open(node: ReviewNode | undefined): Promise<void> {
    const [first] = node ? entriesOf(node) : [];
    if (first) await this.#controller.open(first.id);
    else await this.#controller.next();
  }

  async #answer(verdict: Verdict): Promise<void> {
    if (this.#controller.isReviewing) await this.#controller.answer(verdict);
    else await this.#controller.next();
  }

  async #note(): Promise<void> {
    const value = this.#controller.noted ?? '';
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t('Note'),
      prompt: vscode.l10n.t('Kept with your answer to the pair in view.'),
      value,
    });
    if (text !== undefined) await this.#controller.note(text.trim() === '' ? undefined : text.trim());
  }

  async #remove(node: ReviewNode | undefined): Promise<void> {
    const current = this.#controller.current?.entry.id;
    const ids = node ? entriesOf(node).map(({ id }) => id) : current === undefined ? [] : [current];
    if (ids.length > 0) await this.#controller.remove(ids);
  }

  async #find(): Promise<void> {
    const { corpus, queries } = this.#parts.asked();
    await this.#add(
      { from: 'memory', corpus, queries },
      vscode.l10n.t('Judges agree with each other and with people, and left no pair to you.'),
    );
  }

  async #sample(): Promise<void> {
    const { corpus, judge, queries } = this.#parts.asked();
    const count = await askForCount(vscode.l10n.t('How many judged pairs, at random?'), 20, 1000);
    const people = count === undefined ? undefined : await askForPeople();
    if (count === undefined || people === undefined) return;
    const seed = this.#seed();
    await this.#add(
      { from: 'sample', corpus, judge, queries, count, people, seed },
      vscode.l10n.t('{0} has not judged anything here that people have not labelled.', judge),
    );
  }

  async #attention(): Promise<void> {
    const { corpus, queries } = this.#parts.asked();
    const count = await askForCount(vscode.l10n.t('How many pairs with a known answer?'), 5, 100);
    if (count === undefined) return;
    const by = this.#parts.userName();
    await this.#add(
      { from: 'attention', corpus, queries, count, by, seed: this.#seed() },
      vscode.l10n.t('Attention checks use pairs that people have labelled, and there are none yet.'),
    );
  }

  async #unjudged(): Promise<void> {
    const judgingTask = this.#parts.judgingTask();
    if (!judgingTask)
      throw new ParallaxError(
        'bad-argument',
        vscode.l10n.t('Ask a question with perspectives in the Parallax view first.'),
      );
    await this.#add({ from: 'query', ...judgingTask }, vscode.l10n.t('Every pair in the top k is judged.'));
  }

  async #unjudgedCompared(): Promise<void> {
    const id = this.#parts.comparison();
    if (id === undefined) throw new ParallaxError('bad-argument', vscode.l10n.t('Run a comparison first.'));
    await this.#add({ from: 'comparison', id }, vscode.l10n.t('Every pair in the top k is judged.'));
  }

  async #narrow(): Promise<void> {
    const id = this.#parts.comparison();
    if (id === undefined) throw new ParallaxError('bad-argument', vscode.l10n.t('Run a comparison first.'));
    const title = vscode.l10n.t('How many questions of each data set, at random?');
    const count = await askForCount(title, 20, 1000);
    if (count === undefined) return;
    await this.#add(
      { from: 'narrowing', id, count, seed: this.#seed() },
      vscode.l10n.t('People have labelled all that the figures of this comparison depend on.'),
    );
  }

  /** @param nothing message if no pair matches */
  async #add(params: Params<'reviewAdd'>, nothing: string): Promise<void> {
    const added = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Looking for pairs to review') },
      () => this.#parts.engine.request('reviewAdd', params),
    );
    await this.#refresh();
    if (added.found === 0) return void vscode.window.showInformationMessage(withoutLinks(nothing));
    const review = vscode.l10n.t('Review');
    const answer = await vscode.window.showInformationMessage(withoutLinks(outcome(added)), review);
    if (answer === review) await this.#controller.next();
  }

  /** Logged, so that a sample can be reproduced. */
  #seed(): number {
    const seed = Date.now() % 2 ** 31;
    this.#parts.log(`The random seed of what is put up for review is ${seed}.`);
    return seed;
  }

  async #showAgreement(): Promise<void> {
    this.#parts.surface.refreshText(AGREEMENT_URI);
    await vscode.commands.executeCommand('markdown.showPreview', AGREEMENT_URI);
  }
}

/** The number of people who answer each pair. `undefined` if the user cancels. */
async function askForPeople(): Promise<number | undefined> {
  const choices = [
    { label: vscode.l10n.t('One person'), people: 1 },
    { label: vscode.l10n.t('Two people'), people: 2 },
    { label: vscode.l10n.t('Three people; the majority decides'), people: 3 },
  ];
  const title = vscode.l10n.t('How many people should answer each pair?');
  return (await vscode.window.showQuickPick(choices, { title }))?.people;
}

function outcome({ found, added, leftOut }: ReviewAdded): string {
  const known = found - added - leftOut;
  return [
    counted(vscode.l10n.t('{0} [0:pair was|pairs were] added.'), added),
    ...(known > 0 ? [vscode.l10n.t('{0} were in the queue already.', known)] : []),
    ...(leftOut > 0 ? [vscode.l10n.t('The queue is full: {0} were left out.', leftOut)] : []),
  ].join(' ');
}
