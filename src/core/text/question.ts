/** The same for two wordings of one question: case, outer and repeated whitespace do not matter. */
export function questionKey(text: string): string {
  return text.trim().replace(/\s+/gu, ' ').toLowerCase();
}
