/**
 * Recipes for instrumenting programs: a few lines at their beginning, for each framework. Programs must be started with
 * the environment variables of environment.ts.
 */
import * as l10n from '@vscode/l10n';

export interface Recipe {
  /** The library that the program uses. */
  readonly framework: string;
  readonly language: 'javascript' | 'python';
  readonly install: string;
  readonly code: readonly string[];
}

const PHOENIX_PYTHON = [
  'import os; from phoenix.otel import register',
  'register(endpoint=os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], protocol="http/protobuf", auto_instrument=True)',
];

const openInferencePython = (framework: string, name: string): Recipe => ({
  framework: `${framework} (Python)`,
  language: 'python',
  install: `pip install arize-phoenix-otel openinference-instrumentation-${name}`,
  code: PHOENIX_PYTHON,
});

/** Recipes for all frameworks. */
export function recipes(): readonly Recipe[] {
  return [
    openInferencePython('LangChain', 'langchain'),
    openInferencePython('LlamaIndex', 'llama-index'),
    openInferencePython('Haystack', 'haystack'),
    openInferencePython('DSPy', 'dspy'),
    {
      framework: l10n.t('Your own function (Python)'),
      language: 'python',
      install: 'pip install traceloop-sdk',
      code: [
        'from traceloop.sdk import Traceloop; from traceloop.sdk.decorators import task',
        'Traceloop.init(disable_batch=True)',
        '# Above the function that is given the question and returns the documents: @task(name="search")',
      ],
    },
    {
      framework: 'LangChain (JavaScript)',
      language: 'javascript',
      install:
        'npm install @arizeai/phoenix-otel @arizeai/openinference-instrumentation-langchain @langchain/core',
      code: [
        "import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';",
        "import { register } from '@arizeai/phoenix-otel';",
        "import * as callbacks from '@langchain/core/callbacks/manager';",
        'register({ url: process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, batch: false });',
        'new LangChainInstrumentation().manuallyInstrument(callbacks);',
      ],
    },
    {
      framework: 'Vercel AI SDK (JavaScript)',
      language: 'javascript',
      install: 'npm install @ai-sdk/otel @opentelemetry/api @opentelemetry/auto-instrumentations-node',
      code: [
        "import { OpenTelemetry } from '@ai-sdk/otel';",
        "import '@opentelemetry/auto-instrumentations-node/register';",
        "import { registerTelemetry } from 'ai';",
        'registerTelemetry(new OpenTelemetry());',
        '// Before ai 7 only the second line, and in each call: experimental_telemetry: { isEnabled: true }',
      ],
    },
    {
      framework: l10n.t('Your own function (JavaScript)'),
      language: 'javascript',
      install: 'npm install @traceloop/node-server-sdk',
      code: [
        "import * as traceloop from '@traceloop/node-server-sdk';",
        'traceloop.initialize({ disableBatch: true, traceloopSyncEnabled: false });',
        "const search = (question) => traceloop.withTask({ name: 'search' }, yourSearch, question);",
      ],
    },
  ];
}

/** The text to copy: the packages to install, then the code. */
export function recipeText({ language, install, code }: Recipe): string {
  return [`${language === 'python' ? '#' : '//'} ${install}`, ...code, ''].join('\n');
}
