/** The form that edits the texts of a draft. */
import { html, type TemplateResult } from 'lit/html.js';
import { button, iconButton, textArea } from '../components/toolkit.ts';
import type { CurrentContext, Edited } from './draft.ts';
import { strings } from './strings.ts';

export function startEditing({ current, actions }: CurrentContext): void {
  const { id, text, perspectives } = current;
  actions.edit({
    edited: { id, text, perspectives: perspectives.map((each) => ({ id: each.id, text: each.text })) },
  });
  focusField('question');
}

export function form(context: CurrentContext, edited: Edited): TemplateResult {
  const { actions } = context;
  const { text, perspectives } = edited;
  const change = (changed: Partial<Edited>): void => actions.edit({ edited: { ...edited, ...changed } });
  return html`<div class="draft-form" data-testid="draft-form">
    ${field(context, edited, strings.question(), 'question', text, (value) => change({ text: value }))}
    <ol>
      ${perspectives.map(
        (perspective, place) =>
          html`<li>
            ${field(
              context,
              edited,
              strings.perspective(place + 1),
              `words-${place}`,
              perspective.text,
              (value) => change({ perspectives: perspectives.with(place, { ...perspective, text: value }) }),
            )}
            ${iconButton({
              label: strings.removePerspective(place + 1),
              icon: 'trash',
              testId: `remove-words-${place}`,
              onClick: () => change({ perspectives: perspectives.toSpliced(place, 1) }),
            })}
          </li>`,
      )}
    </ol>
    <div class="buttons">
      ${button({ label: strings.save(), primary: true, testId: 'save-draft', onClick: () => save(context, edited) })}
      ${button({ label: strings.cancel(), testId: 'cancel-draft', onClick: () => leave(context) })}
      ${button({
        label: strings.addPerspective(),
        icon: 'add',
        testId: 'add-words',
        onClick: () => {
          change({ perspectives: [...perspectives, { text: '' }] });
          focusField(`words-${perspectives.length}`);
        },
      })}
    </div>
  </div>`;
}

/** Enter saves, because the fields have one line; Escape discards the changes. */
function field(
  context: CurrentContext,
  edited: Edited,
  label: string,
  testId: string,
  value: string,
  onInput: (value: string) => void,
): TemplateResult {
  const onKeydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.shiftKey) return;
    if (event.key === 'Escape') leave(context);
    if (event.key !== 'Enter') return;
    event.preventDefault();
    save(context, edited);
  };
  return textArea({ label, value, placeholder: label, testId, onInput, onKeydown });
}

function save({ actions }: CurrentContext, edited: Edited): void {
  actions.send({ type: 'reword', ...edited });
  actions.edit({ edited: undefined });
}

function leave({ actions }: CurrentContext): void {
  actions.edit({ edited: undefined });
}

/** Focuses a field that the last change may have created. */
function focusField(testId: string): void {
  document.querySelector<HTMLElement>(`[data-testid="${testId}"]`)?.focus();
}
