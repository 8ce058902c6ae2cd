/**
 * The suffix stripping of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the
 * three departures of the author's later reference program (`-bli` instead of `-abli`, `-logi`, words of one
 * or two letters unchanged), which is also what Lucene and SQLite ship.
 *
 * A word is read as [C](VC)^m[V], where C and V are runs of consonants and vowels; m is its measure.
 */

type Rule = readonly [suffix: string, replacement: string];

const STEP_2: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const STEP_3: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const STEP_4: readonly Rule[] =
  'al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize'
    .split(' ')
    // `ion` is only removed after s or t, which stay.
    .map((suffix) => (suffix.endsWith('ion') ? [suffix, suffix.charAt(0)] : [suffix, '']));

const step2 = byLetterBeforeLast(STEP_2);
const step3 = byLetterBeforeLast(STEP_3);
const step4 = byLetterBeforeLast(STEP_4);

/**
 * The stem of a lower-case English word. Letters other than a–z, digits and apostrophes count as consonants, so words
 * of other languages are nearly always unchanged.
 */
export function porterStem(word: string): string {
  if (word.length <= 2) return word;
  let stem = stripPlural(word);
  stem = stripPastOrGerund(stem);
  stem = softenFinalY(stem);
  stem = applyRules(stem, step2, 0);
  stem = applyRules(stem, step3, 0);
  stem = applyRules(stem, step4, 1);
  return tidy(stem);
}

/** Step 1a: caresses → caress, ponies → poni, cats → cat. */
function stripPlural(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

/** Step 1b: agreed → agree, plastered → plaster, hopping → hop, filing → file. */
function stripPastOrGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const suffixLength = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (suffixLength === 0 || !hasVowel(word, word.length - suffixLength)) return word;
  const stem = word.slice(0, -suffixLength);
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return stem + 'e';
  if (endsWithDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem, stem.length) === 1 && endsWithShortSyllable(stem, stem.length) ? stem + 'e' : stem;
}

/** Step 1c: happy → happi, sky → sky. */
function softenFinalY(word: string): string {
  return word.endsWith('y') && hasVowel(word, word.length - 1) ? word.slice(0, -1) + 'i' : word;
}

/** Steps 2 to 4: replaces the longest matching suffix if the measure before it is large enough. */
function applyRules(word: string, rules: ReadonlyMap<number, readonly Rule[]>, above: number): string {
  const candidates = rules.get(word.charCodeAt(word.length - 2));
  const rule = candidates?.find(([suffix]) => word.endsWith(suffix));
  if (!rule) return word;
  const [suffix, replacement] = rule;
  const keep = word.length - suffix.length;
  // In step 4, the s or t of `-sion` and `-tion` counts for the measure of the stem.
  const stemEnd = suffix.endsWith('ion') && replacement.length === 1 ? keep + 1 : keep;
  return measure(word, stemEnd) > above ? word.slice(0, keep) + replacement : word;
}

/** Step 5: probate → probat, rate → rate, controll → control. */
function tidy(word: string): string {
  let stem = word;
  if (stem.endsWith('e')) {
    const m = measure(stem, stem.length - 1);
    if (m > 1 || (m === 1 && !endsWithShortSyllable(stem, stem.length - 1))) stem = stem.slice(0, -1);
  }
  return stem.endsWith('ll') && measure(stem, stem.length) > 1 ? stem.slice(0, -1) : stem;
}

/** The m of [C](VC)^m[V] for the first `end` letters. */
function measure(word: string, end: number): number {
  let m = 0;
  let afterVowel = false;
  for (let i = 0; i < end; i++) {
    const code = word.charCodeAt(i);
    const vowel: boolean = isPlainVowel(code) || (code === Y && i > 0 && !afterVowel);
    if (afterVowel && !vowel) m++;
    afterVowel = vowel;
  }
  return m;
}

function hasVowel(word: string, end: number): boolean {
  for (let i = 0; i < end; i++) {
    const code = word.charCodeAt(i);
    // A y that is not first is a vowel, as all letters before it are consonants here.
    if (isPlainVowel(code) || (code === Y && i > 0)) return true;
  }
  return false;
}

function endsWithDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word.charCodeAt(last) === word.charCodeAt(last - 1) && isConsonant(word, last);
}

/** Consonant, vowel, consonant other than w, x, y: the short syllable at the end of `hop` and `fil`. */
function endsWithShortSyllable(word: string, end: number): boolean {
  return (
    end >= 3 &&
    isConsonant(word, end - 3) &&
    !isConsonant(word, end - 2) &&
    isConsonant(word, end - 1) &&
    !'wxy'.includes(word.charAt(end - 1))
  );
}

/** A y is a consonant at the start and after a vowel, so along a run of them the two alternate. */
function isConsonant(word: string, at: number): boolean {
  let before = at;
  while (before >= 0 && word.charCodeAt(before) === Y) before--;
  const firstIsConsonant = before < 0 || isPlainVowel(word.charCodeAt(before));
  const runIsOdd = (at - before) % 2 === 1;
  return firstIsConsonant === runIsOdd;
}

const [A, E, I, O, U, Y] = [97, 101, 105, 111, 117, 121];

function isPlainVowel(code: number): boolean {
  return code === A || code === E || code === I || code === O || code === U;
}

/** Rules by the code of the second to last letter (Porter's own shortcut), longest suffix first. */
function byLetterBeforeLast(rules: readonly Rule[]): Map<number, Rule[]> {
  const buckets = Map.groupBy(rules, ([suffix]) => suffix.charCodeAt(suffix.length - 2));
  for (const bucket of buckets.values()) bucket.sort(([a], [b]) => b.length - a.length);
  return buckets;
}
