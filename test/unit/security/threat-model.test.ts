/** The threat model names files and tests that are there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const lines = readFileSync('docs/threat-model.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Asset') && !line.startsWith('| ---'))
  .map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/gu)].map(([, name]) => name!);

describe('every line of the threat model', () => {
  it('has an asset, an attack, a defence and a test', () => {
    assert.ok(lines.length > 30);
    for (const cells of lines) {
      assert.equal(cells.length, 4, cells.join(' | '));
      assert.ok(cells.every((cell) => cell.trim() !== ''));
    }
  });

  it('names files that are there', () => {
    const files = lines
      .flatMap(([, , defence = '']) => quoted(defence))
      .filter((name) => name.startsWith('src/'));
    assert.ok(files.length > 20);
    assert.deepEqual(
      files.filter((file) => !existsSync(file)),
      [],
    );
  });

  it('names a test that is there, or refers to the lines before', () => {
    for (const [, attack = '', , test = ''] of lines) {
      const files = quoted(test);
      assert.ok(files.length > 0 || /^(?:same|as for documents)$/u.test(test), attack);
      assert.deepEqual(
        files.filter((file) => !existsSync(`test/${file}`)),
        [],
      );
    }
  });
});
