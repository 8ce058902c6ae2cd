/**
 * Defuses Markdown links. In messages and progress titles the editor turns `[words](command:…)` into a link that runs
 * any command, and these texts may come from files, models or servers.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
