/** The side panel: what it renders, what it stores, and how it handles messages. */
import type {
  FromInspectorInput,
  InspectorState,
  TaskView,
  ToInspector,
} from '../../src/features/inspector/contract/panel.ts';
import { announced } from '../components/announcement.ts';
import type { Panel } from '../components/panel.ts';
import { isRunning, keep, PAGE, restore, type Draft } from './draft.ts';
import { onlyChange, pairAt } from './labelling.ts';
import { focusMissing, showExplanation } from './missing/missing.ts';
import { focusQuery } from './query-box.ts';
import { strings } from './strings.ts';
import { view } from './view.ts';

export const INSPECTOR: Panel<InspectorState, Draft, FromInspectorInput, ToInspector> = {
  view,
  keep,
  restore,
  settled,
  onOther: (message, actions) => {
    if (message.type === 'focus-missing') return focusMissing();
    if (message.type === 'show-explanation') return showExplanation();
    if (message.type !== 'focus-query') return;
    const { query } = message;
    if (query !== undefined) actions.edit({ query, suggestionsOpen: false, historyAt: -1 });
    focusQuery();
  },
};

function settled(draft: Draft, previous: InspectorState | undefined, next: InspectorState): Partial<Draft> {
  const isCurrent = draft.query?.trim() === next.query;
  const answered = answerKey(previous) !== answerKey(next) || ended('judge', previous, next);
  const started = next.tasks.find(
    ({ kind }) => kind !== 'search' && !previous?.tasks.some((task) => task.kind === kind),
  );
  const proposed = ended('stances', previous, next) && !next.error ? proposals(next) : undefined;
  const news =
    next.results && answered
      ? answer(next)
      : (started?.title ??
        proposed ??
        indexed(previous, next) ??
        labelled(draft, previous, next) ??
        over(draft, previous, next));
  return {
    ...(isCurrent ? { query: undefined, historyAt: -1 } : {}),
    ...(proposed === undefined ? {} : { moreOpen: true }),
    ...(answerKey(previous) === answerKey(next)
      ? {}
      : { shown: PAGE, cell: { row: 0, column: 0 }, labelling: false }),
    ...(previous && news ? { announcement: announced(draft.announcement, news) } : {}),
  };
}

/** Announces the end of work whose beginning was announced last, so that it does not seem to continue. */
function over(
  { announcement }: Draft,
  previous: InspectorState | undefined,
  next: InspectorState,
): string | undefined {
  const ran = previous?.tasks.find(({ title }) => title === announcement.text);
  return ran && ended(ran.kind, previous, next) ? strings.taskEnded(ran.title) : undefined;
}

/** The size of the index, after it has been updated. */
function indexed(previous: InspectorState | undefined, next: InspectorState): string | undefined {
  const { corpus } = next;
  if (corpus.state !== 'indexed' || next.error || !ended('index', previous, next)) return undefined;
  return `${corpus.name}: ${strings.corpusSize(corpus)}`;
}

/** Identifies an answer. Later verdicts do not change it. */
function answerKey(state: InspectorState | undefined): string | undefined {
  if (!state?.results) return undefined;
  const { items, milliseconds } = state.results;
  return JSON.stringify([state.query, milliseconds, items.map(({ passageId }) => passageId)]);
}

function ended(kind: TaskView['kind'], previous: InspectorState | undefined, next: InspectorState): boolean {
  return previous !== undefined && isRunning(previous, kind) && !isRunning(next, kind);
}

/** Announces the effect of a verdict from any source. Verdicts of a running judge are announced when it ends. */
function labelled(
  draft: Draft,
  previous: InspectorState | undefined,
  next: InspectorState,
): string | undefined {
  const { results, perspectives } = next;
  if (!previous?.results || !results || isRunning(next, 'judge')) return undefined;
  if (isSame(previous.results.metrics, results.metrics)) return undefined;
  const change = onlyChange(previous, next);
  const follows = draft.labelling ? nextPair(draft, next) : undefined;
  return [
    change && strings.labelled(change.letter, change.rank, strings.verdict(change.verdict)),
    strings.judgedSoFar(results.metrics, perspectives.length),
    follows && strings.labelNext(follows.perspective.letter, follows.item.rank),
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The pair to label now, while one is left. */
function nextPair({ cell }: Draft, state: InspectorState): ReturnType<typeof pairAt> {
  const { judgedPairs = 0, pairs = 0 } = state.results?.metrics ?? {};
  return judgedPairs < pairs ? pairAt(state, cell) : undefined;
}

function proposals({ perspectives }: InspectorState): string {
  return strings.stancesProposed(perspectives.filter(({ proposal }) => proposal).length);
}

function answer({ results, perspectives }: InspectorState): string {
  return results ? strings.answered(results.items.length, results.metrics, perspectives.length) : '';
}
