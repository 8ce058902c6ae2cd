/** Short forms of statements that stay distinct even if the statements begin alike. */

/** In characters; shorter common beginnings are kept. */
const LONG_BEGINNING = 16;

/**
 * The statements in their order. One that shares its beginning with another starts at the first difference, after "…";
 * at least its last word stays.
 */
export function tellingTexts(texts: readonly string[]): string[] {
  const all = texts.map((text) => text.split(' '));
  return all.map((words, place) => {
    const otherTexts = all.filter((_, at) => at !== place);
    const shared = Math.min(
      Math.max(0, ...otherTexts.map((otherWords) => sharedWords(words, otherWords))),
      words.length - 1,
    );
    const beginning = words.slice(0, shared).join(' ');
    return beginning.length < LONG_BEGINNING ? texts[place]! : `… ${words.slice(shared).join(' ')}`;
  });
}

function sharedWords(words: readonly string[], otherWords: readonly string[]): number {
  const differs = words.findIndex((word, place) => word !== otherWords[place]);
  return differs < 0 ? words.length : differs;
}
