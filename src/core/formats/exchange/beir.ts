/**
 * BEIR folders (Thakur et al. 2021): `corpus.jsonl` and `queries.jsonl` with `_id` and `text`, and
 * `qrels/<split>.tsv` with the columns query, passage and relevance below a header.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../errors.ts';
import type { Qrels } from '../../model.ts';
import { PLAIN_PERSPECTIVE } from '../../words.ts';
import { issueClause } from '../../schema-issue.ts';
import { Doubts, quote, type ExchangePassage } from './exchange.ts';
import { linesOf, parseJson, readLines } from '../lines.ts';
import { unionOfPerspectives } from './plain-qrels.ts';

const notCorpus = (): string => l10n.t('Not a BEIR corpus (one JSON object per line with _id and text)');
const notQrels = (): string =>
  l10n.t('Not a BEIR qrels file (query, passage and relevance, separated by tabs, below a header)');
const HEADER = 'query-id\tcorpus-id\tscore';

const passageRecord = z.object({
  _id: z.union([z.string().min(1), z.number()], { error: () => l10n.t('expected an id') }).transform(String),
  title: z.string().nullish(),
  text: z.string(),
});

/**
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if no line is a passage
 */
export function parseBeirCorpus(
  text: string,
  name: string,
): { readonly passages: readonly ExchangePassage[]; readonly warnings: readonly string[] } {
  const passages = new Map<string, ExchangePassage>();
  const warnings = readLines(linesOf(text), notCorpus(), (line) => {
    const json = parseJson(line.text);
    if ('problem' in json) return json.problem;
    const parsed = passageRecord.safeParse(json.value);
    if (!parsed.success) return issueClause(parsed.error, json.value);
    const { _id: id, title, text: passageText } = parsed.data;
    if (passages.has(id)) return l10n.t`_id ${quote(id)} occurs a second time`;
    passages.set(id, { id, ...(title ? { title } : {}), text: passageText });
    return undefined;
  });
  return { passages: [...passages.values()], warnings: warnings.map((warning) => `${name}: ${warning}`) };
}

export function formatBeirCorpus(passages: readonly ExchangePassage[]): string {
  return passages.map(({ id, title = '', text }) => `${JSON.stringify({ _id: id, title, text })}\n`).join('');
}

/**
 * BEIR skips the first line whatever its content. If it is a judgement, it counts here, with a warning. A negative
 * relevance means "pooled but not judged".
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` if no line is a judgement
 */
export function parseBeirQrels(
  text: string,
  name: string,
): { readonly qrels: Qrels; readonly warnings: readonly string[] } {
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  const doubts = new Doubts();
  const lines = [...linesOf(text)];
  const headed = lines.length > 0 && !isRelevance(lines[0]!.text.split('\t').at(-1) ?? '');
  const warnings = readLines(headed ? lines.slice(1) : lines, notQrels(), (line) => {
    const columns = line.text.split('\t');
    if (columns.length !== 3) return l10n.t`expected 3 columns separated by tabs, found ${columns.length}`;
    const [query, passage, relevance] = columns as [string, string, string];
    if (query === '' || passage === '') return l10n.t('an id is empty');
    if (!isRelevance(relevance)) return l10n.t`relevance ${quote(relevance)} is not a whole number`;
    judge(qrels, { query, passage, relevance: Number(relevance) }, doubts);
    return undefined;
  });
  return {
    qrels,
    warnings: [
      ...(headed ? [] : ['There is no header: BEIR itself would skip the first judgement.']),
      ...warnings,
      ...doubts.warnings,
    ].map((warning) => `${name}: ${warning}`),
  };
}

function judge(
  qrels: Map<string, Map<string, Map<string, number>>>,
  { query, passage, relevance }: { query: string; passage: string; relevance: number },
  doubts: Doubts,
): void {
  const topic = qrels.get(query) ?? new Map([[PLAIN_PERSPECTIVE, new Map<string, number>()]]);
  qrels.set(query, topic);
  const judged = topic.get(PLAIN_PERSPECTIVE)!;
  if (relevance < 0)
    return doubts.add('Negative relevance counts as unjudged', `${quote(query)} and ${quote(passage)}`);
  const earlier = judged.get(passage);
  if (earlier !== undefined && earlier !== relevance)
    doubts.add(
      'Contradicting judgements: the higher relevance counts',
      `${quote(query)} and ${quote(passage)}`,
    );
  judged.set(passage, Math.max(relevance, earlier ?? 0));
}

const isRelevance = (text: string): boolean => /^[+-]?\d{1,15}$/u.test(text.trim());

/**
 * BEIR has no perspectives, so each passage gets its highest relevance for any of them.
 *
 * @throws ParallaxError `bad-argument` for an id with a tab or a line end
 */
export function formatBeirQrels(qrels: Qrels): string {
  const lines = [...unionOfPerspectives(qrels)].flatMap(([query, judged]) =>
    [...judged].map(([passage, relevance]) => `${column(query)}\t${column(passage)}\t${relevance}\n`),
  );
  return `${HEADER}\n${lines.join('')}`;
}

function column(id: string): string {
  if (id !== '' && !/[\t\n\r]/u.test(id)) return id;
  throw new ParallaxError(
    'bad-argument',
    l10n.t`BEIR cannot hold the id ${quote(id)}: it is empty, or has a tab or a line end.`,
  );
}
