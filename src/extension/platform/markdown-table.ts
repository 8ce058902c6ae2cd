/** Tables in Markdown documents. Pure. */

/** @param rows cells that are Markdown already; text of others goes through {@link cell} first */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text of others, shown as it is: no markup, no links, no further columns. */
export function cell(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|~&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
