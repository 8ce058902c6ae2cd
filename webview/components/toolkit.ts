/**
 * The only module that uses the control library (`@vscode/webview-ui-toolkit`, archived upstream).
 *
 * Other modules request controls by function, so that the library can be replaced here. Accessible names are set in the
 * way that each control passes them to the element inside its shadow root.
 */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeTextArea,
  vsCodeTextField,
} from '@vscode/webview-ui-toolkit';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { ifDefined } from 'lit/directives/if-defined.js';
import { keyed } from 'lit/directives/keyed.js';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { cut } from './cut.ts';
import { codicon, type Codicon } from './icon.ts';

/** Defines the custom elements. Call it once, before the first render. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodeTextArea(),
    vsCodeTextField(),
  );
}

export interface ButtonOptions {
  readonly label: string;
  readonly onClick: () => void;
  readonly primary?: boolean;
  readonly icon?: Codicon;
  readonly disabled?: boolean;
  readonly testId?: string;
}

/** A button with text. At most one per view is `primary`. */
export function button(options: ButtonOptions): TemplateResult {
  const { label, onClick, primary = false, icon, disabled = false, testId } = options;
  return html`<vscode-button
    appearance=${primary ? 'primary' : 'secondary'}
    ?disabled=${disabled}
    data-testid=${ifDefined(testId)}
    @click=${onClick}
    >${icon ? codicon(icon, 'start') : nothing}${label}</vscode-button
  >`;
}

/** A button with only an icon; `label` is its name and its tooltip. */
export function iconButton(options: ButtonOptions & { readonly icon: Codicon }): TemplateResult {
  const { label, onClick, icon, disabled = false, testId } = options;
  return html`<vscode-button
    appearance="icon"
    aria-label=${label}
    title=${label}
    ?disabled=${disabled}
    data-testid=${ifDefined(testId)}
    @click=${onClick}
    >${codicon(icon)}</vscode-button
  >`;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** A shorter text while the list is closed. */
  readonly short?: string;
}

export interface DropdownOptions {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  /** An entry below the choices that does not change the choice. */
  readonly action?: { readonly label: string; readonly onClick: () => void };
  readonly testId?: string;
  /** Takes a whole line in a narrow panel. */
  readonly wide?: boolean;
}

/** The value of an action; no name begins like this. */
const ACTION = '\u2063action';

/**
 * A labelled list of choices. The element is recreated when the choices change, because it would keep the selection of
 * replaced options.
 */
export function dropdown(options: DropdownOptions): TemplateResult {
  const { label, value, choices, onChange, action, testId, wide = false } = options;
  const changed = (event: Event): void => {
    const list = event.currentTarget as HTMLInputElement;
    if (list.value !== ACTION) return onChange(list.value);
    list.value = value;
    action?.onClick();
  };
  const chosen = choices.find((choice) => choice.value === value);
  const shown = chosen?.short ?? chosen?.label ?? '';
  const identity = choices
    .map((choice) => `${choice.value}\n${choice.label}\n${choice.short ?? ''}`)
    .join('\n\n');
  const element = html`<vscode-dropdown
    aria-label=${label}
    title=${chosen?.label ?? ''}
    .value=${live(value)}
    data-testid=${ifDefined(testId)}
    @change=${changed}
    ><span slot="selected-value">${cut(shown)}</span>${repeat(
      choices,
      (choice) => choice.value,
      (choice) => html`<vscode-option value=${choice.value}>${choice.label}</vscode-option>`,
    )}${
      action === undefined
        ? nothing
        : html`<vscode-option class="action" value=${ACTION}>${action.label}</vscode-option>`
    }</vscode-dropdown
  >`;
  return html`<div class=${wide ? 'field wide' : 'field'}>
    <span class="field-label" aria-hidden="true">${label}</span>${keyed(identity, element)}
  </div>`;
}

export interface NumberFieldOptions {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Called only with whole numbers in range. */
  readonly onChange: (value: number) => void;
  readonly testId?: string;
}

/** A field for a whole number; other input is reverted when the field loses focus. */
export function numberField({
  label,
  value,
  min,
  max,
  onChange,
  testId,
}: NumberFieldOptions): TemplateResult {
  const changed = (event: Event): void => {
    const field = event.currentTarget as HTMLInputElement;
    const typed = Number(field.value);
    const valid = field.value.trim() !== '' && Number.isInteger(typed) && typed >= min && typed <= max;
    if (valid && typed !== value) onChange(typed);
    if (!valid) field.value = String(value);
  };
  return html`<vscode-text-field
    class="field"
    title=${`${label}: ${min}–${max}`}
    .value=${live(String(value))}
    data-testid=${ifDefined(testId)}
    @change=${changed}
    >${label}</vscode-text-field
  >`;
}

export interface TextFieldOptions {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
  readonly testId?: string;
}

/** A labelled line of text. */
export function textField({ label, value, placeholder, onInput, testId }: TextFieldOptions): TemplateResult {
  return html`<vscode-text-field
    class="field"
    placeholder=${placeholder}
    .value=${live(value)}
    data-testid=${ifDefined(testId)}
    @input=${(event: Event) => onInput((event.currentTarget as HTMLInputElement).value)}
    >${label}</vscode-text-field
  >`;
}

export interface TextAreaOptions extends TextFieldOptions {
  readonly onKeydown: (event: KeyboardEvent) => void;
  readonly onPaste?: (event: ClipboardEvent) => void;
}

/** A text box that grows with its text. Its label is for screen readers only. */
export function textArea(options: TextAreaOptions): TemplateResult {
  const { label, value, placeholder, onInput, onKeydown, onPaste, testId } = options;
  return html`<vscode-text-area
    class="unlabelled"
    rows="1"
    placeholder=${placeholder}
    .value=${live(value)}
    data-testid=${ifDefined(testId)}
    @input=${(event: Event) => onInput((event.currentTarget as HTMLTextAreaElement).value)}
    @keydown=${onKeydown}
    @paste=${(event: ClipboardEvent) => onPaste?.(event)}
    >${label}</vscode-text-area
  >`;
}
