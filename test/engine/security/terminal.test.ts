/** Documents, titles and answers cannot send commands to a terminal or a workflow log. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import '../../fixtures/built.ts';

/** Clears the screen, sets a title and the clipboard, overwrites the line, reverses the text. */
const ORDERS = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u001b]52;c;b3du\u0007\rmrow\b\b \u202egnp.exe\u2066';
const COMMAND = '::error file=a.ts,line=1::forged';
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

/** Of jobs of CI. */
const OUTSIDE = {
  CI: '',
  GITHUB_ACTIONS: '',
  GITLAB_CI: '',
  TF_BUILD: '',
  TEAMCITY_VERSION: '',
  BUILDKITE: '',
};

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-terminal-'));
before(() => {
  const record = { _id: `id${ORDERS}`, title: `Trams ${ORDERS}`, text: `trams ${ORDERS}\n${COMMAND}` };
  writeFileSync(path.join(folder, 'docs.jsonl'), JSON.stringify(record));
  parallax(['index', 'docs.jsonl', '--store', 'store']);
  mkdirSync(path.join(folder, 'files'));
  writeFileSync(path.join(folder, 'files', 'a\n  1  0.9  forged.md'), 'trams');
  writeFileSync(path.join(folder, 'files', 'b\nforged: skipped.pdf'), 'none');
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The output of a command. */
function parallax(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr } = spawnSync(process.execPath, [path.resolve('dist/cli.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...OUTSIDE, ...env },
  });
  return stdout + stderr;
}

const search = (args: readonly string[], env?: Readonly<Record<string, string>>): string =>
  parallax(['search', '--store', 'store', 'trams', ...args], env);

describe('a document with terminal escape sequences', () => {
  it('is shown without them', () => {
    const shown = search([]);
    assert.match(shown, /trams \uFFFD\[2J/u);
    assert.doesNotMatch(shown, ACTING);
  });

  it('reaches programs unchanged, escaped as in JSON', () => {
    const { passages } = JSON.parse(search(['--json', '--pipeline', 'bm25'])) as {
      passages: { title: string }[];
    };
    assert.equal(passages[0]!.title, `Trams ${ORDERS}`);
  });

  it('gives a workflow no commands', () => {
    const given = `no\n${COMMAND}\n \t${COMMAND} ##vso[task.complete]`;
    for (const runner of [{ GITHUB_ACTIONS: 'true' }, { TF_BUILD: 'True' }, { CI: 'true' }]) {
      const shown = search(['--pipeline', given], runner);
      assert.match(shown, /::error file/u);
      assert.doesNotMatch(shown, /^\s*::|##vso\[/mu);
    }
    assert.match(search(['--pipeline', given]), /^::error/mu);
  });

  it('breaks no line by its file name', { skip: process.platform === 'win32' }, () => {
    const indexed = parallax(['index', 'files', '--store', 'named']);
    assert.match(indexed, /^skipped .*b\uFFFDforged: skipped\.pdf: /mu);
    const shown = parallax(['search', '--store', 'named', 'trams']);
    assert.equal(shown.split('\n').filter((line) => /^ {2}\d {2}/u.test(line)).length, 1, shown);
  });

  it('has no effect in an error either', () => {
    const shown = search(['--pipeline', `no${ORDERS}`]);
    assert.match(shown, /There is no pipeline "no\uFFFD/u);
    assert.doesNotMatch(shown, ACTING);
  });
});
