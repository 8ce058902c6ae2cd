/** The larger themes of a list of candidates: groups of similar passages, named by their distinguishing words. */
import { groupsOf } from './groups.ts';
import { distinguishingTerms, type Naming } from './terms.ts';

/** The number of top candidates to group. */
export const THEME_CANDIDATES = 100;
/** Smaller groups are not themes. */
const MIN_PASSAGES = 3;
const MAX_TERMS = 3;
/** Below this mean silhouette, which hashed words usually give, groups overlap. */
const CLEARLY_APART = 0.1;

export interface Theme {
  /** Distinguishing terms, heaviest first. May be empty. */
  readonly terms: readonly string[];
  /** Indices of the candidates, ascending. */
  readonly places: readonly number[];
  /** The passage most similar to the others of the theme. */
  readonly nearest: number;
}

export interface Themes {
  /** Largest first, then by their first passage. Empty if there are too few candidates. */
  readonly themes: readonly Theme[];
  /** Indices of passages without a larger theme. */
  readonly rest: readonly number[];
  /** Whether the groups are clearly separated. */
  readonly clear: boolean;
}

/**
 * @param cosines `[n, n]` of the candidates
 * @param texts `[n]`
 */
export function themesOf(
  cosines: Float64Array,
  texts: readonly string[],
  naming: Omit<Naming, 'count'>,
): Themes {
  const { groups, clear } = themeGroups(cosines, texts.length);
  const terms = distinguishingTerms(
    groups.map((places) => places.map((place) => texts[place]!)),
    { count: MAX_TERMS, ...naming },
  );
  const themes = groups
    .map((places, at) => ({ terms: terms[at]!, places, nearest: nearestOf(cosines, texts.length, places) }))
    .filter(({ places }) => groups.length > 1 && isLarge(places));
  return {
    themes: themes.sort((a, b) => b.places.length - a.places.length),
    rest: groups.length > 1 ? groups.filter((places) => !isLarge(places)).flat() : groups.flat(),
    clear,
  };
}

/** The indices of each larger theme, for measures that need no names. */
export function themePlaces(cosines: Float64Array, n: number): readonly (readonly number[])[] {
  const { groups } = themeGroups(cosines, n);
  return groups.length > 1 ? groups.filter(isLarge) : [];
}

function themeGroups(
  cosines: Float64Array,
  n: number,
): { readonly groups: readonly (readonly number[])[]; readonly clear: boolean } {
  const { groups, apart } = groupsOf(cosines, n);
  return { groups, clear: apart >= CLEARLY_APART };
}

const isLarge = (places: readonly number[]): boolean => places.length >= MIN_PASSAGES;

/** Ties go to the earlier passage. */
function nearestOf(cosines: Float64Array, n: number, places: readonly number[]): number {
  const likeAll = (place: number): number =>
    places.reduce((sum, neighbour) => sum + (neighbour === place ? 0 : cosines[place * n + neighbour]!), 0);
  return places.reduce((best, place) => (likeAll(place) > likeAll(best) ? place : best));
}
