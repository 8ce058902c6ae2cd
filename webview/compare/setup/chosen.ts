/** The compared pipelines in their order; the first is the baseline. Pure. */

/** The most that a `set-pipelines` message accepts. */
export const MAX_CHOSEN = 24;

/** Removes a pipeline, or appends it if there is room. */
export function toggled(chosen: readonly string[], name: string): string[] {
  if (chosen.includes(name)) return chosen.filter((one) => one !== name);
  return chosen.length < MAX_CHOSEN ? [...chosen, name] : [...chosen];
}

/** Moves a pipeline to another index, clamped to the list. */
export function movedTo(chosen: readonly string[], name: string, place: number): string[] {
  if (!chosen.includes(name)) return [...chosen];
  const otherNames = chosen.filter((one) => one !== name);
  return otherNames.toSpliced(Math.max(place, 0), 0, name);
}

/** Moves a pipeline by a number of places; negative numbers move it backward. */
export function movedBy(chosen: readonly string[], name: string, places: number): string[] {
  return movedTo(chosen, name, chosen.indexOf(name) + places);
}
