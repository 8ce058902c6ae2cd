/** The contributions of package.json are generated; these tests check what the generator cannot. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  ANALYSES,
  COLORS,
  COMMANDS,
  CONTEXT_KEYS,
  VIEWS,
  views,
} from '../../src/shared/manifest/contributions.ts';
import { keybindings, menus } from '../../src/shared/manifest/menus.ts';
import { PERSPECTIVE_COLORS } from '../../src/features/inspector/contract/panel.ts';
import { SETTINGS, settingValue } from '../../src/shared/manifest/settings.ts';
import { contributionFiles } from '../../scripts/contributions.ts';
import { jsonSchemas } from '../../scripts/schemas.ts';
import { readManifest } from './manifest.ts';

interface Manifest {
  activationEvents: string[];
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown }> };
    colors: { id: string }[];
  };
}

const { activationEvents, contributes } = readManifest<Manifest>();
const { commands, configuration, colors } = contributes;

test('a folder of documents activates the extension, which has no other event before the panel opens', () => {
  assert.ok(activationEvents.includes('onStartupFinished'));
});

test('package.json and its texts match the code', () => {
  for (const [name, content] of Object.entries(contributionFiles()))
    assert.equal(readFileSync(name, 'utf8'), content, `run: node scripts/contributions.ts (${name})`);
});

test('the contributed JSON schemas match the code', () => {
  for (const [name, content] of Object.entries(jsonSchemas()))
    assert.equal(readFileSync(`schemas/${name}`, 'utf8'), content, `run: node scripts/schemas.ts (${name})`);
});

test('every command is contributed under its registered id', () => {
  assert.deepEqual(
    commands.map(({ command }) => command),
    Object.values(COMMANDS),
  );
});

interface Window {
  readonly folders: number;
  readonly language?: string;
  readonly file?: string;
  readonly capturing?: boolean;
  readonly reviewing?: boolean;
}

/** Evaluates a condition of the palette for a window. */
function isShown(
  when: string,
  { folders, language, file, capturing = false, reviewing = false }: Window,
): boolean {
  const facts: Readonly<Record<string, boolean>> = {
    'workspaceFolderCount > 0': folders > 0,
    'editorLangId =~ /^(python|(java|type)script(react)?)$/': language === 'python',
    'resourceExtname == .jsonl': file?.endsWith('.jsonl') ?? false,
    notebookType: false,
    [`!${CONTEXT_KEYS.capturing}`]: !capturing,
    [CONTEXT_KEYS.capturing]: capturing,
    [CONTEXT_KEYS.anyReview]: reviewing,
  };
  let condition = when;
  for (const [fact, holds] of Object.entries(facts)) condition = condition.replaceAll(fact, String(holds));
  const either = condition.replaceAll(/\(([^()]*)\)/gu, (_, inner: string) => String(inner.includes('true')));
  const all = either.split(' && ');
  assert.ok(
    all.every((each) => each === 'true' || each === 'false'),
    `an unknown condition: ${when}`,
  );
  return !all.includes('false');
}

test('the palette shows at most 15 commands, whatever file is open', () => {
  const entries = menus()['commandPalette']!;
  assert.deepEqual(entries.map(({ command }) => command).sort(), Object.values(COMMANDS).sort());
  const shownIn = (window: Window): string[] =>
    entries.filter(({ when }) => isShown(when!, window)).map(({ command }) => command);
  assert.deepEqual(shownIn({ folders: 0 }), [COMMANDS.getStarted]);
  assert.ok(shownIn({ folders: 1 }).includes(COMMANDS.ask));
  assert.ok(shownIn({ folders: 1, language: 'python' }).includes(COMMANDS.bindSite));
  assert.ok(shownIn({ folders: 1 }).includes(COMMANDS.runWithParallax));
  for (const window of [
    { folders: 1 },
    { folders: 1, capturing: true },
    { folders: 1, language: 'python', file: 'rag.py', reviewing: true },
    { folders: 1, file: 'questions.jsonl', reviewing: true },
  ])
    assert.ok(shownIn(window).length <= 15, `${shownIn(window).length} at once`);
});

