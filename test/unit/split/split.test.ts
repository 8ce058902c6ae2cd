import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { SECTIONS_SPLIT, splitSchema, type SplitSpec } from '../../../src/core/split/spec.ts';
import {
  eachPassage,
  fitsOnePassage,
  type SplitTools,
  type TextForm,
} from '../../../src/core/split/split.ts';
import { headingsOf, pathDepth, sharedPath } from '../../../src/core/split/headings.ts';
import { wordsOf } from '../../../src/core/split/words.ts';

/** A tokenizer with a token for each UTF-8 byte, the hardest case for character boundaries. */
const byteTokens: SplitTools = {
  *tokenEnds(text) {
    let end = 0;
    for (const character of text) {
      end += character.length;
      for (let byte = Buffer.byteLength(character); byte > 0; byte--) yield end;
    }
  },
};

const splitText = (...all: Parameters<typeof eachPassage>) => [...eachPassage(...all)];
const texts = (text: string, spec: SplitSpec) =>
  splitText(text, spec, byteTokens).map((passage) => passage.text);
const words = (size: number, overlap = 0): SplitSpec => ({ type: 'words', size, overlap });
const sentences = (size: number, overlap = 0): SplitSpec => ({ type: 'sentences', size, overlap });

/** Documents of the elements that splitting must handle. */
const documents = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[a-zA-Z]{1,8}$/) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(' ', '\n', '\r\n', '\r', '\t', '\n\n', '\u00a0', '\u3000', '\ufeff'),
      },
      { weight: 2, arbitrary: fc.constantFrom('. ', '! ', '? ', 'Dr. ', 'e.g. ', '1. ', '- ', '* ', '"') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('# ', '\n## T\n', '\n===\n', '\n---\n', '```\n', '> ', '| a | b |\n'),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '我们支持这个政策。',
          'ประเทศไทย',
          'これは文です',
          '😀',
          '𠮷',
          '\ud800',
          '\udc00',
        ),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 10 }) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

const sizes = fc.integer({ min: 1, max: 12 });
const windowed = fc
  .tuple(fc.constantFrom('words', 'tokens', 'sentences'), sizes, fc.nat(11))
  .map(([type, size, overlap]) => ({ type, size, overlap: overlap % size }) as SplitSpec);
const specs = fc.oneof(
  windowed,
  sizes.map((maxWords): SplitSpec => ({ type: 'headings', maxWords })),
  fc.constant<SplitSpec>({ type: 'none' }),
);

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff;
const cutsPair = (text: string, at: number) =>
  at > 0 && isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at));

