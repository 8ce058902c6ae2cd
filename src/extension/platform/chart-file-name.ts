/** Words of a chart's name that any file system takes, with its ending. */
export function chartFileName({
  name,
  format,
}: {
  readonly name: string;
  readonly format: 'svg' | 'csv';
}): string {
  const words = name.match(/[\p{L}\p{N}@]+/gu) ?? ['chart'];
  return `${words.join('-').toLowerCase()}.${format}`;
}
