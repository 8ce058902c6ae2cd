/** Stores files one after the other and prints the number of each stored one, until it is killed. */
import { writeSync } from 'node:fs';
import { Store } from '../../../src/engine/store/store.ts';

const { store } = Store.open(process.argv[2] ?? ':memory:', 'words');
const known = { size: 1, mtimeMs: 1, ctimeMs: 1, hash: 'h' };
for (let n = 1; ; n++) {
  const id = `file-${n}`;
  const pending = store.files.begin(id, known);
  store.files.addDocuments(pending, [
    {
      document: { id, title: id, text: id, verbatim: true, isRecord: false },
      passages: [
        { id: `${id}#p1`, text: id, span: { start: 0, end: 1 }, lines: { startLine: 0, endLine: 0 } },
      ],
    },
  ]);
  store.files.end(pending, known);
  writeSync(1, `${n}\n`);
}
