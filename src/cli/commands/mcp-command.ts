/** `parallax mcp`: the tools for agents as a server of the Model Context Protocol on standard input and output. */
import { existsSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { AgentTools } from '../../agents/agent-tools.ts';
import type { AgentWork } from '../../agents/host.ts';
import { AGENT_TOOL_NAMES } from '../../agents/names.ts';
import { AGENT_TOOLS, inputSchemaOf } from '../../agents/tools.ts';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import { CONFIG_FILE } from '../../shared/config.ts';
import { ENGINE_VERSION } from '../../shared/requests/configuration.ts';
import { CommandLineAgentHost } from '../agent-host.ts';
import { readBudget } from '../figure-judging.ts';
import { ANSWERS_HELP } from '../kept-answers.ts';
import { command } from './command.ts';
import { UsageError, type Io } from '../presentation/terminal.ts';

export const mcpCommand = command({
  usage: 'parallax mcp [--config parallax.json] [--store <folder>] [--judge <name>] [--budget <requests>]',
  about: `Serves ${AGENT_TOOL_NAMES.join(', ')} to agents over the Model
Context Protocol (stdio), until its input ends.
`,
  column: 10,
  options: {
    config: { type: 'string', help: 'parallax.json (default: the one in this folder)' },
    store: {
      type: 'string',
      help: `keep indexes and answers in this folder, so that the next start is warm;
${ANSWERS_HELP}`,
    },
    judge: {
      type: 'string',
      help: 'whose judgements count beside human labels (default: the configured judge, or else labels)',
    },
    budget: {
      type: 'string',
      default: '0',
      help: `requests to models that agents may cause, over all calls, as in 300 or requests=300
(default 0: only labels and remembered judgements count, and pipelines that ask a model are refused)`,
    },
  },

  /** Ends once the input has. */
  async run({ values }, io) {
    const config = values.config ?? CONFIG_FILE;
    if (!existsSync(config))
      throw new UsageError(`There is no ${config}. Agents need one: name it with --config.`);
    const { store, judge } = values;
    const { requests: budget = 0, tokens } = readBudget(values.budget);
    if (tokens !== undefined) throw new UsageError('--budget counts requests here, as in requests=500.');
    await using host = await CommandLineAgentHost.open({ config, store, judge, budget }, io);
    await serve(new AgentTools(host), io);
    return 0;
  },
});

/** Until the client closes the input, or the process is asked to end. */
async function serve(tools: AgentTools, io: Io): Promise<void> {
  // The tools check their own input, with the same schemas in the editor: the protocol's layer is enough.
  const { server } = new McpServer(
    { name: 'parallax', version: ENGINE_VERSION },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: AGENT_TOOL_NAMES.map((name) => ({
      name,
      title: AGENT_TOOLS[name].title,
      description: AGENT_TOOLS[name].description,
      inputSchema: inputSchemaOf(name),
      // Measuring writes nothing of the user's, but may take a model's time within the budget.
      annotations: { readOnlyHint: name === 'list_retrieval_sites', destructiveHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const progressToken = params._meta?.progressToken;
    let sent = 0;
    const onNote: AgentWork['onNote'] = (note) => {
      if (progressToken === undefined || note.type !== 'progress') return;
      // Steps count from anew, but the protocol wants progress to grow.
      const message = note.progress.detail;
      const progress = { progressToken, progress: ++sent, ...(message === undefined ? {} : { message }) };
      sendNotification({ method: 'notifications/progress', params: progress }).catch((error: unknown) =>
        io.stderr(`Progress could not be sent: ${messageOf(error)}\n`),
      );
    };
    return called(tools, params.name, params.arguments ?? {}, { signal, onNote }, io);
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
  // Aborts what is under way.
  await server.close();
}

async function called(
  tools: AgentTools,
  name: string,
  input: unknown,
  work: AgentWork,
  io: Io,
): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await tools.call(name, input, work) }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: sentenceOf(name, error, io) }] };
  }
}

/** The model reads a sentence; what nobody threw on purpose leaves its stack for people. */
function sentenceOf(name: string, error: unknown, io: Io): string {
  if (ParallaxError.is(error) || error instanceof UsageError) return error.message;
  io.stderr(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return `Parallax ran into an unexpected problem (${messageOf(error)}).`;
}
