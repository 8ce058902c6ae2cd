/** Counts with English nouns. */

/** `1 document`, `2 documents`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** `1 of 1 query`, `0 of 2 queries`. */
export function countedOf(count: number, all: number, one: string, several?: string): string {
  return `${count} of ${counted(all, one, several)}`;
}

/** The verb that follows a count. */
export function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}

export const queryCount = (count: number): string => counted(count, 'query', 'queries');
