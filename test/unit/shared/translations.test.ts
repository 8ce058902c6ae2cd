/** Translations in the page of a panel are data: the page reads any text back and runs nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultTreeAdapter as tree, parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { TEXTS_ID, textsElement } from '../../../src/shared/translations.ts';

/** Every script of a page with the element, as a browser reads it: its attributes and its text. */
function scripts(element: string): { attributes: Record<string, string>; text: string }[] {
  const found: ReturnType<typeof scripts> = [];
  const visit = (node: Tree.Node): void => {
    if (tree.isElementNode(node) && node.tagName === 'script')
      found.push({
        attributes: Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])),
        text: node.childNodes.map((child) => (tree.isTextNode(child) ? child.value : '')).join(''),
      });
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(`<!DOCTYPE html><body><main></main>${element}<script src="panel.js"></script></body>`));
  return found;
}

function read(element: string): unknown {
  const [data, panel, ...others] = scripts(element);
  assert.deepEqual(data?.attributes, { type: 'application/json', id: TEXTS_ID });
  assert.deepEqual(panel, { attributes: { src: 'panel.js' }, text: '' });
  assert.deepEqual(others, []);
  return JSON.parse(data.text);
}

test('a text cannot end the element or start a comment in it', () => {
  const hostile = {
    Ask: '</script><script>alert(1)</script>',
    Search: '<!--<script>',
    '</SCRIPT >': ']]>\u2028"\\u003c',
  };
  assert.deepEqual(read(textsElement(hostile)), hostile);
  assert.equal(textsElement(hostile).match(/</gu)?.length, 2, 'its own two tags');
});

test('reads back any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('<', '</script>', '<!--', '-->', '<script', '\0', '&lt;', '\r\n'),
  );
  const texts = fc.array(
    fc.tuple(
      fc.string(),
      fc.array(text).map((parts) => parts.join('')),
    ),
  );
  fc.assert(
    fc.property(texts, (entries) => {
      const translations = Object.fromEntries(entries);
      assert.deepEqual(read(textsElement(translations)), translations);
    }),
  );
});

test('omits comments for translators', () => {
  const bundle = { 'Open/A button: a verb': { message: 'Öffnen', comment: ['A button: a verb'] } };
  assert.deepEqual(read(textsElement(bundle)), { 'Open/A button: a verb': 'Öffnen' });
});

test('has no element in English', () => {
  assert.equal(textsElement(undefined), '');
});
