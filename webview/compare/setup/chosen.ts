/** Which pipelines are compared, in which order; the first is the baseline. Pure. */

/** As many as a `set-pipelines` message may carry. */
export const AT_MOST = 24;

/** Takes a pipeline out, or puts it behind the others as long as there is room. */
export function toggled(chosen: readonly string[], name: string): string[] {
  if (chosen.includes(name)) return chosen.filter((one) => one !== name);
  return chosen.length < AT_MOST ? [...chosen, name] : [...chosen];
}

/** Moves a pipeline to another place, counted from 0; beyond the ends is at the ends. */
export function movedTo(chosen: readonly string[], name: string, place: number): string[] {
  if (!chosen.includes(name)) return [...chosen];
  const others = chosen.filter((one) => one !== name);
  return others.toSpliced(Math.max(place, 0), 0, name);
}

/** Moves a pipeline by so many places, forward or (below 0) backward. */
export function movedBy(chosen: readonly string[], name: string, places: number): string[] {
  return movedTo(chosen, name, chosen.indexOf(name) + places);
}
