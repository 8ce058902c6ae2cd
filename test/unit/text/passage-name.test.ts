import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fullPassageName, passageName, passageNames } from '../../../src/core/text/passage-name.ts';

const named = (documentId: string, section?: string, title = 'Summary'): string =>
  passageName({ documentId, title, section, path: `/home/me/${documentId}` });

describe('the name of a passage', () => {
  it('is its file and its section', () => {
    assert.equal(
      named('text/0560-integer-overflow.md', 'Alternatives'),
      '0560-integer-overflow › Alternatives',
    );
    assert.equal(named('text/0560-integer-overflow.md'), '0560-integer-overflow');
    assert.equal(named('papers/a.b.pdf', 'p. 3'), 'a.b › p. 3');
    assert.equal(named('LICENSE'), 'LICENSE');
    assert.equal(named('.env.md'), '.env');
  });

  it('has the first and last of many headings, and all of them if they fit', () => {
    assert.equal(named('a.md', 'A › B › C › D'), 'a › A › … › D');
    assert.equal(named('a.md', 'A › B'), 'a › A › B');
    const passage = { documentId: 'a.md', title: '', section: 'A › B › C', path: '/a.md' };
    assert.equal(fullPassageName(passage), 'a › A › B › C');
    assert.equal(fullPassageName({ ...passage, section: undefined }), 'a');
    assert.equal(named('a.md', 'x'.repeat(200)).length, 64);
    assert.equal(named('a.md', 'x'.repeat(60)), `a › ${'x'.repeat(60)}`);
    assert.equal(named('a.md', `${'x'.repeat(58)} ${'y'.repeat(9)}`), `a › ${'x'.repeat(58)}…`);
  });

  it('is the folder for an index file', () => {
    assert.equal(named('web/api/fetch/index.md', 'Syntax'), 'fetch › Syntax');
    assert.equal(named('docs/concepts/_index.md'), 'concepts');
    assert.equal(
      named('modules/ROOT/pages/index.adoc', 'Syntax', 'Syntax highlighting'),
      'Syntax highlighting › Syntax',
    );
    assert.equal(named('index.html', undefined, 'Home'), 'Home');
    assert.equal(named('packages/core/README.md', 'Usage'), 'core/README › Usage');
    assert.equal(named('README.md'), 'README');
  });

  it('is the title if the file name is a number or a checksum', () => {
    assert.equal(named('pages/000123.html', 'Life', 'Ada Lovelace'), 'Ada Lovelace › Life');
    assert.equal(named('blobs/9f86d081884c7d65.txt', undefined, 'Ada'), 'Ada');
    for (const title of ['', '0123.md']) assert.equal(named('0123.md', undefined, title), '0123');
    assert.equal(named('facade.md'), 'facade');
  });

  it('is the name in a record', () => {
    const record = { documentId: 'doc-12', title: 'Ada Lovelace', path: '/home/me/corpus.jsonl' };
    assert.equal(passageName(record), 'Ada Lovelace');
    assert.equal(passageName({ ...record, title: '' }), 'doc-12');
    assert.equal(passageName({ documentId: 'a.md', title: 'T', path: 'C:\\ws\\a.md' }), 'a');
  });
});

it('has folders if files of equal name are listed together', () => {
  const together = (...ids: readonly string[]): string[] =>
    passageNames(ids.map((documentId) => ({ documentId, title: '', path: `/home/me/${documentId}` })));
  assert.deepEqual(together('a/x.md', 'b/y.md'), ['x', 'y']);
  assert.deepEqual(together('guides/a/x.md', 'guides/b/x.md', 'x.md'), ['a/x', 'b/x', 'x']);
  assert.deepEqual(together('one/a/x.md', 'two/a/x.md', 'two/a/x.md'), ['one/a/x', 'two/a/x', 'two/a/x']);
  assert.deepEqual(together('web/fetch/index.md', 'node/fetch/index.md'), ['web/fetch', 'node/fetch']);
  assert.deepEqual(together('a/core/README.md', 'b/core/README.md'), ['a/core/README', 'b/core/README']);
  assert.deepEqual(together('a/x.md', 'a/x.txt'), ['x', 'x']);
  assert.deepEqual(together('xa/x.md', 'a/x.md'), ['xa/x', 'a/x']);
  assert.deepEqual(together('one/a/x.md', 'two/a/x.md', 'one/b/x.md'), ['one/a/x', 'two/a/x', 'b/x']);
  assert.deepEqual(together('v/web/fetch/index.md', 'v/node/fetch/index.md'), ['web/fetch', 'node/fetch']);
  assert.deepEqual(together('web/fetch/index.md', 'fetch.md'), ['fetch', 'fetch']);
  const records = ['r1', 'r2'].map((documentId) => ({ documentId, title: 'Ada', path: '/c.jsonl' }));
  assert.deepEqual(passageNames(records), ['Ada', 'Ada']);
});
