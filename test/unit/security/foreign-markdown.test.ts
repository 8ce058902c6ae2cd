/** Hovers may run commands, so foreign text in them stays plain text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { marked, type Token } from 'marked';
import { escaped } from '../../../src/features/lens/host/hover-text.ts';
import { withoutLinks } from '../../../src/core/text/without-links.ts';
import { commandLink } from '../../../src/extension/platform/command-link.ts';

const SIGNS = ['[', ']', '(', ')', '<', '>', '!', '`', '*', '_', '~', '|', '\n', '\\', '&', '#', ' ', 'a'];
const PIECES = [
  'https://e.example',
  'www.e.example',
  'a@e.example',
  '![x](y)',
  '[x](command:y)',
  '<img src=x>',
  '$(gear)',
];

function kindsIn(markdown: string): Set<string> {
  const kinds = new Set<string>();
  marked.walkTokens(marked.lexer(markdown), ({ type }: Token) => void kinds.add(type));
  return kinds;
}

describe('text of a program in a hover', () => {
  it('become no link, picture, code, table or markup', () => {
    const words = fc
      .array(fc.constantFrom(...SIGNS, ...PIECES), { maxLength: 10 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, (text) => {
        for (const markdown of [
          `**Parallax** ${escaped(text)}`,
          `- ${escaped(text)}`,
          `| a |\n| --- |\n| ${escaped(text)} |`,
        ]) {
          const kinds = kindsIn(markdown);
          for (const kind of ['link', 'image', 'html', 'codespan', 'em', 'del', 'code', 'heading'])
            assert.ok(!kinds.has(kind), `${kind} in ${JSON.stringify(markdown)}`);
        }
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });
});

describe('a link that runs a command', () => {
  it('ends where it should and passes its argument unchanged', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SIGNS, ...PIECES, '"', "'", '%', '😀'), { maxLength: 10 }),
        (parts) => {
          const argument = { file: parts.join('') };
          const markdown = `[Open](${commandLink('parallax.open', argument)}) after`;
          const links: string[] = [];
          marked.walkTokens(marked.lexer(markdown), (token: Token) => {
            if (token.type === 'link') links.push(String(token['href']));
          });
          assert.equal(links.length, 1, markdown);
          const [command, query = ''] = links[0]!.split('?');
          assert.equal(command, 'command:parallax.open');
          assert.deepEqual(JSON.parse(decodeURIComponent(query)), [argument]);
        },
      ),
      { seed: 5, numRuns: 1_000 },
    );
    assert.equal(commandLink('parallax.open'), 'command:parallax.open');
  });
});

/**
 * What the editor treats as a link in a message (`parseLinkedText` in `linkedText.ts` of vscode), after it has joined
 * the lines.
 */
const MESSAGE_LINK = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+(?: (["']).+?\1)?\)/iu;

describe('foreign text in a message', () => {
  it('become no link', () => {
    const words = fc
      .array(fc.constantFrom(...SIGNS, ...PIECES, 'command:', 'file:', '\r\n', ']('), { maxLength: 10 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, (text) => {
        assert.doesNotMatch(withoutLinks(text).replace(/\r\n|\n|\r/gu, ' '), MESSAGE_LINK);
      }),
      { seed: 5, numRuns: 2_000 },
    );
    assert.match('See [this](command:y)', MESSAGE_LINK);
    assert.equal(withoutLinks('See [this](command:y), a[0](b)'), 'See [this] (command:y), a[0] (b)');
  });
});