test('a command outside the palette is in a menu, on a key or beside a call', () => {
  const { commandPalette, ...others } = menus();
  const placed = new Set<string>([
    ...[...Object.values(others).flat(), ...keybindings()].map(({ command }) => command),
    ...ANALYSES.flat().map((name) => COMMANDS[name]),
  ]);
  const hidden = commandPalette!.filter(({ when }) => when === 'false').map(({ command }) => command);
  // Buttons of the panel, and entries beside a call or in its hover.
  const elsewhere: readonly string[] = [
    ...[COMMANDS.judgeResults, COMMANDS.proposeStances, COMMANDS.lookDeeper, COMMANDS.showCaptured],
    COMMANDS.openInspector,
    ...[COMMANDS.evaluateSite, COMMANDS.cancelSite, COMMANDS.compareSite, COMMANDS.previewWhatIf],
    ...[COMMANDS.setSiteK, COMMANDS.measureSite, COMMANDS.measureCall, COMMANDS.judgeSite],
    COMMANDS.openCaptured,
    COMMANDS.reviewNote,
  ];
  assert.deepEqual(
    hidden.filter((command) => !placed.has(command) && !elsewhere.includes(command)),
    [],
  );
});

test('the panel menu has one entry for all analyses, and empty views are hidden', () => {
  const inPanel = menus()['view/title']!.filter(({ when }) => when?.includes(`view == ${VIEWS.inspector}`));
  const inList: ReadonlySet<string> = new Set(ANALYSES.flat().map((name) => COMMANDS[name]));
  assert.deepEqual(
    inPanel.filter(({ command }) => inList.has(command)),
    [],
  );
  assert.ok(inPanel.some(({ command }) => command === COMMANDS.analyse));
  assert.deepEqual(
    views().map(({ when }) => when),
    [
      undefined,
      CONTEXT_KEYS.anyReview,
      `${CONTEXT_KEYS.capturing} || ${CONTEXT_KEYS.observing} || ${CONTEXT_KEYS.anyCaptured}`,
    ],
  );
});

test('review keys are bound only while a pair is open, and never in text fields', () => {
  assert.deepEqual(Object.fromEntries(keybindings().map(({ key, command }) => [key, command])), {
    y: COMMANDS.reviewYes,
    n: COMMANDS.reviewNo,
    u: COMMANDS.reviewUnsure,
    s: COMMANDS.reviewSkip,
    z: COMMANDS.reviewUndo,
  });
  for (const { when = '' } of keybindings()) {
    assert.ok(when.startsWith(`${CONTEXT_KEYS.reviewing} && `));
    assert.match(when, new RegExp(`focusedView == ${VIEWS.review} && !inputFocus`, 'u'));
  }
});

test('conditions of menus name known context keys and views', () => {
  const known = new Set<string>([...Object.values(CONTEXT_KEYS), ...Object.values(VIEWS)]);
  for (const { command, when } of [...Object.values(menus()).flat(), ...keybindings()])
    for (const key of when?.match(/parallax\.\w+/gu) ?? [])
      assert.ok(known.has(key), `${key} in the menu of ${command}`);
});

test('each perspective of the palette has a theme colour', () => {
  const palette = colors.map(({ id }) => id).filter((id) => /perspective\d+$/u.test(id));
  assert.deepEqual(
    palette,
    Array.from({ length: PERSPECTIVE_COLORS }, (_, index) => COLORS.perspective(index)),
  );
});

test('the default of every setting is valid', () => {
  for (const key of Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]) {
    const shown = configuration.properties[key]?.default;
    assert.notEqual(shown, undefined);
    assert.deepEqual(settingValue(key, shown), shown);
    assert.deepEqual(settingValue(key, undefined), shown);
  }
});

test('an invalid setting counts as not set', () => {
  assert.equal(settingValue('parallax.judge', 7), 'auto');
  assert.equal(settingValue('parallax.autoJudge', 'no'), true);
  assert.equal(settingValue('parallax.requestBudget', -1), 0);
  assert.equal(settingValue('parallax.requestBudget', 1.5), 0);
  assert.equal(settingValue('parallax.inspector.historySize', 1001), 50);
  assert.equal(settingValue('parallax.inline.display', 'toString'), 'codeLens');
  assert.deepEqual(settingValue('parallax.inline.metrics', 'MRecall'), ['MRecall', 'Precision']);
  assert.deepEqual(settingValue('parallax.prices', [1]), {});
});

test('invalid entries of lists and tables are dropped, and the rest keeps its order', () => {
  assert.deepEqual(settingValue('parallax.inline.metrics', ['nDCG', 'gone', 'MRecall']), ['nDCG', 'MRecall']);
  assert.deepEqual(settingValue('parallax.inline.metrics', ['gone']), ['MRecall', 'Precision']);
  assert.deepEqual(settingValue('parallax.diagnostics.disabled', ['gone']), []);
  const good = { input: 0.15, output: 0.6 };
  assert.deepEqual(settingValue('parallax.prices', { good, bad: { input: 1 }, worse: 3 }), { good });
});
