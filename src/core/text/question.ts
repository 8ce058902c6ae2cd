/** Equal for wordings of one question that differ only in case and whitespace. */
export function questionKey(text: string): string {
  return text.trim().replace(/\s+/gu, ' ').toLowerCase();
}
