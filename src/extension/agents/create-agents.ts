import { AgentTools } from '../../agents/agent-tools.ts';
import type { Compare } from '../compare/compare.ts';
import type { Inline } from '../inline/inline.ts';
import type { Services } from '../services.ts';
import { AgentSurface } from './agent-surface.ts';
import { EditorAgentHost } from './editor-agent-host.ts';

/** The tools of agents, on the workspace that is open. */
export function createAgents(
  { engineOf, workspace, ready, judgeSetting, costSettings, note }: Services,
  compare: Compare,
  inline: Inline,
): AgentSurface {
  const host = new EditorAgentHost({
    engine: engineOf('agents'),
    detector: inline.detector,
    snapshot: async () => {
      await ready;
      return workspace.snapshot;
    },
    rules: inline.rules,
    judgeSetting,
    costSettings,
    stateOf: (known) => inline.stateOf(known),
    indexed: (corpus) => compare.indexed(corpus),
  });
  return new AgentSurface({
    tools: new AgentTools(host),
    requestBudget: () => costSettings().requestBudget,
    log: note,
  });
}
