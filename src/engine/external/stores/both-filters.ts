/** Combines the filter of a pipeline with further conditions. */

/**
 * @param name of the filter parameter of a store
 * @param join combines two filters that both must match
 * @returns the filter parameter of a request; empty if there is no filter
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
