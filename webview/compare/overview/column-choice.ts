/** The shown columns of the overview. By default those that fit beside a side bar; the user can choose others. */
import { html, type TemplateResult } from 'lit/html.js';
import { definitionNamed } from '../../../src/core/metrics/measures.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import { popover } from '../../components/popover.ts';
import type { ComparedContext, Draft } from '../draft.ts';
import { columnsOf, type Column } from './overview-columns.ts';
import { overviewWords } from './strings.ts';

/** The numbers of measures shown by default: measures of support, and measures that depend only on the passages. */
const AT_FIRST = { support: 3, passages: 1 };

/** The name column and the chosen columns. */
export function shownColumns({
  comparison,
  draft,
}: Pick<ComparedContext, 'comparison' | 'draft'>): readonly Column[] {
  const [name, ...otherColumns] = columnsOf(comparison);
  return [name!, ...otherColumns.filter(({ key }) => isShown(comparison, draft, key))];
}

/** A button that opens a list of all columns with check boxes. */
export function columnChoice(context: ComparedContext): TemplateResult {
  const { comparison, draft, actions } = context;
  const [, ...columns] = columnsOf(comparison);
  const shown = columns.filter(({ key }) => isShown(comparison, draft, key));
  return popover({
    text: overviewWords.columns(shown.length, columns.length),
    open: draft.popover === 'columns',
    testId: 'column-choice',
    onToggle: (open) => actions.edit({ popover: open ? 'columns' : undefined }),
    content: () => html`${columns.map((column) => columnTick(context, column))}`,
  });
}

function columnTick(
  { comparison, draft, actions }: ComparedContext,
  { key, label, definition }: Column,
): TemplateResult {
  const choose = (event: Event): void => {
    const { checked } = event.currentTarget as HTMLInputElement;
    actions.edit({ columns: { ...draft.columns, [choiceKey(key)]: checked } });
  };
  return html`<label class="check-field" title=${definition}
    ><input
      type="checkbox"
      data-testid="column-${key}"
      .checked=${isShown(comparison, draft, key)}
      @change=${choose}
    />${label}</label
  >`;
}

function isShown({ measures }: Evaluation, { columns }: Pick<Draft, 'columns'>, key: string): boolean {
  const chosen = columns[choiceKey(key)];
  if (chosen !== undefined) return chosen;
  const needs = definitionNamed(key)?.needs;
  if (needs === undefined) return key !== 'set-size';
  const isLikeness = needs === 'passages';
  const kin = measures.filter((name) => (definitionNamed(name)?.needs === 'passages') === isLikeness);
  return kin.indexOf(key) < (isLikeness ? AT_FIRST.passages : AT_FIRST.support);
}

/** A choice applies to every k. */
const choiceKey = (key: string): string => key.replace(/@\d+$/u, '');
