/**
 * Schemas for large foreign lists and records. Zod collects every wrong entry of a list, which turns megabytes of wrong
 * entries into gigabytes. These schemas stop at the first one.
 */
import * as z from 'zod';

/** A list in which all entries have this form. */
export function listOf<Form extends z.ZodType>(form: Form) {
  return z.array(z.unknown()).transform((entries, context): z.output<Form>[] => {
    const read: z.output<Form>[] = [];
    for (const [index, entry] of entries.entries()) {
      const { data, error, success } = form.safeParse(entry);
      if (!success) return refused(context, index, error);
      read.push(data);
    }
    return read;
  });
}

/** A non-empty {@link listOf}. */
export function fullListOf<Form extends z.ZodType>(form: Form) {
  return listOf(form).refine((entries) => entries.length > 0, 'Is empty');
}

/** A non-empty list of finite numbers, such as a vector. */
export const numbers = z.custom<readonly number[]>(
  (list) => Array.isArray(list) && list.length > 0 && list.every(Number.isFinite),
);

/** An object in which all own values have this form. */
export function recordOf<Form extends z.ZodType>(form: Form) {
  return z.record(z.string(), z.unknown()).transform((entries, context): Record<string, z.output<Form>> => {
    const read = new Map<string, z.output<Form>>();
    for (const [name, entry] of Object.entries(entries)) {
      const { data, error, success } = form.safeParse(entry);
      if (!success) return refused(context, name, error);
      read.set(name, data);
    }
    return Object.fromEntries(read);
  });
}

/** Reports the first issue of one entry. */
function refused(context: z.RefinementCtx, place: string | number, { issues }: z.ZodError): never {
  const [issue] = issues;
  context.addIssue({ code: 'custom', message: issue!.message, path: [place, ...issue!.path] });
  return z.NEVER;
}
