/** Texts that are cut in the middle if there is no room, because both their beginning and their end identify them. */
import { html, type TemplateResult } from 'lit/html.js';

/** The length of the end that is never cut, in characters. */
const KEPT = 16;
/** A shorter beginning identifies nothing. */
const LEAST_START = 4;

/**
 * @param text a path or the name of a model
 * @param suffix kept with its end, such as line numbers
 */
export function cut(text: string, suffix = ''): TemplateResult {
  const [start, end] = parted(text);
  return html`<span class="cut"
    ><bdi class="cut-start" dir="ltr">${start}</bdi><bdi class="cut-end" dir="ltr">${end}${suffix}</bdi></span
  >`;
}

/** The part that may be cut, and the end, which begins at a slash if one is near. */
export function parted(text: string): readonly [start: string, end: string] {
  const characters = [...text];
  if (characters.length < KEPT + LEAST_START) return ['', text];
  const slash = characters.lastIndexOf('/');
  const at = slash > 0 && characters.length - slash <= KEPT ? slash : characters.length - KEPT;
  return [characters.slice(0, at).join(''), characters.slice(at).join('')];
}
