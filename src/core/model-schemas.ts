/** The words of model.ts as schemas, for whatever comes out of files, models and other processes. */
import * as z from 'zod';
import { DECIDED_VERDICTS, JUDGEMENT_SOURCES, STANCE_SOURCES, STANCES, VERDICTS } from './model.ts';

const offset = z.number().int().min(0);
export const spanSchema = z.object({ start: offset, end: offset });

export const stanceSchema = z.enum(STANCES);
export const stanceSourceSchema = z.enum(STANCE_SOURCES);

export const verdictSchema = z.enum(VERDICTS);
export const decidedVerdictSchema = z.enum(DECIDED_VERDICTS);
export const judgementSourceSchema = z.enum(JUDGEMENT_SOURCES);

/** What a schema reads, for whoever only looks at it. */
export type Read<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

type Immutable<T> = T extends readonly (infer Item)[]
  ? number extends T['length']
    ? readonly Immutable<Item>[]
    : { readonly [Place in keyof T]: Immutable<T[Place]> }
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;
