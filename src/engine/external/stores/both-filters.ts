/** The filter of a pipeline, and what is asked for beside it. */

/**
 * @param name under which a store takes filters
 * @param join makes one of two that both have to hold
 * @returns what a request says of them: nothing where there is neither
 */
export function bothFilters<Name extends string, Filter>(
  name: Name,
  filter: Filter | undefined,
  further: Filter | undefined,
  join: (filter: Filter, further: Filter) => Filter,
): { readonly [N in Name]?: Filter } {
  const one = filter === undefined || further === undefined ? (filter ?? further) : join(filter, further);
  return (one === undefined ? {} : { [name]: one }) as { readonly [N in Name]?: Filter };
}

/** Joins filters that are expressions. */
export const bothExpressions = (filter: string, further: string): string => `(${filter}) and ${further}`;
