/** `parallax mcp`: serves the agents' tools over the Model Context Protocol on standard input and output. */
import { existsSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { APP_TYPE, APP_URI } from '../contract/app-answer.ts';
import { AgentTools } from '../tools/agent-tools.ts';
import type { AgentWork } from '../tools/host.ts';
import { AGENT_TOOL_NAMES, type AgentToolName } from '../tools/names.ts';
import { ProgressReporter } from '../tools/progress.ts';
import { AGENT_TOOLS, INSTRUCTIONS, inputSchemaOf, outputSchemaOf } from '../tools/tools.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { shippedFile } from '../../../cli/shipped-file.ts';
import { readText } from '../../../engine/files/reading.ts';
import { CONFIG_FILE } from '../../../shared/config.ts';
import { ENGINE_VERSION } from '../../../shared/requests/configuration.ts';
import { CommandLineAgentHost } from './agent-host.ts';
import { ClientModel } from './client-model.ts';
import { install, terminalAsk } from './install.ts';
import { readBudget } from '../../../cli/figure-judging.ts';
import { ANSWERS_HELP } from '../../../cli/kept-answers.ts';
import { command } from '../../../cli/commands/command.ts';
import { ENDING_SIGNALS } from '../../../cli/end-with-caller.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';

export const mcpCommand = command({
  usage: `parallax mcp [--config parallax.json] [--store <folder>] [--judge <name>] [--budget <requests>]
parallax mcp --install [--yes]`,
  about: `Serves ${AGENT_TOOL_NAMES.join(', ')} to agents over the Model
Context Protocol (stdio), until its input ends.
`,
  column: 10,
  options: {
    config: {
      type: 'string',
      help: 'parallax.json (default: the one in this folder; without one, everything readable in it is searched)',
    },
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
(default 0: only labels and remembered judgements count, and pipelines that ask a model are refused);
if no judge is configured, the model of a client that offers sampling is asked`,
    },
    install: {
      type: 'boolean',
      default: false,
      help: `name the server, with the options above, in the files of this folder that agents read, and copy the skill;
shows the files and asks first`,
    },
    yes: { type: 'boolean', default: false, help: 'write them without asking' },
  },

  /** Settles when the input ends. */
  async run({ values }, io) {
    const config = values.config ?? CONFIG_FILE;
    if (values.config !== undefined && !existsSync(config)) throw new UsageError(`There is no ${config}.`);
    const { store, judge } = values;
    const { requests: budget = 0, tokens } = readBudget(values.budget);
    if (tokens !== undefined) throw new UsageError('--budget counts requests here, as in requests=500.');
    if (values.install) {
      const argv = (['config', 'store', 'judge', 'budget'] as const).flatMap((name) => {
        const value = values[name];
        return value === undefined || (name === 'budget' && budget === 0) ? [] : [`--${name}`, value];
      });
      return install({ folder: process.cwd(), argv, yes: values.yes, ask: terminalAsk() }, io);
    }
    const client = new ClientModel();
    await using host = await CommandLineAgentHost.open({ config, store, judge, budget, client }, io);
    await serve(new AgentTools(host), client, io);
    return 0;
  },
});

/** Tools whose answers are drawn by the MCP App. */
const DRAWN: ReadonlySet<AgentToolName> = new Set(['evaluate_retrieval', 'explain_missing']);
/** As the Model Context Protocol numbers it. */
const RESOURCE_NOT_FOUND = -32_002;

/** Serves until the client closes the input or the process gets a signal. */
async function serve(tools: AgentTools, client: ClientModel, io: Io): Promise<void> {
  // The tools validate their input with the same schemas as in the editor, so the low-level server suffices.
  const { server } = new McpServer(
    { name: 'parallax', version: ENGINE_VERSION },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  client.attach(server);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: AGENT_TOOL_NAMES.map((name) => ({
      name,
      title: AGENT_TOOLS[name].title,
      description: AGENT_TOOLS[name].description,
      inputSchema: inputSchemaOf(name),
      outputSchema: outputSchemaOf(name),
      annotations: {
        readOnlyHint: !('writes' in AGENT_TOOLS[name]),
        destructiveHint: false,
        // Existing questions and labels are not added twice.
        idempotentHint: true,
        // Models, stores and programs of the configuration may be contacted.
        openWorldHint: name !== 'list_retrieval_sites' && name !== 'save_eval_set',
      },
      // Hosts without MCP Apps show the text.
      ...(DRAWN.has(name) ? { _meta: { ui: { resourceUri: APP_URI } } } : {}),
    })),
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: APP_URI, name: 'answer', title: 'Answer', mimeType: APP_TYPE }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    if (params.uri !== APP_URI) throw new McpError(RESOURCE_NOT_FOUND, `There is no resource ${params.uri}.`);
    const text = await readText(shippedFile('answer.html', '../../dist/answer.html'));
    return { contents: [{ uri: APP_URI, mimeType: APP_TYPE, text, _meta: { ui: { prefersBorder: true } } }] };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const progressToken = params._meta?.progressToken;
    const reporter = new ProgressReporter((progress, message) => {
      if (progressToken === undefined) return;
      const sent = { progressToken, progress, ...(message === undefined ? {} : { message }) };
      sendNotification({ method: 'notifications/progress', params: sent }).catch((error: unknown) =>
        io.stderr(`Progress could not be sent: ${messageOf(error)}\n`),
      );
    });
    const onNote: AgentWork['onNote'] = (note) => {
      if (note.type === 'progress') reporter.report(note.progress);
    };
    const agent = server.getClientVersion()?.name;
    return called(tools, params.name, params.arguments ?? {}, { signal, onNote, agent }, io);
  });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    for (const signal of ENDING_SIGNALS) process.once(signal, resolve);
  });
  await server.connect(new StdioServerTransport());
  await ended;
  // Aborts running calls.
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
    const text = await tools.call(name, input, work);
    const structuredContent = JSON.parse(text) as Record<string, unknown>;
    return { structuredContent, content: [{ type: 'text', text }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: sentenceOf(name, error, io) }] };
  }
}

/** The model gets a sentence; the stack of an unexpected error goes to standard error. */
function sentenceOf(name: string, error: unknown, io: Io): string {
  if (ParallaxError.is(error) || error instanceof UsageError) return error.message;
  io.stderr(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return `Parallax ran into an unexpected problem (${messageOf(error)}).`;
}
