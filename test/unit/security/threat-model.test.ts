/** The threat model names existing files and tests. */
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

  it('names existing source files in its defence, or refers to the lines before', () => {
    for (const [, attack = '', defence = ''] of lines) {
      const doors = quoted(defence).filter((name) => /^(?:src|media)\//u.test(name));
      assert.ok(doors.length > 0 || /^(?:same|as for documents)$/u.test(defence), `${attack}: ${defence}`);
      assert.deepEqual(
        doors.filter((file) => !existsSync(file)),
        [],
      );
    }
  });

  it('names an existing test, or refers to the lines before', () => {
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
