/** Passages as agents read them: with an id for further calls, the place to open, and a cut text. */
import { passageName } from '../../../../core/text/passage-name.ts';
import type { Candidate } from '../../../../shared/requests/passages.ts';
import { short } from '../answer.ts';

const MAX_NAME = 200;

type Shown = Pick<Candidate, 'id' | 'documentId' | 'text' | 'lines' | 'verbatim'> & {
  readonly source?: string | undefined;
};

export function passageView(passage: Shown & { readonly name: string }, most: number): object {
  const { id, documentId, name, source, lines, verbatim, text } = passage;
  return {
    id,
    document: short(documentId, MAX_NAME),
    // Lines of an extracted text are not those of the file.
    ...(verbatim ? { lines: [lines.startLine + 1, lines.endLine + 1] } : {}),
    name: short(name, MAX_NAME),
    ...(source === undefined ? {} : { source: short(source, MAX_NAME) }),
    text: short(text, most),
  };
}

export function candidateView(candidate: Candidate, most: number): object {
  return passageView({ ...candidate, name: passageName(candidate) }, most);
}
