/** The larger themes of a list of candidates: groups of passages that are alike, called by their own words. */
import { groupsOf } from './groups.ts';
import { distinguishingTerms, type Naming } from './terms.ts';

/** How many of the first candidates are looked at. */
export const THEME_CANDIDATES = 100;
/** A smaller group is no theme. */
const LEAST_PASSAGES = 3;
const MOST_TERMS = 3;
/** With a mean silhouette below this, which is what words alone usually give, groups run into each other. */
const CLEARLY_APART = 0.1;

export interface Theme {
  /** Terms that tell it from the other groups, weightiest first; may be empty. */
  readonly terms: readonly string[];
  /** Places among the candidates, ascending. */
  readonly places: readonly number[];
  /** The one that is most like all others of the theme. */
  readonly nearest: number;
}

export interface Themes {
  /** The largest first, then by their first passage. None where there are too few candidates to speak of themes. */
  readonly themes: readonly Theme[];
  /** Places of passages in no larger theme. */
  readonly rest: readonly number[];
  /** Whether the groups lie clearly apart, and do not run into each other. */
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
    { count: MOST_TERMS, ...naming },
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

/** The places of each larger theme alone, for figures that need no names. */
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

const isLarge = (places: readonly number[]): boolean => places.length >= LEAST_PASSAGES;

/** Ties go to the earlier one. */
function nearestOf(cosines: Float64Array, n: number, places: readonly number[]): number {
  const likeAll = (place: number): number =>
    places.reduce((sum, other) => sum + (other === place ? 0 : cosines[place * n + other]!), 0);
  return places.reduce((best, place) => (likeAll(place) > likeAll(best) ? place : best));
}