describe('every split', () => {
  it('returns trimmed slices in order and cuts no surrogate pair; unsplit text is not trimmed', () => {
    fc.assert(
      fc.property(documents, specs, (text, spec) => {
        let previous = { start: 0, end: 0 };
        for (const { text: passage, span } of splitText(text, spec, byteTokens)) {
          assert.equal(passage, text.slice(span.start, span.end));
          assert.equal(passage, spec.type === 'none' ? text : passage.trim());
          assert.notEqual(passage, '');
          assert.ok(span.start >= previous.start && span.end > previous.end, 'in order');
          assert.ok(!cutsPair(text, span.start) && !cutsPair(text, span.end), 'no pair is cut');
          previous = span;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('covers every character except whitespace, once without an overlap', () => {
    fc.assert(
      fc.property(documents, specs, (text, spec) => {
        const covered = new Uint8Array(text.length);
        for (const { span } of splitText(text, spec, byteTokens))
          for (let at = span.start; at < span.end; at++) covered[at]!++;
        const overlaps = 'overlap' in spec && spec.overlap > 0;
        for (let at = 0; at < text.length; at++) {
          if (/\s/.test(text[at]!)) continue;
          assert.ok(covered[at]! >= 1, `offset ${at} is lost`);
          if (!overlaps) assert.equal(covered[at], 1, `offset ${at} is in two passages`);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('returns the lines of the first and the last character as an editor counts them', () => {
    const lineOf = (text: string, offset: number) =>
      [...text.matchAll(/\r\n|\n|\r/g)].filter((lineBreak) => lineBreak.index + lineBreak[0].length <= offset)
        .length;
    fc.assert(
      fc.property(documents, specs, (text, spec) => {
        for (const { span, lines } of splitText(text, spec, byteTokens))
          assert.deepEqual(lines, {
            startLine: lineOf(text, span.start),
            endLine: lineOf(text, span.end - 1),
          });
      }),
      { numRuns: 500 },
    );
  });

  it('returns nothing for a text without content', () => {
    for (const type of ['none', 'words', 'tokens', 'sentences', 'headings'])
      for (const text of ['', ' ', '\r\n\t\u00a0\n'])
        assert.deepEqual(texts(text, splitSchema.parse({ type })), []);
  });

  it('refuses an overlap as large as the size', () => {
    for (const type of ['words', 'tokens', 'sentences'] as const) {
      const spec: SplitSpec = { type, size: 5, overlap: 5 };
      assert.throws(
        () => splitText('a b c', spec, byteTokens),
        (error) =>
          ParallaxError.is(error, 'bad-config') &&
          /overlap \(5\) must be smaller than the size \(5\)/.test(error.message),
      );
      assert.match(splitSchema.safeParse(spec).error?.issues[0]?.message ?? '', /overlap must be smaller/);
    }
  });

  it('yields passages before it has read the whole text', () => {
    const first = eachPassage('word '.repeat(1_000_000), words(100)).next();
    assert.equal(first.value?.text.split(' ').length, 100);
  });
});

describe('words', () => {
  it('makes disjoint passages of the size, the last one shorter', () => {
    assert.deepEqual(texts('one two  three\nfour\tfive', words(2)), ['one two', 'three\nfour', 'five']);
  });

  it('advances by size − overlap and stops at the end', () => {
    assert.deepEqual(texts('a b c d e', words(3, 1)), ['a b c', 'c d e']);
    assert.deepEqual(texts('a b c d e f', words(3, 2)), ['a b c', 'b c d', 'c d e', 'd e f']);
  });

  it('counts words in scripts without spaces, with punctuation added to the word before', () => {
    const passages = texts('我们支持这个政策。他们反对。', words(3));
    assert.equal(passages.join(''), '我们支持这个政策。他们反对。');
    assert.equal(passages[0], '我们支持这个');
    assert.ok(passages.every((passage) => !passage.startsWith('。')));
    assert.ok(texts('ประเทศไทยมีประชากรมาก', words(1)).length > 2);
  });

  it('cuts a long run without whitespace', () => {
    assert.deepEqual(
      splitText('x'.repeat(2500), words(1)).map(({ text }) => text.length),
      [1000, 1000, 500],
    );
    assert.deepEqual(
      splitText('😀'.repeat(1500), words(1)).map(({ text }) => text.length),
      [2000, 1000],
    );
  });

  it('splits a single line of ten million characters', () => {
    const passages = splitText('perspective '.repeat(900_000), words(100));
    assert.equal(passages.length, 9000);
    assert.deepEqual(passages.at(-1)?.lines, { startLine: 0, endLine: 0 });
  });
});

describe('tokens', () => {
  it('counts tokens, also those that share a character', () => {
    assert.deepEqual(texts('abcdef', { type: 'tokens', size: 4, overlap: 0 }), ['abcd', 'ef']);
    // Four bytes each: the window of six ends inside the second, which belongs wholly to the first passage.
    assert.deepEqual(texts('😀😀😀', { type: 'tokens', size: 6, overlap: 0 }), ['😀😀', '😀']);
  });

  it('throws without a tokenizer', () => {
    assert.throws(
      () => splitText('a', { type: 'tokens', size: 4, overlap: 0 }),
      (error) => ParallaxError.is(error, 'bad-argument') && /tokenizer/.test(error.message),
    );
  });
});

describe('sentences', () => {
  it('moves a window over them', () => {
    assert.deepEqual(texts('One. Two. Three. Four.', sentences(2, 1)), [
      'One. Two.',
      'Two. Three.',
      'Three. Four.',
    ]);
  });

  it('joins wrapped lines and stops at paragraphs, list items and headings', () => {
    const text =
      '# Why\nA sentence that is\r\nwrapped. Another\n \nNew paragraph\n- item one\n- item two\n2) more';
    assert.deepEqual(texts(text, sentences(1)), [
      '# Why',
      'A sentence that is\r\nwrapped.',
      'Another',
      'New paragraph',
      '- item one',
      '- item two',
      '2) more',
    ]);
  });

  it('does not stop at abbreviations, initials and numbers of lists and figures', () => {
    for (const sentence of [
      'Dr. Smith met J. R. Jones.',
      'See Fig. 3 and No. 5 for it.',
      'Some, e.g. Paris, i.e. France, agree.',
      '1. First point.',
      'It grew by 3.5 percent.',
      'It is shown in Fig. 3.',
    ])
      assert.deepEqual(texts(`${sentence} Next one.`, sentences(1)), [sentence, 'Next one.']);
    for (const sentence of ['He said no.', 'The answer is No.', 'They were 12.', 'The 3 were 12.'])
      assert.deepEqual(texts(`${sentence} Then 5 left.`, sentences(1)), [sentence, 'Then 5 left.']);
  });

  it('recognises full stops of other scripts', () => {
    assert.deepEqual(texts('これは文です。次の文です。', sentences(1)), ['これは文です。', '次の文です。']);
  });

  it('never makes a passage without words', () => {
    assert.deepEqual(texts('One.\n\n---\n\nTwo.\n***', sentences(1)), ['One.\n\n---', 'Two.\n***']);
    assert.deepEqual(texts('---\nOne.', sentences(1)), ['---\nOne.']);
  });

  it('cuts pages of text without a full stop', () => {
    const passages = splitText('word '.repeat(100_000), sentences(1));
    assert.equal(passages.length, 500);
    const long = `A ${'a '.repeat(300)}z.`;
    assert.deepEqual(texts(`${'It is so. '.repeat(200)}${long}`, sentences(1)).slice(200), [long]);
  });
});

describe('headings', () => {
  const split = (text: string, maxWords = 300) =>
    splitText(text, { type: 'headings', maxWords }, {}, { headings: 'markdown' }).map(
      ({ text: passage, section }) => [section, passage],
    );

  it('makes a passage of each section and lists the headings above it', () => {
    assert.deepEqual(
      split('intro\n\n# A #\ntext a\n## B\ntext b\n### C\ntext c\n## D\ntext d\n# E\ntext e'),
      [
        [undefined, 'intro'],
        ['A', '# A #\ntext a'],
        ['A › B', '## B\ntext b'],
        ['A › B › C', '### C\ntext c'],
        ['A › D', '## D\ntext d'],
        ['E', '# E\ntext e'],
      ],
    );
  });

  it('recognises setext headings, also over several lines', () => {
    assert.deepEqual(split('Big\ntitle\n===\none\n\nSmall\n---\ntwo\n\nBig too\n===\nthree'), [
      ['Big title', 'Big\ntitle\n===\none'],
      ['Big title › Small', 'Small\n---\ntwo'],
      ['Big too', 'Big too\n===\nthree'],
    ]);
  });

  it('ignores headings in code, front matter, rules, lists, tables and hashtags', () => {
    for (const text of [
      '```sh\n# comment\n```\nend',
      '~~~~\n# comment\n~~~\n# still code\n~~~~',
      '---\ntitle: x\nlayout: y\n---\ntext',
      'text\n\n---\n\nmore',
      '- item\n---\nmore',
      '| a | b |\n---\nmore',
      '    # indented code',
      '#hashtag and #1',
      '> quote\n---',
    ])
      assert.deepEqual(split(text), [[undefined, text.trim()]], JSON.stringify(text));
  });

  it('finds headings after code, a rule, a heading and an unclosed element', () => {
    for (const [text, ...sections] of [
      ['```sh\n# one\n# two\n```\n## B\ntext', undefined, 'B'],
      ['````\n```\n# no\n``` no\n````\n## B\ntext', undefined, 'B'],
      ['<!--\n# one\n# two\n-->\n## B\ntext', undefined, 'B'],
      ['para\n## B\n---\ntext', undefined, 'B'],
      ['para\n<H2>B</H2>\n---\ntext', undefined, 'B'],
      ['A\n---\n---\ntext', 'A'],
      ['three\nlines of\na title\n---\ntext', 'three lines of a title'],
      ['no title\n  \n---\ntext', undefined],
      [`<h2>\n${'never closed\n'.repeat(12)}## B\ntext`, undefined, 'B'],
      ['## A\ntext\n###\ntext', 'A', 'A'],
    ] as const)
      assert.deepEqual(
        split(text).map(([section]) => section),
        sections,
        text,
      );
  });

  it('joins a heading without text to the section below it', () => {
    assert.deepEqual(split('# A\n\n## B\ntext b\n# C\n# D\ntext d'), [
      ['A › B', '# A\n\n## B\ntext b'],
      ['C', '# C'],
      ['D', '# D\ntext d'],
    ]);
  });

  it('cuts long sections by words', () => {
    assert.deepEqual(split('# A\none two three four\n## B\nfive\n# C', 4), [
      ['A', '# A\none two'],
      ['A', 'three four'],
      ['A › B', '## B\nfive'],
      ['C', '# C'],
    ]);
  });

  it('omits the one heading that is the title of the document', () => {
    assert.deepEqual(split('intro\n\n# Title\nlead\n## A\na\n### B\nb'), [
      [undefined, 'intro'],
      [undefined, '# Title\nlead'],
      ['A', '## A\na'],
      ['A › B', '### B\nb'],
    ]);
    assert.deepEqual(split('## Usage\ntext'), [['Usage', '## Usage\ntext']]);
  });

  it('returns titles without markup', () => {
    for (const [title, read] of [
      ['**Bold** _and_ `code` {#anchor}', 'Bold and code'],
      ['In a hurry? { #in-a-hurry .wide }', 'In a hurry?'],
      ['Sets such as { a, b } and { ... }', 'Sets such as { a, b } and { ... }'],
      ['[Link](http://x.y "t") to ![badge](b.svg)', 'Link to'],
      ['{{% heading "prerequisites" %}}', 'prerequisites'],
      ['{{jsxref("Array", "arrays")}}', 'arrays'],
      ['`Vec<T>` and Vec<T>', 'Vec<T> and Vec<T>'],
      ['1.2. snake_case, 2 * 3 \\# ¶', '1.2. snake_case, 2 * 3'],
      ['  From C#  to F# ##  ', 'From C# to F#'],
      ['Linked \u{1f517}', 'Linked'],
      [`Tool [![badge](https://x.y/${'b'.repeat(150)}.svg)](https://x.y/${'c'.repeat(90)})`, 'Tool'],
    ] as const)
      assert.equal(split(`## ${title}\ntext`)[0]?.[0], read);
  });

  it('recognises headings in HTML, except in comments and generated blocks', () => {
    assert.deepEqual(split('<h2 align="center">\n  <img src="a.svg">\n  Title\n</h2>\ntext\n## B'), [
      ['Title', '<h2 align="center">\n  <img src="a.svg">\n  Title\n</h2>\ntext'],
      ['B', '## B'],
    ]);
    for (const text of [
      '<!--\n# comment\n-->\nend',
      '<pre>\n# output\n</pre>',
      '{% highlight sh %}\n# comment\n{% endhighlight %}',
      '{{< highlight sh >}}\n# comment\n{{< /highlight >}}',
      'One line\nof a paragraph\nthat goes on\nand on\n---',
    ])
      assert.deepEqual(split(text), [[undefined, text]], text);
    assert.equal(split('---\ntitle: x\n---\n\n## A\ntext\n## B')[0]?.[0], 'A');
  });

  it('recognises headings of reStructuredText and AsciiDoc', () => {
    const paths = (text: string, headings: 'rst' | 'asciidoc') =>
      splitText(text, { type: 'headings', maxWords: 300 }, {}, { headings }).map(({ section }) => section);
    const rst =
      '=====\nTitle\n=====\n\nlead\n\nFirst\n-----\ntext\n\nInner ``code``\n~~~~~~~~~~~~~~\ntext\n\n' +
      '::\n\n    Not this\n    --------\n\n====  ====\nA     B\n====  ====\n\nSecond\n------\ntext';
    assert.deepEqual(paths(rst, 'rst'), [undefined, 'First', 'First › Inner code', 'Second']);
    const asciidoc =
      '= Title\nlead\n\n== First\n----\n== not this\n----\n\n=== Inner\ntext\n\n== Second\nend';
    assert.deepEqual(paths(asciidoc, 'asciidoc'), [undefined, 'First', 'First › Inner', 'Second']);
    const manual =
      'NAME\n----\ngit-add - adds\n\nSYNOPSIS\n--------\n[verse]\n\n----------------\n$ git add file.c\n----------------\n\n' +
      'A line that is no title.\n-----\nint main\n-----\n\n[[ids]]\nInner part\n~~~~~~~~~~\nText.';
    assert.deepEqual(paths(manual, 'asciidoc'), ['NAME', 'SYNOPSIS', 'SYNOPSIS › Inner part']);
  });

  const cut = (text: string, headings: 'rst' | 'asciidoc') =>
    splitText(text, { type: 'headings', maxWords: 300 }, {}, { headings }).map(
      ({ section, text: passage }) => [section, passage],
    );

  it('recognises titles of reStructuredText by their lines, with levels by overlines', () => {
    assert.deepEqual(cut('=====\nA\n=====  \nlead\nB\n=====\nb\n\nC#\n==\nc\n\n~~~~~\nD\n~~~~~\nd', 'rst'), [
      [undefined, '=====\nA\n=====  \nlead'],
      ['B', 'B\n=====\nb'],
      ['C#', 'C#\n==\nc'],
      ['C# › D', '~~~~~\nD\n~~~~~\nd'],
    ]);
    for (const text of [
      'Far too long for its line\n-----\ntext',
      '    A quotation\n---------------\ntext',
      ' - an item\n----------\ntext',
      ':field: value\n-------------\ntext',
      '.. directive::\n--------------\ntext',
      '~~~~~\n~~~~~\ntext',
      '\n-----\ntext',
    ])
      assert.deepEqual([...headingsOf(text, 'rst')], [], text);
    assert.equal(cut('One longer\n---------  \nb\n\nTwo\n---\nc', 'rst')[0]?.[0], 'One longer');
  });

  it('distinguishes titles of AsciiDoc from blocks and paragraphs', () => {
    assert.deepEqual(
      cut('NAME\n------\na\n\n== B\n----  \n== no\n----\n\n```ruby\n== no\n```\n\n== C\nc', 'asciidoc'),
      [
        ['NAME', 'NAME\n------\na'],
        ['B', '== B\n----  \n== no\n----\n\n```ruby\n== no\n```'],
        ['C', '== C\nc'],
      ],
    );
    for (const above of ['// said of it', ':attribute: value', '[[anchor]]'])
      assert.deepEqual(cut(`${above}\nTitle\n-----\ntext`, 'asciidoc').at(-1), [
        'Title',
        'Title\n-----\ntext',
      ]);
    for (const text of [
      'A paragraph that is long\nLast line\n---------\ncode\n---------',
      'Two lines [of\na text]\n-------\ncode\n-------',
      'The first line of two\nand the second of two',
    ])
      assert.deepEqual([...headingsOf(text, 'asciidoc')], [], text);
  });

  it('shortens long headings in paths', () => {
    const [first] = split(`# ${'x'.repeat(100_000)}\ntext\n# b`);
    assert.equal(first?.[0]?.length, 200);
    assert.equal(split(`# a${' '.repeat(1_000_000)}b #\ntext\n# c`)[0]?.[0], 'a b');
  });
});

describe('sections', () => {
  const spec = (size: number): SplitSpec => ({ type: 'sections', size });
  const split = (text: string, size: number, form: TextForm = { headings: 'markdown' }) =>
    splitText(text, spec(size), {}, form);

  it('never crosses a heading or begins within a sentence', () => {
    const sentence = (n: number) => `Sentence number ${n} has six words.`;
    const prose = Array.from({ length: 10 }, (_, n) => sentence(n)).join(' ');
    const passages = split(`# A\n${prose}\n## B\n${sentence(10)}\n# C\n${sentence(11)}`, 20);
    assert.deepEqual(
      passages.map(({ section }) => section),
      ['A', 'A', 'A', 'A › B', 'C'],
    );
    for (const { text } of passages) assert.match(text, /^(?:#|Sentence)/u);
    const lengths = passages.slice(0, 3).map(({ text }) => [...wordsOf(text)].length);
    assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 6, String(lengths));
  });

  it('recognises sentences in scripts without spaces', () => {
    const passages = split('这是第一句话。这是第二句话。这是第三句话。这是第四句话。', 6);
    assert.ok(passages.length > 1);
    for (const { text } of passages) assert.match(text, /^这是.*。$/u);
  });

  it('cuts by words only what exceeds the maximum', () => {
    const lengths = split(`Short one. ${'word '.repeat(100)}`, 10).map(
      ({ text }) => [...wordsOf(text)].length,
    );
    assert.ok(
      lengths.every((length) => length <= 15),
      String(lengths),
    );
  });

  it('keeps a code block that fits and cuts others between lines', () => {
    const code = '```sh\n# not a heading\nrun this. Now that.\n```';
    const prose = 'A sentence of some words stands here.';
    const passages = split(`${prose} ${prose}\n\n${code}\n\n${prose} ${prose}`, 9);
    assert.ok(
      passages.some(({ text }) => text.includes(code)),
      JSON.stringify(passages.map(({ text }) => text)),
    );
    const lines = split('a = 1. b\n'.repeat(10), 7, { isCode: true });
    assert.ok(lines.length > 4);
    for (const { text } of lines) assert.match(text, /^a = 1. b(?:\n|$)/u);
  });

  it('cuts a long code block between lines, wherever it is and however it is fenced', () => {
    const prose = 'A sentence of some words stands\nin two lines here.';
    const line = 'run(this, at) = 1. Now';
    for (const [open, close] of [
      ['```', '```'],
      ['````', '```\n````'],
      ['~~~', '```\n~~~~'],
      ['~~~', ''],
    ] as const) {
      const text =
        `${prose} ${prose}\n\n${open}\n${`${line}\n`.repeat(6)}${close}\n\n${close && `${prose} ${prose}`}`.trim();
      const passages = split(text, 9).map((passage) => passage.text);
      assert.equal(passages.join(' ').replaceAll(/\s+/gu, ' '), text.replaceAll(/\s+/gu, ' '));
      for (const passage of passages) {
        assert.match(passage, /^(?:A sentence|run|```|~~~)/u);
        assert.match(passage, /(?:here\.|Now|```|~~~)$/u);
      }
    }
  });

  it('never exceeds the maximum, whatever the sentences', () => {
    const sentence = (length: number) => `Word ${'word '.repeat(length - 2)}end.`;
    const passages = split([6, 9, 10, 5].map(sentence).join(' '), 10);
    assert.deepEqual(
      passages.map(({ text }) => text.split(' ').length),
      [6, 9, 15],
    );
  });

  it('keeps a sentence of the maximum length', () => {
    const sentence = `Word ${'word '.repeat(13)}end.`;
    const passages = split(`${sentence} ${sentence} Short.`, 10);
    assert.deepEqual(
      passages.map(({ text }) => text),
      [sentence, sentence, 'Short.'],
    );
  });

  it('loses nothing and stays within one and a half times the size', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 12 }), (text, size) => {
        const passages = split(text, size);
        const ends = passages.reduce((to, { span }) => {
          assert.equal(text.slice(to, span.start).trim(), '');
          return span.end;
        }, 0);
        assert.equal(text.slice(ends).trim(), '');
        for (const passage of passages) assert.ok([...wordsOf(passage.text)].length <= size * 1.5);
      }),
    );
  });
});

describe('the section of a passage', () => {
  it('is the one with most of its text, for every split', () => {
    const text = '# A\none\n# B\ntwo three four five six\n# C\nseven';
    const sectionOf = (size: number) =>
      splitText(text, words(size), {}, { headings: 'markdown' }).map(({ section }) => section);
    assert.deepEqual(sectionOf(100), ['B']);
    assert.deepEqual(sectionOf(3), ['A', 'B', 'B', 'B', 'C']);
    assert.deepEqual(
      splitText(text, words(100)).map(({ section }) => section),
      [undefined],
    );
  });

  it('is the common path of its sections if none has most of its text', () => {
    const part = (title: string, words: number) => `### ${title}\n${'w '.repeat(words)}\n`;
    const sectionsOf = (text: string, spec: SplitSpec) =>
      splitText(text, spec, {}, { headings: 'markdown' }).map(({ section }) => section);
    const even = `## F\n${part('one', 3)}${part('two', 3)}${part('six', 3)}`;
    assert.deepEqual(sectionsOf(even, SECTIONS_SPLIT), ['F']);
    assert.deepEqual(sectionsOf(even, words(100)), ['F › one']);
    assert.deepEqual(sectionsOf(`## F\n${part('one', 40)}${part('two', 1)}`, SECTIONS_SPLIT), ['F › one']);
  });

  it('is its page if the text has pages', () => {
    const pages = [
      { start: 0, end: 12, path: 'p. 1' },
      { start: 12, end: 37, path: 'p. 2' },
    ];
    const passages = splitText(
      'A sentence\n\nover two pages. Another.',
      { type: 'sections', size: 3 },
      {},
      { pages },
    );
    assert.deepEqual(
      passages.map(({ section }) => section),
      ['p. 1', 'p. 2'],
    );
  });
});

describe('fitsOnePassage', () => {
  it('counts words as the split does, in every script', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 12 }), (text, size) => {
        const count = [...wordsOf(text)].length;
        assert.equal(fitsOnePassage(text, words(size), {}, 1), count <= size);
      }),
    );
    const long = 'x'.repeat(2001);
    assert.equal(fitsOnePassage(long, words(2), {}, 1), false);
    assert.equal(fitsOnePassage(long, words(3), {}, 1), true);
  });

  it('counts to the last word of any text', () => {
    for (const length of [4095, 4096, 4097])
      for (const end of ['z', 'é', '東', '\n']) {
        const text = 'a '.repeat(length).slice(0, length - 2) + ` ${end}`;
        const count = [...wordsOf(text)].length;
        assert.equal(fitsOnePassage(text, words(count), {}, 1), true);
        assert.equal(fitsOnePassage(text, words(count - 1), {}, 1), false, `${length} ${end}`);
      }
  });

  it('compares with a multiple of the size, in units of the split', () => {
    assert.equal(fitsOnePassage('a b c', words(2), {}, 1.5), true);
    assert.equal(fitsOnePassage('a b c d', words(2), {}, 1.5), false);
    assert.equal(fitsOnePassage('a b c d', { type: 'headings', maxWords: 2 }, {}, 1.5), false);
    assert.equal(fitsOnePassage('a b c', { type: 'headings', maxWords: 2 }, {}, 1.5), true);
    assert.equal(fitsOnePassage('One is. Two is. Three is.', sentences(2), {}, 1.5), true);
    assert.equal(fitsOnePassage('One. Two. Three. Four.', sentences(2), {}, 1.5), false);
    const tokens: SplitSpec = { type: 'tokens', size: 2, overlap: 0 };
    assert.equal(fitsOnePassage('a b', tokens, byteTokens, 1.5), true);
    assert.equal(fitsOnePassage('abcd', tokens, byteTokens, 1.5), false);
    assert.equal(fitsOnePassage('x'.repeat(99), { type: 'none' }, {}, 1), true);
  });
});

describe('a text that is not split', () => {
  it('is unchanged, with any whitespace around it', () => {
    const spaces = [...'\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007'];
    for (const space of [...spaces, ...'\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'])
      for (const text of [`${space}one two${space}`, `${space}${space}one`, `one ${space}`])
        assert.deepEqual(
          splitText(text, { type: 'none' }).map((passage) => [passage.text, passage.span]),
          [[text, { start: 0, end: text.length }]],
          JSON.stringify(text),
        );
  });

  it('is no passage if it is only whitespace', () => {
    assert.deepEqual(splitText(' \u00a0\n', { type: 'none' }), []);
  });
});

it('a tiny section joins the next, or the one before at the end of a branch', () => {
  const words = (n: number): string => 'Some words. '.repeat(n / 2).trim();
  const cut = (text: string): [section: string | undefined, words: number][] =>
    [...eachPassage(text, SECTIONS_SPLIT, {}, { headings: 'markdown' })].map((passage) => [
      passage.section,
      passage.text.split(/\s+/u).length,
    ]);
  assert.deepEqual(cut(`# T\n\n## A\n\nNone.\n\n## B\n\n${words(40)}`), [['B', 47]]);
  assert.deepEqual(cut(`## A\n\nNone.\n\n### B\n\nNone.\n\n### C\n\n${words(40)}`), [['A › C', 48]]);
  assert.deepEqual(cut(`# T\n\n## A\n\n${words(40)}\n\n### Last\n\nNone.\n\n## B\n\n${words(40)}`), [
    ['A', 47],
    ['B', 42],
  ]);
  assert.deepEqual(
    cut(
      `## F\n\n${words(40)}\n\n### one\n\n${words(4)}\n\n### two\n\n${words(4)}\n\n### six\n\n${words(4)}\n\n## Z\n\n${words(40)}`,
    ),
    [
      ['F', 42],
      ['F', 18],
      ['Z', 42],
    ],
  );
  assert.deepEqual(cut('# T\n\nShort.'), [[undefined, 3]]);
});

it('paths share whole titles from the outermost inwards', () => {
  assert.equal(sharedPath('A › B › C', 'A › B › D'), 'A › B');
  assert.equal(sharedPath('A › B', 'A › B › C'), 'A › B');
  assert.equal(sharedPath('Abc › B', 'Ab › B'), '');
  assert.deepEqual(['', 'A', 'A › B'].map(pathDepth), [0, 1, 2]);
});
