/** package.json and src/shared/contributions.ts say the same, both ways, defaults included. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMANDS, CONTEXT_KEYS, REVIEW_SCHEME, SETTINGS, VIEWS } from '../../src/shared/contributions.ts';
import { jsonSchemas } from '../../scripts/schemas.ts';
import { readManifest } from './manifest.ts';

interface Manifest {
  contributes: {
    commands: { command: string; title: string; category: string }[];
    configuration: { properties: Record<string, { default: unknown; scope?: string }> };
    views: Record<string, { id: string }[]>;
    viewsContainers: { activitybar: { id: string }[] };
    menus: Record<string, { command: string; when?: string }[]>;
    keybindings: { command: string; key: string; when: string }[];
    colors: { id: string }[];
  };
}

const manifest = readManifest<Manifest>();
const { commands, configuration, views, viewsContainers, menus, keybindings, colors } = manifest.contributes;

test('every command is contributed, and no other', () => {
  assert.deepEqual(commands.map(({ command }) => command).sort(), Object.values(COMMANDS).sort());
});

test('every setting is contributed with the default that the code assumes, and no other', () => {
  const contributed = Object.fromEntries(
    Object.entries(configuration.properties).map(([key, { default: value }]) => [key, value]),
  );
  assert.deepEqual(contributed, { ...SETTINGS });
});

test('the views exist', () => {
  assert.deepEqual(
    viewsContainers.activitybar.map(({ id }) => id),
    [VIEWS.container],
  );
  assert.deepEqual(
    views[VIEWS.container]?.map(({ id }) => id),
    [VIEWS.inspector, VIEWS.review, VIEWS.captured],
  );
});

test('keys of the review are bound only while a pair is open, and never where somebody types', () => {
  assert.deepEqual(Object.fromEntries(keybindings.map(({ key, command }) => [key, command])), {
    y: COMMANDS.reviewYes,
    n: COMMANDS.reviewNo,
    u: COMMANDS.reviewUnsure,
    s: COMMANDS.reviewSkip,
    z: COMMANDS.reviewUndo,
  });
  for (const { when } of keybindings) {
    assert.ok(when.startsWith(`${CONTEXT_KEYS.reviewing} && (`));
    assert.match(when, new RegExp(`focusedView == ${VIEWS.review} && !inputFocus`, 'u'));
    assert.match(when, new RegExp(`resourceScheme == ${REVIEW_SCHEME} &&`, 'u'));
  }
});

test('menus name contributed commands and known context keys', () => {
  const known = new Set<string>(Object.values(COMMANDS));
  const keys = new Set<string>(Object.values(CONTEXT_KEYS));
  const ids = new Set<string>([VIEWS.inspector, VIEWS.review, VIEWS.captured]);
  for (const { command, when } of [...Object.values(menus).flat(), ...keybindings]) {
    assert.ok(known.has(command), command);
    for (const key of when?.match(/parallax\.\w+/gu) ?? [])
      assert.ok(keys.has(key) || ids.has(key), `${key} in the menu of ${command}`);
  }
});

test('there is a theme colour for each perspective of the palette', () => {
  const palette = colors.map(({ id }) => id).filter((id) => /perspective\d$/u.test(id));
  assert.deepEqual(
    palette,
    Array.from({ length: 8 }, (_, index) => `parallax.perspective${index + 1}`),
  );
});

test('the contributed JSON schemas are the ones that the code validates with', () => {
  for (const [name, content] of Object.entries(jsonSchemas()))
    assert.equal(readFileSync(`schemas/${name}`, 'utf8'), content, `run: node scripts/schemas.ts (${name})`);
});
