/**
 * Writes the contributions in package.json and their translated texts (package.nls.json) from the typed constants that
 * the code uses: `node scripts/contributions.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AGENT_TOOL_NAMES, editorToolName, type AgentToolName } from '../src/features/agents/tools/names.ts';
import { AGENT_TOOLS, inputSchemaOf } from '../src/features/agents/tools/tools.ts';
import { THEME_COLORS } from '../src/shared/manifest/colors.ts';
import {
  COMMAND_DETAILS,
  MCP_PROVIDER,
  TASK_TYPE,
  TERMINAL_PROFILE,
  views,
  VIEWS,
  welcomes,
} from '../src/shared/manifest/contributions.ts';
import { keybindings, menus } from '../src/shared/manifest/menus.ts';
import { SETTINGS, type Setting } from '../src/shared/manifest/settings.ts';
import { START } from '../src/shared/manifest/walkthrough.ts';
import { isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

/** The same in every language. */
const NAME = 'Parallax';
const ICON = 'media/parallax.svg';

type Json = Record<string, unknown>;

/** Stores a text under its key in package.nls.json, and returns its placeholder. */
type Translated = (key: string, text: string) => string;

/** File name → content. */
export function contributionFiles(): Record<string, string> {
  const texts: Record<string, string> = {};
  const manifest = withContributions(
    JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Json,
    (key, text) => {
      if (key in texts && texts[key] !== text) throw new Error(`Two texts would have the key "${key}".`);
      texts[key] = text;
      return `%${key}%`;
    },
  );
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'package.nls.json': `${JSON.stringify(texts, null, 2)}\n`,
  };
}

/** Keeps everything else in the manifest. */
function withContributions(manifest: Json, translated: Translated): Json {
  return {
    ...manifest,
    description: translated(
      'extension.description',
      'See which perspectives your retrieval surfaces, and which it loses, while you write the code that retrieves.',
    ),
    capabilities: capabilities(translated),
    contributes: {
      viewsContainers: { activitybar: [{ id: VIEWS.container, title: NAME, icon: ICON }] },
      views: { [VIEWS.container]: contributedViews(translated) },
      viewsWelcome: viewsWelcome(translated),
      commands: commands(translated),
      keybindings: keybindings(),
      menus: menus(),
      configuration: { title: NAME, properties: configuration(translated) },
      colors: colors(translated),
      taskDefinitions: taskDefinitions(translated),
      terminal: {
        profiles: [
          {
            id: TERMINAL_PROFILE,
            title: translated('terminal.profiles.run.title', 'Run with Parallax'),
            icon: 'eye',
          },
        ],
      },
      languages: [{ id: 'jsonc', filenames: ['parallax.json'] }],
      jsonValidation: [{ fileMatch: 'parallax.json', url: './schemas/parallax.schema.json' }],
      languageModelTools: AGENT_TOOL_NAMES.map((name) => tool(name, translated)),
      walkthroughs: [walkthrough(translated)],
      mcpServerDefinitionProviders: [{ id: MCP_PROVIDER, label: NAME }],
      // Editors before 1.109 ignore it.
      chatSkills: [{ path: './media/plugin/skills/one-sided-retrieval/SKILL.md' }],
    },
  };
}

function capabilities(translated: Translated): Json {
  return {
    untrustedWorkspaces: {
      supported: 'limited',
      description: translated(
        'capabilities.untrustedWorkspaces.description',
        'Calls that retrieve are marked in the code. The panels wait until you trust the workspace, and nothing that it names is run, contacted or loaded before.',
      ),
      restrictedConfigurations: Object.entries<Setting>(SETTINGS).flatMap(([key, { restricted }]) =>
        restricted ? [key] : [],
      ),
    },
    virtualWorkspaces: {
      supported: false,
      description: translated(
        'capabilities.virtualWorkspaces.description',
        'The engine reads files from disk.',
      ),
    },
  };
}

function contributedViews(translated: Translated): Json[] {
  return views().map(({ id, name, ...rest }) => ({
    id,
    name: translated(`views.${id}.name`, name),
    icon: ICON,
    contextualTitle: NAME,
    ...rest,
  }));
}

