/** Settings of VS Code's agents: set to the receiver, and put back whatever happens in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { AgentSettings, type AgentSettingsHost } from '../../../src/extension/capture/agent-settings.ts';

const URL = 'http://127.0.0.1:4444/long-enough-token/v1/traces';
const DECLARED = ['enabled', 'exporterType', 'otlpEndpoint', 'captureContent', 'outfile'];

/** One user's settings and what is kept of them, with windows that come and go. */
class Editor {
  readonly user = new Map<string, unknown>();
  readonly running = new Set<number>();
  elsewhere: string | undefined;
  declared: readonly string[] = DECLARED;
  kept: string | undefined;
  /** What is done, in order. */
  readonly log: string[] = [];
  /** As an editor that ends while settings are written. */
  failsAt: string | undefined;

  window(process: number): AgentSettings {
    this.running.add(process);
    const host: AgentSettingsHost = {
      inspect: (name) =>
        this.declared.includes(name)
          ? { user: this.user.get(name), elsewhere: name === this.elsewhere }
          : undefined,
      update: async (name, value) => {
        if (name === this.failsAt) throw new Error('ended');
        this.log.push(`set ${name}`);
        if (value === undefined) this.user.delete(name);
        else this.user.set(name, value);
      },
      kept: async () => (this.kept === undefined ? undefined : JSON.parse(this.kept)),
      keep: async (value) => {
        this.log.push(value ? 'keep' : 'forget');
        this.kept = value && JSON.stringify(value);
      },
      process,
      isRunning: (other) => this.running.has(other),
    };
    return new AgentSettings(host);
  }
}

const before = (): [string, unknown][] => [
  ['enabled', false],
  ['outfile', '/tmp/spans.jsonl'],
];
function editor(): Editor {
  const own = new Editor();
  for (const [name, value] of before()) own.user.set(name, value);
  return own;
}

test('what they were is kept before any is set, and all are back when capturing stops', async () => {
  const own = editor();
  const window = own.window(1);
  await window.set(URL);
  assert.deepEqual(Object.fromEntries(own.user), {
    enabled: true,
    exporterType: 'otlp-http',
    otlpEndpoint: 'http://127.0.0.1:4444/long-enough-token',
    captureContent: true,
    outfile: '',
  });
  assert.equal(own.log[0], 'keep');
  await window.stopped();
  assert.deepEqual([...own.user], before());
  assert.equal(own.log.at(-1), 'forget');
});

test('what an editor that ended left is put back at the next start, also where it ended half way', async () => {
  for (const failsAt of [undefined, 'otlpEndpoint']) {
    const own = editor();
    own.failsAt = failsAt;
    await own
      .window(1)
      .set(URL)
      .catch(() => undefined);
    assert.equal(own.user.get('enabled'), true);
    own.failsAt = undefined;
    assert.equal(await own.window(2).resume('file:///a'), undefined);
    assert.equal(own.user.get('enabled'), true, 'the first window is still there');
    own.running.delete(1);
    assert.equal(await own.window(3).resume('file:///a'), undefined);
    assert.deepEqual([...own.user], before());
    assert.equal(own.kept, undefined);
  }
});

test('a window that is loaded again for it goes on at the same place, once; no other does', async () => {
  const own = editor();
  const first = own.window(1);
  await first.set(URL);
  await first.reloading('file:///a');
  assert.equal(await own.window(2).resume('file:///b'), undefined);
  own.running.delete(1);
  const again = own.window(3);
  assert.deepEqual(await again.resume('file:///a'), {
    host: '127.0.0.1',
    port: 4444,
    token: 'long-enough-token',
  });
  assert.equal(own.user.get('enabled'), true);
  await again.stopped();
  assert.deepEqual([...own.user], before());
  assert.equal(await own.window(4).resume('file:///a'), undefined);
});

test('what the user set otherwise meanwhile stays', async () => {
  const own = editor();
  const window = own.window(1);
  await window.set(URL);
  own.user.set('otlpEndpoint', 'http://collector:4318');
  await window.stopped();
  assert.deepEqual([...own.user].sort(), [...before(), ['otlpEndpoint', 'http://collector:4318']].sort());
});

test('where no agent is, another window captures, or the workspace says otherwise, nothing is touched', async () => {
  const cases: [string, (own: Editor) => Promise<void> | void][] = [
    ['not-found', (own) => void (own.declared = [])],
    ['bad-argument', (own) => void (own.elsewhere = 'enabled')],
    ['bad-argument', (own) => own.window(7).set(URL)],
  ];
  for (const [id, prepare] of cases) {
    const own = editor();
    await prepare(own);
    const was = [...own.user];
    await assert.rejects(own.window(1).set(URL), (error) => ParallaxError.is(error) && error.id === id);
    assert.deepEqual([...own.user], was);
  }
});

test('stopping in a window that never set them leaves those of another alone', async () => {
  const own = editor();
  await own.window(1).set(URL);
  await own.window(2).stopped();
  assert.equal(own.user.get('enabled'), true);
});
