import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { interpreters, observed, plain, PROGRAMS, retrievals, run, type Outcome } from './observed-python.ts';

const pythons = interpreters();
/** Output that differs between runs of the interpreters. */
const steady = ({ code, signal, stdout, stderr }: Outcome): Outcome => ({
  code,
  signal,
  stdout: stdout.replaceAll(/0x[\da-f]+|(?<=started )\d+/gu, '0'),
  stderr: stderr.replaceAll(/0x[\da-f]+/gu, '0'),
});
const only = process.env['PARALLAX_PROGRAM'];

describe(
  'programs run the same with and without the hook',
  { skip: pythons.length === 0 && 'cannot run here: no Python from 3.9' },
  () => {
    const names = readdirSync(PROGRAMS).filter(
      (name) => name.endsWith('.py') && (!only || name.startsWith(only)),
    );
    for (const [place, name] of names.entries()) {
      // Each program under one old and one new interpreter. Running all takes minutes.
      const chosen = process.env['PARALLAX_PYTHONS'] === 'all' ? pythons : [pythons[place % pythons.length]!];
      for (const python of chosen)
        test(`${name} under ${python}`, async (context) => {
          const file = path.join(PROGRAMS, name);
          const without = steady(await run(file, { python }));
          if (without.stderr.includes('ModuleNotFoundError'))
            return context.skip(`cannot run here: ${without.stderr.trim().split('\n').at(-1)}`);
          const withHook = await observed([file], { python });
          assert.deepEqual(steady(withHook), without);
          assert.ok(withHook.messages.some(({ type }) => type === 'instrumented'));
          assert.deepEqual(
            withHook.messages.filter(({ type }) => type === 'skipped'),
            [],
          );
          const printed = [...without.stdout.matchAll(/^ ?>> (.*)$/gmu)].map(
            ([, text]) => JSON.parse(firstValue(text!)) as unknown,
          );
          if (printed.length > 0)
            assert.deepEqual(
              sorted(retrievals(withHook.messages).map(({ result }) => plain(result))),
              sorted(printed),
            );
          return undefined;
        });
    }
  },
);

/** A retrieval is sent when it ends, which may be after one that began later. */
function sorted(values: readonly unknown[]): string[] {
  return values.map((value) => JSON.stringify(value)).toSorted();
}

function firstValue(text: string): string {
  for (let end = text.length; end > 0; end--) {
    try {
      JSON.parse(text.slice(0, end));
      return text.slice(0, end);
    } catch {
      continue;
    }
  }
  return text;
}

test('the corpus has at least 25 programs', () => {
  assert.ok(readdirSync(PROGRAMS).filter((name) => name.endsWith('.py')).length >= 25);
  assert.match(readFileSync(path.join(PROGRAMS, 'sync.py'), 'utf8'), /# observe: /u);
});
