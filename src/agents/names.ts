/** The names of the tools, apart from all else, so that registering them at the start of the editor costs nothing. */

/** In the order in which they are listed. */
export const AGENT_TOOL_NAMES = [
  'evaluate_retrieval',
  'list_retrieval_sites',
  'explain_lost_perspectives',
  'explain_missing',
] as const;
export type AgentToolName = (typeof AGENT_TOOL_NAMES)[number];

/** The name under which the editor knows a tool, where names are shared by all extensions. */
export function editorToolName(name: AgentToolName): string {
  return `parallax_${name}`;
}