/** The first text of a view has a key without a number; the others count from 2. */
function viewsWelcome(translated: Translated): Json[] {
  const all = welcomes();
  return all.map(({ view, contents, when }, index) => {
    const place = all.slice(0, index + 1).filter((welcome) => welcome.view === view).length;
    const key = `viewsWelcome.${view}.contents${place === 1 ? '' : `.${place}`}`;
    return { view: VIEWS[view], contents: translated(key, contents), when };
  });
}

function commands(translated: Translated): Json[] {
  return Object.entries(COMMAND_DETAILS).map(([name, { title, ...rest }]) => ({
    command: `parallax.${name}`,
    title: translated(`commands.${name}.title`, title),
    category: NAME,
    ...rest,
  }));
}

function configuration(translated: Translated): Json {
  return Object.fromEntries(
    Object.entries<Setting>(SETTINGS).map(([key, setting]) => [key, property(key, setting, translated)]),
  );
}

/** The parts of a setting that its JSON schema lacks or expresses differently. */
const APART = ['choices', 'restricted', 'markdownDescription'];

function property(key: string, setting: Setting, translated: Translated): Json {
  const prefix = `configuration.properties.${key.replace(/^parallax\./u, '')}`;
  const schema = Object.entries(setting).filter(([field]) => !APART.includes(field));
  return {
    ...Object.fromEntries(schema),
    ...('choices' in setting ? enumeration(setting.choices, prefix, translated) : {}),
    markdownDescription: translated(`${prefix}.markdownDescription`, setting.markdownDescription),
  };
}

function enumeration(
  choices: Readonly<Record<string, string>>,
  prefix: string,
  translated: Translated,
): Json {
  return {
    enum: Object.keys(choices),
    enumDescriptions: Object.values(choices).map((text, index) =>
      translated(`${prefix}.enumDescriptions.${index}`, text),
    ),
  };
}

function colors(translated: Translated): Json[] {
  return THEME_COLORS.map(({ id, description, defaults }) => ({
    id,
    description: translated(`colors.${id.replace(/^parallax\./u, '')}.description`, description),
    defaults,
  }));
}

function taskDefinitions(translated: Translated): Json[] {
  const description = translated(
    `taskDefinitions.${TASK_TYPE}.properties.evalSet.description`,
    'The eval set to check, by its path; all of parallax.json when left out.',
  );
  const run = translated(
    `taskDefinitions.${TASK_TYPE}.properties.run.description`,
    'A line of the shell that starts a program, as in `python app/main.py`: its calls that retrieve are observed.',
  );
  return [
    {
      type: TASK_TYPE,
      properties: { evalSet: { type: 'string', description }, run: { type: 'string', description: run } },
    },
  ];
}

/** Texts for models stay English; the rest is for people. */
function tool(name: AgentToolName, translated: Translated): Json {
  const { title, userDescription, icon, description } = AGENT_TOOLS[name];
  const reference = name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  const key = `languageModelTools.${reference}`;
  return {
    name: editorToolName(name),
    displayName: translated(`${key}.displayName`, title),
    toolReferenceName: reference,
    canBeReferencedInPrompt: true,
    icon,
    tags: ['parallax', 'retrieval', 'rag'],
    userDescription: translated(`${key}.userDescription`, userDescription),
    modelDescription: description,
    inputSchema: inputSchemaOf(name),
  };
}

function walkthrough(translated: Translated): Json {
  const { id, title, description, icon, steps } = START;
  const key = `walkthroughs.${id}`;
  return {
    id,
    title: translated(`${key}.title`, title),
    description: translated(`${key}.description`, description),
    icon,
    steps: steps.map((step) => {
      const prefix = `${key}.steps.${step.id}`;
      return {
        id: step.id,
        title: translated(`${prefix}.title`, step.title),
        description: translated(`${prefix}.description`, step.description),
        media: {
          svg: step.media.svg,
          altText: translated(`${prefix}.media.altText`, step.media.altText),
        },
        completionEvents: step.completionEvents,
      };
    }),
  };
}

if (isMain(import.meta.url))
  for (const [name, content] of Object.entries(contributionFiles()))
    writeFileSync(path.join(ROOT, name), content);
