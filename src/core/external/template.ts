/** Requests from templates. The query is inserted as a value and never parsed again. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export interface TemplateValues {
  readonly query: string;
  readonly k: number;
}

/**
 * Replaces `{query}` and `{k}` in every string of a JSON value, except in field names. A string that is only `{k}`
 * becomes a number. Inserted text is not replaced again, so `{k}` in a query is kept.
 */
export function fillJson(template: Json, values: TemplateValues): Json {
  if (typeof template === 'string') return template === '{k}' ? values.k : fill(template, values, String);
  if (Array.isArray(template)) return template.map((item: Json) => fillJson(item, values));
  if (typeof template === 'object' && template !== null)
    return Object.fromEntries(Object.entries(template).map(([name, item]) => [name, fillJson(item, values)]));
  return template;
}

/** Replaces `{query}` and `{k}` in a URL, percent-encoded. */
export function fillUrl(template: string, values: TemplateValues): string {
  return fill(template, values, encodeURIComponent);
}

function fill(template: string, { query, k }: TemplateValues, encode: (value: string) => string): string {
  return template.replace(/\{(query|k)\}/g, (_, name) => encode(name === 'query' ? query : String(k)));
}
