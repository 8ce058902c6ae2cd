/** Settings of VS Code's agents point to the receiver while capturing and are restored in every case. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { AgentSettings, type AgentSettingsHost } from '../../../src/features/capture/host/agent-settings.ts';

const URL = 'http://127.0.0.1:4444/long-enough-token/v1/traces';
const COPILOT = 'github.copilot.chat.otel';
const HOST = 'chat.agentHost.otel';
const NAMES = ['enabled', 'exporterType', 'otlpEndpoint', 'captureContent', 'outfile'];
/** As both declare them, but for the address. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  enabled: false,
  exporterType: 'otlp-http',
  otlpEndpoint: '',
  captureContent: false,
  outfile: '',
};
const DECLARED = [COPILOT, HOST].flatMap((family) => NAMES.map((name) => `${family}.${name}`));

/** The settings of one user, with windows that open and close. */
class Editor {
  readonly user = new Map<string, unknown>();
  readonly running = new Set<number>();
  readonly windows = new Map<number, AgentSettings>();
  elsewhere: string | undefined;
  declared: readonly string[] = DECLARED;
  kept: string | undefined;
  /** The operations in order. */
  readonly log: string[] = [];
  /** Simulates an editor that ends while settings are written. */
  failsAt: string | undefined;
  booted = 0;
  /** How often a window reported that it restored another window's settings. */
  said = 0;

  window(process: number): AgentSettings {
    this.running.add(process);
    const host: AgentSettingsHost = {
      inspect: (name) =>
        this.declared.includes(name)
          ? {
              user: this.user.get(name),
              isDefault: (value) => value === DEFAULTS[name.split('.').at(-1)!],
              elsewhere: name === this.elsewhere,
            }
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
      booted: () => this.booted,
      onPutBack: () => this.said++,
      log: (message) => this.log.push(message),
    };
    const window = new AgentSettings(host);
    this.windows.set(process, window);
    return window;
  }
}

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);

/** A clock that advances only on request and runs what is due. */
function clock(t: TestContext): (milliseconds: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: START });
  return async (milliseconds) => {
    for (let passed = 0; passed < milliseconds; passed += MINUTE) {
      t.mock.timers.tick(MINUTE);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}

const before = (): [string, unknown][] => [
  [`${COPILOT}.enabled`, false],
  [`${COPILOT}.outfile`, '/tmp/spans.jsonl'],
  [`${HOST}.otlpEndpoint`, 'http://collector:4318'],
];
function editor(): Editor {
  const own = new Editor();
  for (const [name, value] of before()) own.user.set(name, value);
  return own;
}

test('saves the settings before it changes them, and restores them when capturing stops', async () => {
  const own = editor();
  const window = own.window(1);
  await window.set(URL, 'file:///a');
  const wanted = {
    enabled: true,
    exporterType: 'otlp-http',
    otlpEndpoint: 'http://127.0.0.1:4444/long-enough-token',
    captureContent: true,
    outfile: '',
  };
  for (const family of [COPILOT, HOST])
    for (const [name, value] of Object.entries(wanted))
      assert.equal(own.user.get(`${family}.${name}`) ?? DEFAULTS[name], value, `${family}.${name}`);
  // The editor asks to reload for each.
  assert.deepEqual(own.log, [
    'keep',
    ...['enabled', 'otlpEndpoint', 'captureContent', 'outfile'].map((name) => `set ${COPILOT}.${name}`),
    ...['enabled', 'otlpEndpoint', 'captureContent'].map((name) => `set ${HOST}.${name}`),
  ]);
  await window.stopped();
  assert.deepEqual([...own.user], before());
  assert.equal(own.log.at(-1), 'forget');
});

test('restores the settings of an editor that ended, even half way through', async () => {
  for (const failsAt of [undefined, `${HOST}.captureContent`]) {
    const own = editor();
    own.failsAt = failsAt;
    await own
      .window(1)
      .set(URL, 'file:///a')
      .catch(() => undefined);
    assert.equal(own.user.get(`${HOST}.enabled`), true);
    own.failsAt = undefined;
    assert.equal(await own.window(2).resume('file:///b'), undefined);
    assert.equal(own.user.get(`${HOST}.enabled`), true, 'the first window is still there');
    own.running.delete(1);
    assert.equal(await own.window(3).resume('file:///b'), undefined);
    assert.deepEqual([...own.user], before());
    assert.equal(own.kept, undefined);
  }
});

for (const by of ['Parallax', 'the editor, which asks for each setting'])
  test(`a window reloaded for capturing by ${by} continues once, and no other window does`, async () => {
    const own = editor();
    const first = own.window(1);
    await first.set(URL, 'file:///a');
    if (by === 'Parallax') await first.reloading('file:///a');
    assert.equal(await own.window(2).resume('file:///b'), undefined);
    own.running.delete(1);
    const again = own.window(3);
    assert.deepEqual(await again.resume('file:///a'), {
      host: '127.0.0.1',
      port: 4444,
      token: 'long-enough-token',
    });
    assert.equal(own.user.get(`${HOST}.enabled`), true);
    await again.stopped();
    assert.deepEqual([...own.user], before());
    assert.equal(await own.window(4).resume('file:///a'), undefined);
  });

test('a second window on the folder does not take over, but waits until a reloaded one has ended', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const ends of [false, true]) {
    const own = editor();
    await own.window(1).set(URL, 'file:///a');
    const resumed = own.window(2).resume('file:///a');
    for (let polls = 0; polls < 60; polls++) {
      if (ends && polls === 10) own.running.delete(1);
      await new Promise((resolve) => setImmediate(resolve));
      t.mock.timers.tick(100);
    }
    assert.equal((await resumed)?.port, ends ? 4444 : undefined);
    assert.equal(own.user.get(`${HOST}.enabled`), true);
    for (const window of own.windows.values()) window.dispose();
  }
});

