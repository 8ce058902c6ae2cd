/** A person's word on a draft, as a change of its line and of nothing else. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { setMembers, type TextEdit } from '../formats/json-edit.ts';
import { parseDraft, type Review } from './draft.ts';

export interface DraftReview {
  readonly review: Exclude<Review, 'filtered'>;
  /** Why it is rejected. */
  readonly because?: string | undefined;
}

/**
 * @param line of a drafts file, without its line end
 * @returns a change in offsets of the line; all other fields stay as they are to the last character
 * @throws ParallaxError `bad-argument` when the line holds no draft, or none that could be accepted
 */
export function reviewEdit(line: string, { review, because }: DraftReview): TextEdit {
  const draft = parseDraft(line);
  if (typeof draft === 'string')
    throw new ParallaxError('bad-argument', l10n.t`This line holds no draft: ${draft}.`);
  if (review === 'accepted' && draft.perspectives.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t('This draft has no perspectives. Write some before you accept it.'),
    );
  return setMembers(line, line.indexOf('{'), { review, because });
}
