import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRobots } from '../../../src/features/web-corpus/core/robots-rules.ts';

const allows = (lines: string, path: string): boolean =>
  readRobots(`User-agent: *\n${lines}`, 'parallax')!.allows(path);

describe('robots.txt', () => {
  it('applies the longest matching rule; of equally long ones the one that allows', () => {
    assert.ok(allows('Disallow: /a\nAllow: /a/b', '/a/b/c'));
    assert.ok(!allows('Allow: /a\nDisallow: /a/b', '/a/b/c'));
    assert.ok(allows('Disallow: /a*\nAllow: /a/b', '/a/b'));
    assert.ok(allows('Disallow: /ab\nAllow: /a*', '/ab'));
    assert.ok(allows('Allow: /ab\nDisallow: /ab', '/ab'));
    assert.ok(allows('Disallow:', '/a'));
    assert.ok(allows('Crawl-delay: 3', '/a'));
  });

  it('supports wildcards and end anchors', () => {
    assert.ok(!allows('Disallow: /*.pdf$', '/a/b.pdf'));
    assert.ok(allows('Disallow: /*.pdf$', '/a/b.pdf?x'));
    assert.ok(!allows('Disallow: *x', '/a/x/b'));
    assert.ok(!allows('Disallow: /a**b*c$', '/a.b.c.c'));
    assert.ok(allows('Disallow: /a*ab$', '/ab'));
    assert.ok(!allows('Disallow: /$', '/'));
    assert.ok(allows('Disallow: /$', '/a'));
    assert.ok(!allows('Disallow: /a*', '/a'));
    assert.ok(!allows('Disallow: /a*c$', '/ac'));
    assert.ok(allows('Disallow: /b*c', '/a/b/c'));
    assert.ok(!allows('Disallow: /$a', '/$a'));
  });

  it('matches an address in any spelling', () => {
    assert.ok(!allows('Disallow: /caf%c3%a9', new URL('http://a.example/café').pathname));
    assert.ok(!allows('Disallow: /tête', '/t%c3%aate'));
    assert.ok(allows('Disallow: /%c3%a9', '/%c3%aa'));
    assert.ok(allows('Disallow: /\ud800', '/a'));
  });

  it('uses only the groups of the given robot, wherever they are', () => {
    const text =
      'Disallow: /nobody\nUser-agent: *\nDisallow: /all\nCrawl-delay: 9\n\nuser-agent: other\nUSER-AGENT: Parallax/2.0 # us\n' +
      'Sitemap: https://a.example/s.xml\nDisallow: /ours\r\nCrawl-delay: 2\rUser-agent: parallax\nDisallow: /more\nCrawl-delay: x';
    const rules = readRobots(`\uFEFF${text}`, 'parallax')!;
    assert.ok(rules.allows('/all') && rules.allows('/nobody'));
    assert.ok(!rules.allows('/ours') && !rules.allows('/more'));
    assert.equal(rules.delay, 2);
    const others = readRobots(text, 'third')!;
    assert.ok(!others.allows('/all') && others.allows('/ours'));
    assert.equal(others.delay, 9);
  });

  it('has groups for several robots, whatever the blank lines', () => {
    const allowed = (text: string): boolean => readRobots(text, 'parallax')!.allows('/a');
    assert.ok(!allowed('User-agent: parallax\nUser-agent: other\nDisallow: /a'));
    assert.ok(allowed('User-agent: parallax\nAllow: /\nUser-agent: other\nDisallow: /a'));
    assert.ok(allowed('User-agent: parallax\nCrawl-delay: 2\nUser-agent: other\nDisallow: /a'));
    assert.ok(!allowed(' User-agent : parallax\n Disallow : /a'));
  });

  it('is fast with the rules of ten thousand robots, or its own name ten thousand times', () => {
    const rules = Array.from({ length: 5_000 }, (_, i) => `Disallow: /${i}x`).join('\n');
    for (const name of [(i: number) => `other${i}`, () => 'parallax']) {
      const agents = Array.from({ length: 10_000 }, (_, i) => `User-agent: ${name(i)}`).join('\n');
      assert.ok(readRobots(`${agents}\n${rules}`, 'parallax')!.allows('/a'));
    }
  });

  it('is fast with wildcards', () => {
    const rules = `Disallow: ${'*a'.repeat(1_000)}b\n`.repeat(200) + `Disallow: /*${'a'.repeat(1_000)}b\n`;
    assert.ok(allows(rules, `/${'a'.repeat(2_000)}`));
  });

  it('is abandoned with too many rules', () => {
    const rules = Array.from({ length: 10_001 }, (_, i) => `Allow: /${i}`).join('\n');
    assert.equal(readRobots(`User-agent: *\n${rules}`, 'parallax'), undefined);
  });
});
