/**
 * The same text as words. In messages and titles of progress the editor takes `[words](command:…)` for a link that runs any
 * command, also one of its own; what files, models and servers say stands in them.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
