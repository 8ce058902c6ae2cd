/**
 * Jupyter notebooks: the sources of Markdown and code cells in order, outputs left out. Code stands in
 * fences, so that its comments are not taken for Markdown headings.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import { decodeText } from '../decode.ts';
import { firstHeading } from './verbatim.ts';
import { FileSkipped, type ReadItem, type WholeReader } from './reader.ts';

const sourceSchema = z
  .union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))])
  .catch('');
const cellSchema = z
  .object({
    cell_type: z.string().catch('raw'),
    source: sourceSchema,
    /** Where notebooks before format 4 keep code. */
    input: sourceSchema,
    level: z.number().int().min(1).max(6).catch(1),
  })
  .catch({ cell_type: 'raw', source: '', input: '', level: 1 });
const notebookSchema = z.object({
  cells: z.array(cellSchema).optional(),
  worksheets: z.array(z.object({ cells: z.array(cellSchema) })).optional(),
  metadata: z
    .object({ language_info: z.object({ name: z.string() }).optional() })
    .catch({})
    .optional(),
});
type Cell = z.output<typeof cellSchema>;

export const notebookReader: WholeReader = {
  streamed: false,
  read(bytes, { name }): ReadItem[] {
    const notebook = parseNotebook(decodeText(bytes));
    const cells = notebook.cells ?? notebook.worksheets?.flatMap((sheet) => sheet.cells) ?? [];
    const language = notebook.metadata?.language_info?.name ?? '';
    const text = cells
      .map((cell) => cellText(cell, language))
      .filter((part) => part !== '')
      .join('\n\n');
    return [{ document: { title: firstHeading(text) ?? name, text, verbatim: false } }];
  },
};

function parseNotebook(text: string): z.output<typeof notebookSchema> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FileSkipped('broken', l10n.t`It is not a notebook: ${messageOf(error)}.`, { cause: error });
  }
  const notebook = notebookSchema.safeParse(json);
  if (!notebook.success || !(notebook.data.cells ?? notebook.data.worksheets))
    throw new FileSkipped('broken', l10n.t('It is not a notebook: it has no list of cells.'));
  return notebook.data;
}

function cellText(cell: Cell, language: string): string {
  const source = (cell.source || cell.input).trim();
  if (source === '') return '';
  if (cell.cell_type === 'heading') return `${'#'.repeat(cell.level)} ${source}`;
  return cell.cell_type === 'code' ? fenced(source, language) : source;
}

/** A fence longer than any run of backticks within. */
function fenced(source: string, language: string): string {
  const runs = source.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${source}\n${fence}`;
}
