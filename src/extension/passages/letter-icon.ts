/** The letters of perspectives as an image for the gutter, where they do not shift text. Pure. */

const SIZE = 16;
const MAX_LETTERS = 4;
const PER_ROW = 2;

/**
 * @param letters in the order of the perspectives; of more than four, the first three and "…" are shown
 * @param color a CSS colour
 * @returns an SVG image
 */
export function letterIcon(letters: readonly string[], color: string): string {
  const shown = letters.length > MAX_LETTERS ? [...letters.slice(0, MAX_LETTERS - 1), '…'] : letters;
  const rows = Array.from({ length: Math.ceil(shown.length / PER_ROW) }, (_, row) =>
    shown.slice(row * PER_ROW, (row + 1) * PER_ROW).join(''),
  );
  const height = SIZE / Math.max(1, rows.length);
  const size = Math.min(12, height, ...rows.map((row) => (1.4 * SIZE) / Math.max(1, [...row].length)));
  const lines = rows.map(
    (row, place) =>
      `<text x="8" y="${((place + 0.5) * height + 0.35 * size).toFixed(1)}" text-anchor="middle">${row}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" font-family="sans-serif" font-weight="bold" font-size="${size.toFixed(1)}" fill="${color}">${lines.join('')}</svg>`;
}
