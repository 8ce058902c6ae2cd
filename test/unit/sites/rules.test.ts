/** Rules as data: the ones that ship, and a workspace's own. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { configSchema } from '../../../src/shared/config.ts';
import { builtInRules, mergeRules } from '../../../src/sites/rules/library.ts';
import { callSiteRuleSchema, type CallSiteRuleInput } from '../../../src/core/call-sites/schema.ts';
import { brief, detector, inPython, inTypeScript } from './support.ts';

const OWN: CallSiteRuleInput = {
  library: 'acme',
  languages: ['python', 'javascript'],
  imports: ['acme.search', '@acme/search'],
  calls: [
    {
      callee: 'method',
      names: ['find'],
      evidence: ['howMany'],
      k: { from: ['options.how_many', 'howMany', '#1'], default: 7 },
      mmr: { when: { path: 'variety' }, weight: ['variety'], polarity: 'diversity' },
      options: 1,
    },
  ],
};

test('documented counts match the rules', () => {
  const { size } = new Set(builtInRules().map(({ library }) => library));
  for (const file of ['README.md', 'docs/your-code.md', 'CHANGELOG.md']) {
    const said = /(\d+) libraries, services and ways to search by hand/u.exec(readFileSync(file, 'utf8'));
    assert.equal(Number(said?.[1]), size, file);
  }
});

test('every built-in rule is valid, documented and unique in its language', () => {
  const seen = new Set<string>();
  for (const { library, languages, calls, docs } of builtInRules()) {
    for (const language of languages) {
      assert.ok(!seen.has(`${library} ${language}`), library);
      seen.add(`${library} ${language}`);
    }
    for (const call of calls) assert.ok(call.docs ?? docs, `${library} ${call.names.join()}`);
  }
});

test('every regular expression of the rules compiles', () => {
  for (const call of builtInRules().flatMap(({ calls }) => calls))
    for (const pattern of [call.receiver, call.receiverText, call.contains])
      if (pattern !== undefined) assert.ok(new RegExp(pattern, 'u'));
  for (const { called } of builtInRules().flatMap(({ matching }) => matching))
    if (called !== undefined) assert.ok(new RegExp(called, 'u'));
});

test('every built-in library has calls that search', () => {
  for (const { library, matching } of builtInRules()) assert.ok(matching.length > 0, library);
});

for (const { library, examples } of builtInRules())
  for (const { language, code, finds } of examples)
    test(`${library}: ${finds.join(', ') || 'nothing'} in ${language}`, async () => {
      const { sites } = await detector.detect(code, language);
      assert.deepEqual(brief(sites), finds, code);
      assert.ok(sites.every((site) => site.library === library));
    });

test('a workspace adds its own library', async () => {
  const rules = mergeRules(builtInRules(), [OWN]);
  const python = await inPython(
    'from acme.search import Client\nc = Client()\nc.find("q", 3)\nc.find("q", options={"how_many": 4}, variety=0.25)\nc.find("q")\n',
    { rules },
  );
  assert.deepEqual(brief(python.sites), ['find 3', 'find 4', 'find 7']);
  assert.equal(python.sites[1]?.mmr?.relevance.value, 0.75);
  assert.ok(python.sites.every(({ library }) => library === 'acme'));
  const script = await inTypeScript("import { c } from '@acme/search';\nc.find('q', { howMany: 2 });\n", {
    rules,
  });
  assert.deepEqual(brief(script.sites), ['find 2']);
  assert.deepEqual((await inPython('from acme.search import c\nc.find("q", 3)\n')).sites, []);
});

test('a workspace extends a built-in library, and its rules come first', async () => {
  const rules = mergeRules(builtInRules(), [
    {
      library: 'langchain',
      languages: ['python'],
      imports: ['acme_langchain'],
      calls: [
        { callee: 'method', names: ['fetch_documents'], distinctive: true, k: { from: ['count'] } },
        {
          callee: 'method',
          names: ['as_retriever'],
          distinctive: true,
          role: 'retriever',
          k: { from: ['size'], default: 9 },
        },
      ],
    },
  ]);
  const { sites } = await inPython(
    'import acme_langchain\nfrom x import s\ns.fetch_documents("q", count=3)\ns.as_retriever()\ns.similarity_search("q")\n',
    { rules },
  );
  assert.deepEqual(brief(sites), ['fetch_documents 3', 'as_retriever 9', 'similarity_search 4']);
  assert.equal(rules.length, builtInRules().length);
});

test('accepts a rule already parsed as part of parallax.json', async () => {
  const { callSites } = configSchema.parse({ callSites: [OWN] });
  const { sites } = await inPython('from acme.search import x\nx.find("q", howMany=3)\n', {
    rules: mergeRules(builtInRules(), callSites),
  });
  assert.deepEqual(brief(sites), ['find 3']);
});

test('a function of the workspace needs no import', async () => {
  const rules = mergeRules(builtInRules(), [
    {
      library: 'own',
      languages: ['python'],
      calls: [{ callee: 'function', names: ['search_docs'], k: { from: ['#1', 'n'] } }],
    },
  ]);
  const { sites } = await inPython('def search_docs(q, n): ...\nsearch_docs("q", n=6)\n', { rules });
  assert.deepEqual(brief(sites), ['search_docs 6']);
});

for (const [what, rule, path] of [
  ['a path that is none', { k: { from: ['k='] } }, 'k.from.0'],
  ['an unknown field', { kk: 1 }, ''],
  ['an unknown kind of call', { callee: 'macro' }, 'callee'],
  ['no name', { names: [] }, 'names'],
  ['a pattern that is none', { receiver: '(' }, 'receiver'],
  ['an MMR weight without polarity', { mmr: { weight: ['w'] } }, 'mmr.polarity'],
] as const)
  test(`refuses a rule with ${what} and names its place`, () => {
    const [call] = OWN.calls;
    const result = callSiteRuleSchema.safeParse({ ...OWN, calls: [{ ...call, ...rule }] });
    assert.equal(result.success, false);
    assert.equal(result.error?.issues[0]?.path.join('.'), ['calls.0', path].filter(Boolean).join('.'));
  });

test('a pattern must be a valid regular expression of JavaScript', () => {
  const rule = (carries: string): boolean =>
    callSiteRuleSchema.safeParse({
      library: 'acme',
      languages: ['python'],
      calls: [{ callee: 'method', names: ['find'], carries }],
    }).success;
  assert.equal(rule('^SELECT\\b'), true);
  for (const none of ['(', '\\-', '[b-a]']) assert.equal(rule(none), false, none);
});
