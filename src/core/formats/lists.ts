/**
 * Lists and records in what others write. Zod notes every wrong entry of a list, which makes some gigabytes of some
 * megabytes of wrong entries: these stop at the first one.
 */
import * as z from 'zod';

/** A list whose entries all have this form. */
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

/** A list as {@link listOf}, with one entry at least. */
export function fullListOf<Form extends z.ZodType>(form: Form) {
  return listOf(form).refine((entries) => entries.length > 0, 'Is empty');
}

/** A list of finite numbers, with one at least, as vectors are. */
export const numbers = z.custom<readonly number[]>(
  (list) => Array.isArray(list) && list.length > 0 && list.every(Number.isFinite),
);

/** An object whose own values all have this form, whatever their names. */
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

/** Says what is wrong with one entry. */
function refused(context: z.RefinementCtx, place: string | number, { issues }: z.ZodError): never {
  const [issue] = issues;
  context.addIssue({ code: 'custom', message: issue!.message, path: [place, ...issue!.path] });
  return z.NEVER;
}
