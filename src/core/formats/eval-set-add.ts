/** Adds a question with its perspectives to an eval set without changing the rest of the file. */
import type { Perspective, Query } from '../model.ts';
import { questionKey } from '../text/question.ts';
import { applyEdit, setMembers } from './json-edit.ts';
import { linesOf } from './lines.ts';
import { formatEvalSet, parseEvalSet, queryLines } from './queries.ts';

export interface AddedQuery {
  /** The file with the query. */
  readonly text: string;
  /** The query's id. */
  readonly id: string;
  /** The number of added perspectives. */
  readonly added: number;
  /** Whether the file already had the question. If so, it only gets the missing perspectives. */
  readonly known: boolean;
}

type QuestionParts = Pick<Query, 'text' | 'perspectives'>;

/**
 * @param file the eval set; empty for a new one
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if the file is not an eval set that queries can be added to
 */
export function withQuery(file: string, name: string, { text, perspectives }: QuestionParts): AddedQuery {
  const isNew = file.trim() === '';
  const { queries } = isNew ? { queries: [] } : parseEvalSet(file, name);
  const known = queries.find((query) => questionKey(query.text) === questionKey(text));
  if (known) return withPerspectives(file, known, perspectives);
  const id = uniqueId(
    idOf(text),
    queries.map((query) => query.id),
  );
  const separator = isNew || file.endsWith('\n') ? '' : '\n';
  const line = formatEvalSet([{ id, text, perspectives }]);
  return {
    text: `${isNew ? '' : file}${separator}${line}`,
    id,
    added: perspectives.length,
    known: false,
  };
}

function withPerspectives(
  file: string,
  { id, perspectives: present }: Query,
  perspectives: readonly Perspective[],
): AddedQuery {
  const texts = new Set(present.map((perspective) => perspective.text.trim()));
  const ids = present.map((perspective) => perspective.id);
  const missing = perspectives
    .filter((perspective) => !texts.has(perspective.text.trim()))
    .map((perspective, place) => ({
      ...perspective,
      id: uniqueId(`p${present.length + place + 1}`, ids),
    }));
  if (missing.length === 0) return { text: file, id, added: 0, known: true };
  const number = queryLines(file).get(id);
  const line = [...linesOf(file)].find((each) => each.number === number)!;
  const record = JSON.parse(line.text) as { readonly perspectives?: readonly unknown[] | null };
  const members = { perspectives: [...(record.perspectives ?? []), ...missing] };
  const changed = applyEdit(line.text, setMembers(line.text, line.text.indexOf('{'), members));
  const lines = file.split('\n');
  lines[line.number - 1] = lines[line.number - 1]!.replace(line.text, () => changed);
  return { text: lines.join('\n'), id, added: missing.length, known: true };
}

const ID_WORDS = 6;

/** A few words of the question, so that ids are readable. */
function idOf(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, ID_WORDS).join('-') || 'question';
}

function uniqueId(baseId: string, usedIds: readonly string[]): string {
  for (let number = 1; ; number++) {
    const id = number === 1 ? baseId : `${baseId}-${number}`;
    if (!usedIds.includes(id)) return id;
  }
}
