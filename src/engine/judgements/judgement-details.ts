/** The columns of the judgement cache for details that only some answers have. */
import * as z from 'zod';
import type { Read } from '../../core/read.ts';
import { judgementSchema, type Judgement, type JudgementCost } from '../../core/model.ts';
import type { SqlValue } from '../store/database.ts';

/** Fields that all answers of a judge share, unless it passes on those of others. */
export type Provenance = Pick<Judgement, 'source' | 'judge' | 'model' | 'promptVersion' | 'standard'>;

const detailsSchema = judgementSchema
  .pick({ debate: true, escalated: true, stage: true, evidenceNotFound: true })
  .extend({
    /** The origin of an answer that a judge passes on from another judge. */
    from: judgementSchema.pick({ source: true, model: true, promptVersion: true, standard: true }).optional(),
  });
type Details = Read<typeof detailsSchema>;

/** @returns null if the answer has no details */
export function formatDetails(judgement: Judgement, provenance: Provenance): string | null {
  const { debate, escalated, stage, evidenceNotFound, source, model, promptVersion, standard } = judgement;
  const isOwn =
    source === provenance.source &&
    model === provenance.model &&
    promptVersion === provenance.promptVersion &&
    standard === provenance.standard;
  const from = isOwn ? undefined : { source, model, promptVersion, standard };
  const text = JSON.stringify({ debate, escalated, stage, evidenceNotFound, from });
  return text === '{}' ? null : text;
}

/** Empty if the details are damaged, since the verdict is valid without them. */
export function readDetails(text: SqlValue | undefined): Details {
  if (typeof text !== 'string') return {};
  try {
    return detailsSchema.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return {};
    throw error;
  }
}

/** Requests, prompt tokens, completion tokens, milliseconds. Reading them as JSON would double the time of a lookup. */
export function formatCost(cost: JudgementCost | undefined): string | null {
  if (!cost) return null;
  const { requests, promptTokens, completionTokens, milliseconds } = cost;
  return [requests, promptTokens ?? '?', completionTokens ?? '?', milliseconds].join(' ');
}

/** `undefined` if it is damaged. */
export function readCost(text: SqlValue | undefined): JudgementCost | undefined {
  if (typeof text !== 'string') return undefined;
  const [requests, promptTokens, completionTokens, milliseconds] = text.split(' ').map(readAmount);
  if (requests === undefined || milliseconds === undefined) return undefined;
  return {
    requests,
    ...(promptTokens !== undefined && { promptTokens }),
    ...(completionTokens !== undefined && { completionTokens }),
    milliseconds,
  };
}

function readAmount(text: string): number | undefined {
  const amount = Number(text);
  return text !== '' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
