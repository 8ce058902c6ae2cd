/** The names of the tools. A separate module, so that registering them at activation loads nothing else. */

/** In the order of lists. */
export const AGENT_TOOL_NAMES = [
  'list_retrieval_sites',
  'search',
  'look_deeper',
  'list_unjudged',
  'label',
  'evaluate_retrieval',
  'explain_lost_perspectives',
  'explain_missing',
  'run_of_agent',
  'save_eval_set',
  'accept_baseline',
] as const;
export type AgentToolName = (typeof AGENT_TOOL_NAMES)[number];

/** The name of a tool in the editor, where extensions share one namespace. */
export function editorToolName(name: AgentToolName): string {
  return `parallax_${name}`;
}
