/**
 * Languages other than English whose words are stemmed, by Snowball. A passage's language is recognised by its most
 * frequent words, a heuristic.
 */
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { isEnglishStopWord } from '../../core/text/analyzer.ts';
import { ENGLISH_FUNCTION_WORDS } from '../../core/text/stop-words.ts';
import { fold } from '../../core/text/words.ts';

interface Language {
  /** The most frequent words, folded, which tell the language. */
  readonly stopWords: ReadonlySet<string>;
  readonly stem: (word: string) => string;
  /** Articles and pronouns that are written together with the next word: l'homme. */
  readonly elided?: RegExp;
  /** Endings that the stemmer expects with the accents that folding has removed. */
  readonly accents?: readonly (readonly [ending: RegExp, accented: string])[];
}

const language = (
  stem: Language['stem'],
  stopWords: string,
  rest: Pick<Language, 'elided' | 'accents'> = {},
): Language => ({ stem, stopWords: new Set(stopWords.split(' ')), ...rest });

const LANGUAGES = {
  danish: language(
    danish,
    'og i det at en den til er som pa de med for af ikke der et har kan fra eller bliver blev efter ved hvad jeg',
  ),
  dutch: language(
    dutch,
    'de het een en van is niet dat die in op te met voor zijn aan er om als ook worden wordt naar bij door',
  ),
  finnish: language(
    finnish,
    'ja on ei se etta joka oli tai myos kuin mutta sen ovat ole jos voi han niin mita joiden jotka olivat',
  ),
  french: language(
    french,
    'le la les des du de un une et est pas que qui dans pour sur par avec ce cette sont au aux plus ne se il elle ou en vous nous',
    { elided: /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=.)/u },
  ),
  german: language(
    german,
    'der die das und ist nicht ein eine einer einen dem den des mit von zu auf fur sich auch wird werden sind im in bei als oder wenn nach zum zur durch aus dass man wie es',
  ),
  italian: language(
    italian,
    'il lo la i gli le di del della dei che e in un una per con non si sono come da al alla piu questo nel anche',
    {
      elided: /^(?:[cdlmstv]|un|all|dall|dell|nell|sull|coll|gl|agl|dagl|degl|negl|sugl|quell|quest)'(?=.)/u,
    },
  ),
  norwegian: language(
    norwegian,
    'og i det som pa er en til av for at med de ikke den et har kan fra eller blir ble etter ved hva jeg a',
  ),
  portuguese: language(
    portuguese,
    'o a os as de do da dos das que e em um uma para com nao se por no na mais como ao sao ou',
    {
      accents: [
        [/cao$/u, 'ção'],
        [/coes$/u, 'ções'],
      ],
    },
  ),
  russian: language(
    russian,
    'и в не на что с по это для как из к за от но или при его а так бы же если то все она он они',
  ),
  spanish: language(
    spanish,
    'el la los las de del que y en un una por con para no se es su al como mas o lo esta son pero',
    { accents: [[/cion$/u, 'ción']] },
  ),
  swedish: language(
    swedish,
    'och i att det som en pa ar av for med den till inte de ett har kan fran eller om vi du jag',
  ),
} as const satisfies Record<string, Language>;

export type LanguageName = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as readonly LanguageName[];

/** English prose has a share of 0.2 to 0.4 of these stop words, prose of other languages less than 0.1. */
const SHARE_OF_ENGLISH = 0.15;
/** Prose has about three times this share of the stop words of its language. */
const LEAST_SHARE = 0.07;
/** Fewer different ones may be names: "Plaza de la Constitución", "Los Angeles". */
const LEAST_STOP_WORDS = 3;

/** The language of a passage; `undefined` for English, and without enough prose to tell. */
export function languageOf(words: readonly string[]): LanguageName | undefined {
  const english = words.filter(isEnglishStopWord).length;
  if (english >= SHARE_OF_ENGLISH * words.length) return undefined;
  const { name, own } = mostLikely(words, LANGUAGE_NAMES);
  const least = Math.max(LEAST_SHARE * words.length, english + 1);
  return own.length >= least && new Set(own).size >= LEAST_STOP_WORDS ? name : undefined;
}

/**
 * The languages of a question, one of which is its own, by the most stop words. Others are left out, as a stop word of
 * one may be a rare word of another.
 *
 * @param words folded
 * @param languages of the passages that may answer it; `undefined` is English
 */
export function languagesOfQuestion(
  words: readonly string[],
  languages: readonly (LanguageName | undefined)[],
): readonly (LanguageName | undefined)[] {
  const others = languages.filter((name) => name !== undefined);
  if (others.length === 0 || others.length === languages.length) return languages;
  const english = words.filter((word) => isEnglishStopWord(word) || ENGLISH_FUNCTION_WORDS.has(word)).length;
  const { name, own } = mostLikely(words, others);
  if (english > own.length) return [undefined];
  // Passages without enough prose to tell their language may be in this one, too.
  return own.length > english ? [undefined, name] : languages;
}

/** The language that has the most of these words as stop words. */
function mostLikely(
  words: readonly string[],
  names: readonly LanguageName[],
): { readonly name: LanguageName; readonly own: readonly string[] } {
  return names
    .map((name) => ({ name, own: words.filter((word) => LANGUAGES[name].stopWords.has(word)) }))
    .reduce((a, b) => (b.own.length > a.own.length ? b : a));
}

/** The stem of a word. Stop words are kept: in a corpus of several languages they lead to the question's own. */
export function termIn(name: LanguageName, word: string): string {
  const { stem, elided, accents = [] }: Language = LANGUAGES[name];
  const bare = elided ? word.replace(elided, '') : word;
  return fold(stem(accents.reduce((form, [ending, accented]) => form.replace(ending, accented), bare)));
}
