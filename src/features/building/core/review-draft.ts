/** A person's review of a draft, as an edit of its line. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { setMembers, type TextEdit } from '../../../core/formats/json-edit.ts';
import { parseDraft, type Draft, type Review } from './draft.ts';

export interface DraftReview {
  readonly review: Exclude<Review, 'filtered'>;
  /** The reason for a rejection. */
  readonly because?: string | undefined;
}

/** @param because the reason as typed; a blank one is left out */
export function rejection(because: string): DraftReview {
  const reason = because.trim();
  return reason === '' ? { review: 'rejected' } : { review: 'rejected', because: reason };
}

/**
 * @param line of a drafts file, without its line end
 * @returns an edit in offsets of the line; all other fields stay unchanged
 * @throws ParallaxError `bad-argument` if the line is not a draft, or one that cannot be accepted
 */
export function reviewEdit(line: string, { review, because }: DraftReview): TextEdit {
  const draft = draftOf(line);
  if (review === 'accepted' && draft.perspectives.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t('This draft has no perspectives. Write some before you accept it.'),
    );
  return setMembers(line, line.indexOf('{'), { review, because });
}

export interface Rewording {
  readonly text: string;
  /** Missing perspectives are removed; those without an id are new. */
  readonly perspectives: readonly { readonly id?: string | undefined; readonly text: string }[];
}

/**
 * Rewords a draft. Reworded perspectives keep their id, their other fields, and their place in the passages.
 *
 * @param line of a drafts file, without its line end
 * @returns an edit in offsets of the line, see {@link reviewEdit}
 * @throws ParallaxError `bad-argument` if the line is not a draft, or the question would be empty
 */
export function rewordEdit(line: string, { text, perspectives }: Rewording): TextEdit {
  const draft = draftOf(line);
  if (text.trim() === '') throw new ParallaxError('bad-argument', l10n.t('A draft needs a question.'));
  const known = new Map(draft.perspectives.map((perspective) => [perspective.id, perspective]));
  const ids = new Set(known.keys());
  const worded = perspectives
    .filter((each) => each.text.trim() !== '')
    .map(({ id, text: words }) => {
      const before = id === undefined ? undefined : known.get(id);
      return { ...(before ?? { id: newId(ids) }), text: words.trim() };
    });
  const perspectiveIds = new Set(worded.map(({ id }) => id));
  const passages = draft.passages.map((passage) => ({
    ...passage,
    supports: passage.supports.filter((id) => perspectiveIds.has(id)),
  }));
  const members = passages.length === 0 ? {} : { passages };
  return setMembers(line, line.indexOf('{'), { text: text.trim(), perspectives: worded, ...members });
}

/** @param ids existing ids; the new one is added */
function newId(ids: Set<string>): string {
  for (let number = ids.size + 1; ; number++) {
    const id = `p${number}`;
    if (ids.has(id)) continue;
    ids.add(id);
    return id;
  }
}

function draftOf(line: string): Draft {
  const draft = parseDraft(line);
  if (typeof draft !== 'string') return draft;
  throw new ParallaxError('bad-argument', l10n.t`This line is not a draft: ${draft}.`);
}