test('keeps changes that the user made during capturing', async () => {
  const own = editor();
  const window = own.window(1);
  await window.set(URL, 'file:///a');
  own.user.set(`${HOST}.otlpEndpoint`, 'http://mine:4318');
  await window.stopped();
  assert.deepEqual(Object.fromEntries(own.user), {
    ...Object.fromEntries(before()),
    [`${HOST}.otlpEndpoint`]: 'http://mine:4318',
  });
});

test('changes nothing without an agent, while another window captures, or if a policy forbids it', async () => {
  const cases: [string, (own: Editor) => Promise<void> | void][] = [
    ['not-found', (own) => void (own.declared = [])],
    ['bad-argument', (own) => void (own.elsewhere = `${HOST}.enabled`)],
    ['bad-argument', (own) => own.window(7).set(URL, 'file:///a')],
  ];
  for (const [id, prepare] of cases) {
    const own = editor();
    await prepare(own);
    const was = [...own.user];
    await assert.rejects(
      own.window(1).set(URL, 'file:///a'),
      (error) => ParallaxError.is(error) && error.id === id,
    );
    assert.deepEqual([...own.user], was);
  }
});

test('an editor with one of the two kinds of agents has only its settings set', async () => {
  for (const family of [COPILOT, HOST]) {
    const own = new Editor();
    own.declared = DECLARED.filter((name) => name.startsWith(family));
    await own.window(1).set(URL, 'file:///a');
    assert.deepEqual(
      [...own.user.keys()].sort(),
      ['captureContent', 'enabled', 'otlpEndpoint'].map((name) => `${family}.${name}`),
    );
    await own.windows.get(1)!.stopped();
    assert.equal(own.user.size, 0);
  }
});

test('stopping in another window keeps the settings', async () => {
  const own = editor();
  await own.window(1).set(URL, 'file:///a');
  await own.window(2).stopped();
  assert.equal(own.user.get(`${HOST}.enabled`), true);
});

test('a window that reports capturing keeps its settings for days', async (t) => {
  const pass = clock(t);
  const own = editor();
  await own.window(1).set(URL, 'file:///a');
  await pass(60 * MINUTE);
  await own.window(2).resume('file:///a');
  await pass(60 * MINUTE);
  assert.equal(own.user.get(`${HOST}.enabled`), true);
  await assert.rejects(own.windows.get(2)!.set(URL, 'file:///a'), /Another window already captures/u);
  assert.equal(own.said, 0);
});

test('a reused process id does not keep settings', async (t) => {
  const pass = clock(t);
  const cases: [string, number, (own: Editor) => Promise<void> | void][] = [
    ['the machine was started since', 2, (own) => void (own.booted = START + 120 * MINUTE)],
    ['it has long said nothing', 2, () => pass(3 * MINUTE)],
    ['this window has the number', 1, () => undefined],
  ];
  for (const [why, process, then] of cases) {
    const own = editor();
    await own.window(1).set(URL, 'file:///a');
    own.windows.get(1)!.dispose();
    await then(own);
    assert.equal(await own.window(process).resume('file:///b'), undefined, why);
    assert.deepEqual([...own.user], before(), why);
    assert.equal(own.said, 1, why);
  }
});

test('a window restores the settings of another once that has ended, whoever reuses its process id', async (t) => {
  const pass = clock(t);
  for (const isReused of [false, true]) {
    const own = editor();
    await own.window(1).set(URL, 'file:///a');
    await own.window(2).resume('file:///b');
    await pass(2 * MINUTE);
    assert.equal(own.user.get(`${HOST}.enabled`), true);
    // Simulates a killed window.
    own.windows.get(1)!.dispose();
    if (!isReused) own.running.delete(1);
    await pass(isReused ? 4 * MINUTE : MINUTE);
    assert.deepEqual([...own.user], before());
    assert.equal(own.said, 1);
  }
});

test('waits for a reloading window, but not forever', async (t) => {
  const pass = clock(t);
  const own = editor();
  await own.window(1).set(URL, 'file:///a');
  await own.window(2).resume('file:///b');
  await own.windows.get(1)!.reloading('file:///a');
  own.windows.get(1)!.dispose();
  own.running.delete(1);
  await pass(MINUTE);
  assert.equal(own.user.get(`${HOST}.enabled`), true);
  await pass(4 * MINUTE);
  assert.deepEqual([...own.user], before());
  assert.equal(await own.window(3).resume('file:///a'), undefined, 'it came too late');
});
