import { AgentTools } from '../tools/agent-tools.ts';
import type { ComparisonPanel } from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import { AgentSurface } from './agent-surface.ts';
import { Agreement } from './agreement.ts';
import { askAgents } from './ask-agreement.ts';
import { EditorAgentHost, type KnownCalls } from './editor-agent-host.ts';

/** The open workspace with its programs, as agents' tools see it. */
export function createAgentHost(
  { engineOf, workspace, ready, judgeSetting, costSettings, memory }: Services,
  compare: ComparisonPanel,
  calls: KnownCalls,
): EditorAgentHost {
  return new EditorAgentHost({
    engine: engineOf('agents'),
    calls,
    snapshot: async () => {
      await ready;
      return workspace.snapshot;
    },
    reread: () => workspace.read(),
    judgeSetting,
    costSettings,
    agreement: new Agreement(memory, askAgents),
    indexed: (corpus) => compare.indexed(corpus),
  });
}

/** The tools of agents, on the workspace that is open. */
export function createAgents({ costSettings, note }: Services, host: EditorAgentHost): AgentSurface {
  return new AgentSurface({
    tools: new AgentTools(host),
    requestBudget: () => costSettings().requestBudget,
    log: note,
  });
}
