import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderBlocks, renderedLine, renderMarkdown } from '../../../src/core/split/markdown.ts';

describe('Markdown as plain text', () => {
  it('is without the marks of blocks', () => {
    const markdown =
      '---\ntitle: x\n---\n# Head **x** #\n\n> [!NOTE]\n> quote\n\n| a | b |\n|---|---|\n| c | d |\n\n```js\n# code *x*\n```\n' +
      '- [ ] item\n1. two\n[x]: http://foo\n<!-- com\nment -->\n:::note\nhey\n:::\n!!! tip "T"\n    body\nTitle\n=====\n.. note:: abc\n';
    assert.equal(
      renderMarkdown(markdown).text,
      'Head x quote a | b c | d # code *x* • item • two hey "T" body Title abc',
    );
  });

  it('separates list items and drops empty ones', () => {
    for (const [markdown, read] of [
      ['- one\n- two\n  goes on\n- **three**\n\ntext', 'one • two goes on • three text'],
      ['Steps:\n1. do\n2. ![image](x.png)\n\nthen', 'Steps: • do then'],
      ['2. after\n10. last', 'after • last'],
    ] as const)
      assert.equal(renderMarkdown(markdown).text, read);
  });

  it('removes markup and keeps literal characters', () => {
    for (const [markdown, read] of [
      ['**Bold** and _em_ `a*b*c` snake_case 2 * 3 a*b', 'Bold and em a*b*c snake_case 2 * 3 a*b'],
      ['[text](http://x.y/a_(b)) [![b](i.svg)](l) end', 'text end'],
      ['`__init__` and __all__ and ``a`b``', '__init__ and all and a`b'],
      ['Uses {{domxref("Foo.bar")}} {{Compat}}here', 'Uses Foo.bar here'],
      ['{{< glossary_tooltip text="node" term_id="x" >}} is', 'node is'],
      ['Move <Tag type="new" on={x}>Trial</Tag> it <Icon name="a"/>', 'Move Trial it'],
      ['Vec<T> and <b class="x">bold</b> &amp; `<div>`', 'Vec<T> and bold & <div>'],
      ['[a][ref] [b][] note[^1] <https://x.y>', 'a b note https://x.y'],
      [':ref:`Text <target>` and `Text <url>`_', 'Text and Text'],
      ['link:a.html[Text] and <<id,Text>>', 'Text and Text'],
      ['\\# \\*not\\*', '# *not*'],
      ['Dépannage {/*troubleshooting*/} und {#anker} Ende', 'Dépannage und Ende'],
      ['<!-- a -->`<!-- b -->` stays, <!-- c', '<!-- b --> stays,'],
      ['  only   words ', 'only words'],
    ] as const)
      assert.equal(renderedLine(markdown), read);
  });

  it('separates blocks and joins the lines of a paragraph', () => {
    for (const [markdown, read] of [
      ['---\na: 1\n---\n## Head **x**\none\ntwo  \nthree\n\n\n\nfour', 'Head x\none two\nthree\n\nfour'],
      ['Title\n=====\ntext', 'Title\ntext'],
      ['- [ ] *a*\n  goes on\n  1. b\n\n> quote\n> more', '- [ ] a goes on\n  1. b\n\nquote\nmore'],
      ['|a|`b|c`|\n|-|-|\n| d | e |\nunder', 'a|b|c\nd | e\nunder'],
      ['text\n```py\nif x:\n    *y*\n\n    z\n```\nmore', 'text\nif x:\n    *y*\n\n    z\nmore'],
      ['<Intro>\n\nA `<Tab>` and Map<K, V>.\n\n</Intro>', 'A <Tab> and Map<K, V>.'],
      ['text <!-- one\n\ntwo --> goes on\n\n[a]: http://x', 'text\n\ngoes on'],
      ['a\tb   c\n \n```\na\tb  c\n```', 'a b c\n\na\tb  c'],
      ['Say ```x``` *or*\n`y` is *so*\n~5 of *six*', 'Say ```x``` or y is so ~5 of six'],
      ['either a | b *or*\nthe number #', 'either a | b or the number #'],
    ] as const)
      assert.equal(renderBlocks(markdown).text, read);
  });

  it('maps every letter to its place in the source', () => {
    const parts = fc.constantFrom(
      'word',
      ' ',
      '\n',
      '**',
      '_',
      '`',
      '[',
      ']',
      '(',
      ')',
      '# ',
      '<b>',
      '<!--',
      '-->',
      '{{',
      '}}',
      '|',
      '---',
      '\n- ',
      '\n1. ',
      '\\',
      '你好',
      '😀',
    );
    fc.assert(
      fc.property(
        fc.array(parts).map((all) => all.join('')),
        (markdown) => {
          for (const { text, source } of [renderMarkdown(markdown), renderBlocks(markdown)]) {
            assert.equal(text.length, source.length);
            source.forEach((at, place) => {
              assert.ok(place === 0 || at > source[place - 1]!);
              if (!/[\s•]/u.test(text[place]!)) assert.equal(markdown[at], text[place]);
              if (text[place] === '•') assert.match(markdown[at]!, /[-1]/u);
            });
            assert.equal(text.trimEnd(), text);
          }
        },
      ),
    );
  });

  it('runs in linear time', () => {
    for (const unit of [
      '[',
      '![',
      '[a](',
      '{{<',
      '{{',
      '`',
      '**a',
      '<!--',
      '[[a]',
      '<a ',
      '| ',
      '`a <',
      '<<a,',
      ':a:`',
      '.. ',
      '\\',
    ])
      renderMarkdown(unit.repeat(50_000));
  });
});
