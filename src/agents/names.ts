/** The names of the tools, apart from all else, so that registering them at the start of the editor costs nothing. */

/** In the order in which they are listed. */
export const AGENT_TOOL_NAMES = [
  'list_retrieval_sites',
  'search',
  'look_deeper',
  'list_unjudged',
  'label',
  'evaluate_retrieval',
  'explain_lost_perspectives',
  'explain_missing',
  'save_eval_set',
  'accept_baseline',
] as const;
export type AgentToolName = (typeof AGENT_TOOL_NAMES)[number];

/** The name under which the editor knows a tool, where names are shared by all extensions. */
export function editorToolName(name: AgentToolName): string {
  return `parallax_${name}`;
}
