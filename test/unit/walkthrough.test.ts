/** Every step of the walkthrough names an existing command and picture, else it could not be completed. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMANDS, CONTEXT_KEYS, STEPS_DONE, WALKTHROUGH } from '../../src/shared/manifest/contributions.ts';
import { watchEngine } from '../../src/extension/services/watch-engine.ts';
import { readManifest } from './manifest.ts';

interface Step {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly media: { readonly svg: string; readonly altText: string };
  readonly completionEvents: readonly string[];
}

interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly contributes: {
    readonly walkthroughs: readonly { readonly id: string; readonly steps: readonly Step[] }[];
  };
}

const { publisher, name, contributes } = readManifest<Manifest>();
const commands = new Set<string>(Object.values(COMMANDS));
const [walkthrough, ...others] = contributes.walkthroughs;

test('the command opens the only walkthrough', () => {
  assert.equal(WALKTHROUGH, `${publisher}.${name}#${walkthrough?.id}`);
  assert.deepEqual(others, []);
});

test('it has at most five steps', () => {
  const steps = walkthrough?.steps ?? [];
  assert.ok(steps.length > 0 && steps.length <= 5);
  assert.equal(new Set(steps.map(({ id }) => id)).size, steps.length);
});

for (const { id, description, media, completionEvents } of walkthrough?.steps ?? [])
  test(`step ${id} has a command, a completion event and a picture for each theme`, () => {
    const offered = [...description.matchAll(/\]\(command:([\w.]+)\)/gu)].map(([, command]) => command!);
    assert.ok(offered.length > 0);
    for (const command of offered) assert.ok(commands.has(command), command);
    assert.ok(completionEvents.length > 0);
    // Most users ask, compare and evaluate in a view, which runs no command.
    for (const event of completionEvents) {
      const [kind, what = ''] = event.split(':');
      assert.equal(kind, 'onContext', event);
      assert.ok(new Set<string>(Object.values(CONTEXT_KEYS)).has(what), event);
    }
    assert.ok(existsSync(media.svg) && media.altText !== '');
    const picture = readFileSync(media.svg, 'utf8');
    assert.match(picture, /var\(--vscode-/u);
    assert.doesNotMatch(picture, /(?:fill|stroke)="#/u);
  });

test('steps are completed by the requests of the views', async () => {
  const done: string[] = [];
  const engine = { request: () => Promise.resolve({}) } as unknown as Parameters<typeof watchEngine>[0];
  const requests = [
    ['side panel', 'search'],
    ['compare', 'compare'],
    ['inline', 'compare'],
    ['testing', 'evaluate'],
  ] as const;
  for (const [part, method] of requests) {
    const watched = watchEngine(engine, part, { onChange: () => undefined, onStep: (key) => done.push(key) });
    await watched.request('status', { corpus: '' });
    await watched.request(method, {} as never);
  }
  assert.deepEqual([CONTEXT_KEYS.indexed, ...done].sort(), [...STEPS_DONE].sort());
  const events = walkthrough!.steps.flatMap(({ completionEvents }) => completionEvents);
  assert.deepEqual(STEPS_DONE.map((key) => `onContext:${key}`).sort(), [...events].sort());
});
