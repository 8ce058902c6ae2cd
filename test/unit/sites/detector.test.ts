/** Loading, incremental parsing, half-typed files, comments, uses and notebooks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { createSiteDetector, type Detection } from '../../../src/sites/detector.ts';
import type { Callers } from '../../../src/sites/workspace/parameter-question.ts';
import { OtherFiles } from '../../../src/sites/workspace/other-files.ts';
import { fixtureFiles } from './fixture-corpus.ts';
import { applied, brief, CHROMA, detector, inPython, inTypeScript } from './support.ts';
import { wasm } from './wasm-files.ts';
import { detectIn, inWorkspace } from './workspace-support.ts';

test('loads nothing for a text without a known library', async () => {
  const fresh = createSiteDetector({
    wasm: {
      runtime: () => assert.fail('the runtime was read'),
      grammar: () => assert.fail('a grammar was read'),
    },
  });
  for (const text of [
    'import os\nstore.as_retriever()\n',
    'from my_langchain import store\nstore.as_retriever()\n',
    '# from langchain import x\nx = "import chromadb"\n',
    '',
  ])
    assert.deepEqual(await fresh.detect(text, 'python'), {
      sites: [],
      problems: [],
      links: [],
      questions: [],
    });
  assert.deepEqual(await fresh.detect("import { x } from './ai';\nconst s = 'pg';", 'typescript'), {
    sites: [],
    problems: [],
    links: [],
    questions: [],
  });
  assert.deepEqual(await fresh.detect('import langchain', 'rust'), {
    sites: [],
    problems: [],
    links: [],
    questions: [],
  });
  assert.deepEqual(await fresh.detectNotebook([{ languageId: 'markdown', text: 'import langchain' }]), {
    sites: [],
    problems: [],
    links: [],
    questions: [],
  });
  assert.equal(fresh.isLoaded, false);
});

for (const text of [
  'import os, chromadb\nc.query(x)',
  'import chromadb.utils as u\nc.query(x)',
  '    from chromadb import Client\nc.query(x)',
  'import chromadb\r\nc.query(x)',
])
  test(`finds an import in ${JSON.stringify(text)}`, async () => {
    const fresh = createSiteDetector({ wasm });
    await fresh.detect(text, 'python');
    assert.equal(fresh.isLoaded, true);
  });

test('parses nothing for a text that imports a library without a search', async () => {
  const fresh = createSiteDetector({ wasm });
  await fresh.detect('import chromadb\nclient = chromadb.Client()\nclient.heartbeat()\n', 'python');
  await fresh.detect("import 'pg';\nawait client.query('SELECT 1');\n", 'typescript');
  assert.equal(fresh.isLoaded, false);
});

for (const [what, text] of [
  ['names no method after a dot', 'import chromadb\nquery = 5\nprint(query)\n'],
  ['calls none', 'import chromadb\nprint(request.query.limit, "query")\n'],
  [
    'reranks nothing',
    'import requests\n\ndef send(query, documents):\n    return requests.post(url, json={"query": query, "documents": documents})\n',
  ],
  ['holds no retriever', 'from langchain_openai import ChatOpenAI\nanswer = ChatOpenAI().invoke(question)\n'],
] as const)
  test(`parses nothing for a text that ${what}`, async () => {
    const fresh = createSiteDetector({ wasm });
    await fresh.detect(text, 'python');
    assert.equal(fresh.isLoaded, false);
  });

test('searches what a text imports from other files of its workspace, whatever its name', async () => {
  const files = {
    'kb.py': 'from langchain_chroma import Chroma\nsource = Chroma("kb").as_retriever()\n',
    'app.py': 'from kb import source\nprint(source.invoke("why"))\n',
  };
  assert.deepEqual(brief((await detectIn(files, 'app.py')).sites), ['invoke 4']);
});

test('ignores a text that is too large, and drops its earlier sites', async () => {
  const before = await detector.detect(`${CHROMA}store.as_retriever()\n`, 'python');
  assert.equal(before.sites.length, 1);
  const large = `${CHROMA}store.as_retriever()\n${'x = 1\n'.repeat(90_000)}`;
  assert.deepEqual(await detector.detect(large, 'python', { previous: before }), {
    sites: [],
    problems: [],
    links: [],
    questions: [],
  });
});

/** What `search.py` makes known is called in `main.py`. */
const ASKING = { file: 'main.py', asker: 'search.py', files: new Set(['main.py', 'search.py']) };

test('reads no value and no call from another file that is too large', async () => {
  const fresh = createSiteDetector({ wasm });
  const imports = 'from search import make\nK = 5\n';
  const large = `${imports}${'x = 1\n'.repeat(90_000)}`;
  const asked = [{ name: 'make', owner: undefined, parameter: 'k', position: 0 }];
  assert.equal((await fresh.exports(large, 'python')).size, 0);
  // It may contain a call that sets the parameter.
  assert.deepEqual(await fresh.callers(large, 'python', asked, ASKING), ['set']);
  assert.equal(fresh.isLoaded, false);
  assert.deepEqual((await fresh.exports(imports, 'python')).get('K'), { kind: 'value', value: 5 });
  assert.deepEqual(await fresh.callers(imports, 'python', asked, ASKING), ['unseen']);
});

test('an unreadable parser file is a clear error, and the next attempt retries', async () => {
  let fails = true;
  const flaky = createSiteDetector({
    wasm: {
      runtime: wasm.runtime,
      grammar: (grammar) => (fails ? Promise.reject(new Error('no such file')) : wasm.grammar(grammar)),
    },
  });
  await assert.rejects(flaky.detect(`${CHROMA}store.as_retriever()`, 'python'), (error) =>
    ParallaxError.is(error, 'native-missing'),
  );
  fails = false;
  assert.deepEqual(brief((await flaky.detect(`${CHROMA}store.as_retriever()`, 'python')).sites), [
    'as_retriever 4',
  ]);
});

const PROGRAM = `${CHROMA}K = 5
docs = store.similarity_search("q", k=K)
retriever = store.as_retriever(search_kwargs={"k": 3})
retriever.invoke("q")
`;

/** Detects before and after one replaced stretch. */
async function afterEdit(find: string, replacement: string, text = PROGRAM): Promise<Detection> {
  const previous = await inPython(text);
  return inPython(text.replace(find, replacement), { previous });
}

test('an edit moves the sites after it', async () => {
  const { sites } = await afterEdit('K = 5', '# a longer line\nK = 5 + 1');
  assert.deepEqual(brief(sites), ['similarity_search 6', 'as_retriever 3']);
  assert.ok(sites.every(({ held }) => !held));
});

test('sites survive a half-typed call and keep their k', async () => {
  for (const [find, replacement] of [
    ['search_kwargs={"k": 3})', 'search_kwargs={"k": '],
    ['search_kwargs={"k": 3})', ''],
    ['k=K)', 'k='],
    ['K = 5', 'K = '],
    ['K = 5', 'K = (5'],
    ['K = 5', 'def f(:\nK = 5'],
    ['from langchain_chroma import Chroma', 'from langch'],
    ['from langchain_chroma import Chroma', 'from langchain_chroma import'],
  ] as const) {
    const { sites } = await afterEdit(find, replacement);
    assert.deepEqual(brief(sites), ['similarity_search 5', 'as_retriever 3'], `${find} → ${replacement}`);
  }
});

test('a kept site is marked, stays at its callee and is found again when the code parses', async () => {
  const broken = PROGRAM.replace('search_kwargs={"k": 3})', 'search_kwargs={"k": ');
  const held = await inPython(broken, { previous: await inPython(PROGRAM) });
  const site = held.sites[1];
  assert.ok(site?.held);
  assert.equal(broken.slice(site.range.start, site.range.end), 'as_retriever');
  const longer = broken.replace('"k": ', '"k": 1');
  const stillHeld = await inPython(longer, { previous: held });
  assert.deepEqual(brief(stillHeld.sites), ['similarity_search 5', 'as_retriever 3']);
  const whole = await inPython(longer.replace('"k": 1', '"k": 12})'), { previous: stillHeld });
  assert.deepEqual(brief(whole.sites), ['similarity_search 5', 'as_retriever 12']);
  assert.equal(whole.sites[1]?.held, false);
});

test('a deleted site is not kept, nor one whose callee is retyped', async () => {
  for (const [find, replacement] of [
    ['docs = store.similarity_search("q", k=K)\n', ''],
    ['docs = store.similarity_search("q", k=K)\n', 'docs = (\n'],
    ['similarity_search', 'similar('],
    ['similarity_search', 'other'],
  ] as const) {
    const { sites } = await afterEdit(find, replacement);
    assert.ok(!brief(sites).some((each) => each.startsWith('similarity_search')), `${find} → ${replacement}`);
  }
});

test('with a lasting error elsewhere, new code counts and nothing is kept', async () => {
  const text = `x = ) 3\n\n\n${PROGRAM}`;
  const { sites } = await afterEdit('k=K', 'k=args.k', text);
  assert.deepEqual(brief(sites), ['similarity_search ?', 'as_retriever 3']);
});

test('a broken call that was never valid has no default', async () => {
  const { sites } = await inPython(`${CHROMA}store.as_retriever(search_type=`);
  assert.ok(sites.every(({ k }) => k.value === undefined));
});

test('detecting with earlier sites equals detecting from scratch, for any edit', async () => {
  const files = (await fixtureFiles()).filter(({ isNotebook, part }) => !isNotebook && part === 'tuned');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(12),
      fc.constantFrom('', 'x', '\n', 'k=9', '# note', ' 🦜 ', '("', '5'),
      async ({ cells: [cell] }, at, removed, inserted) => {
        if (!cell) return;
        const start = Math.floor(at * cell.text.length);
        const text = cell.text.slice(0, start) + inserted + cell.text.slice(start + removed);
        const anew = await detector.detect(text, cell.languageId);
        const again = await detector.detect(text, cell.languageId, {
          previous: await detector.detect(cell.text, cell.languageId),
        });
        assert.deepEqual(
          again.sites.filter(({ held }) => !held),
          anew.sites.filter(
            ({ range }) => !again.sites.some((each) => each.held && each.range.start === range.start),
          ),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('after an edit that fails to parse, the next detection starts from scratch', async () => {
  let isBroken = false;
  class Called extends Map<string, Callers> {
    override get(key: string): Callers | undefined {
      if (isBroken) throw new Error('broken');
      return super.get(key);
    }
  }
  const others = new OtherFiles('app.py', 'python', new Set(['app.py']), new Map(), new Called(), new Map());
  const text = `${CHROMA}\ndef ask(q, k=5):\n    return store.similarity_search(q, k=k)\n\ndef tell(q):\n    return store.similarity_search(q, k=3)\n`;
  const previous = await detector.detect(text, 'python', { otherFiles: others });
  isBroken = true;
  const renamed = `# Questions.\n${text.replace('def ask', 'def question')}`;
  await assert.rejects(detector.detect(renamed, 'python', { previous, otherFiles: others }), /broken/u);
  isBroken = false;
  const after = text.replace('k=3', 'k=33');
  const again = await detector.detect(after, 'python', { previous, otherFiles: others });
  assert.deepEqual(again, await detector.detect(after, 'python', { otherFiles: others }));
  assert.equal(again.sites.length, 2);
});

test('a comment sets k, eval set and retriever of the call below or beside it', async () => {
  const { sites } = await inPython(`${CHROMA}
# parallax: k=7 eval=faq retriever="prod west"
# why: measured in May
a = store.as_retriever(search_kwargs=kwargs)
b = store.as_retriever(search_kwargs=kwargs)  # parallax: k=2
c = (
    # parallax: k=3
    store.as_retriever(search_kwargs=kwargs)
)
d = store.as_retriever(search_kwargs=kwargs)
`);
  assert.deepEqual(brief(sites), ['as_retriever 7', 'as_retriever 2', 'as_retriever 3', 'as_retriever ?']);
  assert.equal(sites[0]?.k.provenance, 'comment');
  assert.equal(sites[0]?.comment?.eval, 'faq');
  assert.equal(sites[0]?.comment?.retriever, 'prod west');
  assert.equal(sites[3]?.comment, undefined);
});

test('a comment excludes a call in both languages, also in half-typed code', async () => {
  const python = `${CHROMA}store.as_retriever()  # parallax: ignore\n`;
  assert.deepEqual((await inPython(python)).sites, []);
  const script =
    "import { Chroma } from '@langchain/community/vectorstores/chroma';\n// parallax: ignore\nnew Chroma().asRetriever();\n";
  assert.deepEqual((await inTypeScript(script)).sites, []);
  const previous = await inPython(`${CHROMA}store.as_retriever()\nx = (\n`);
  const { sites } = await inPython(`${CHROMA}store.as_retriever()  # parallax: ignore\nx = (\n`, {
    previous,
  });
  assert.deepEqual(sites, []);
});

test('reports an invalid comment', async () => {
  const text = `${CHROMA}store.as_retriever()  # parallax: top=5 k=0 k=4\n`;
  const { problems, sites } = await inPython(text);
  assert.deepEqual(
    problems.map(({ id }) => id),
    ['comment-not-understood', 'comment-not-understood'],
  );
  assert.match(problems[0]?.message ?? '', /"top=5"/u);
  assert.deepEqual(brief(sites), ['as_retriever 4']);
});

test('ignores text that only looks like a comment', async () => {
  const { sites } = await inPython(`${CHROMA}s = "# parallax: k=9"; store.as_retriever()\n`);
  assert.deepEqual(brief(sites), ['as_retriever 4']);
});

test('calls that run a retriever belong to its site', async () => {
  const { sites } = await inPython(PROGRAM);
  const [use] = sites[1]?.uses ?? [];
  assert.equal(PROGRAM.slice(use?.start, use?.end), 'invoke');
});

test('each retriever that another combines has its own site, unless it is on the same line', async () => {
  const head = `${CHROMA}from langchain.retrievers import EnsembleRetriever
a = store.as_retriever(search_kwargs={"k": 2})
b = store.as_retriever(search_kwargs={"k": 3})
both = EnsembleRetriever(retrievers=[a, b], weights=[0.5, 0.5])
`;
  assert.deepEqual(brief((await inPython(head)).sites), [
    'as_retriever 2',
    'as_retriever 3',
    'EnsembleRetriever ?',
  ]);
  const inOneLine = `${CHROMA}from langchain.retrievers import EnsembleRetriever
both = EnsembleRetriever(retrievers=[store.as_retriever(), store.as_retriever(search_kwargs={"k": 3})])
`;
  assert.deepEqual(brief((await inPython(inOneLine)).sites), ['EnsembleRetriever ?']);
});

test('a retriever that is called once and reranked is one retrieval, unless it is also run alone', async () => {
  const head = `${CHROMA}from langchain.retrievers import ContextualCompressionRetriever
from langchain_cohere import CohereRerank
base = store.as_retriever(search_kwargs={"k": 20})
best = ContextualCompressionRetriever(base_compressor=CohereRerank(top_n=3), base_retriever=base)
`;
  assert.deepEqual(brief((await inPython(head)).sites), ['ContextualCompressionRetriever 3']);
  assert.deepEqual(brief((await inPython(`${head}base.invoke("q")\n`)).sites), [
    'as_retriever 20',
    'ContextualCompressionRetriever 3',
  ]);
});

test('a site names its class and function', async () => {
  const { sites } = await inPython(`${CHROMA}class A:\n    def ask(self):\n        store.as_retriever()\n`);
  assert.equal(sites[0]?.within, 'A.ask');
});

test("MMR weights are relevance weights, with the library's own beside them", async () => {
  const { sites } = await inPython(
    'from qdrant_client import QdrantClient\nQdrantClient().query_points("a", query={"nearest": v, "mmr": {"diversity": 0.7, "candidates_limit": 50}}, limit=5)\n',
  );
  const mmr = sites[0]?.mmr;
  assert.deepEqual([mmr?.relevance.value, mmr?.own.value, mmr?.polarity], [0.3, 0.7, 'diversity']);
});

test('nonlocal names end at the function that defines them', async () => {
  const { sites } = await inPython(
    `${CHROMA}def a():\n  k = 3\n  def b():\n    nonlocal k\n    k = 4\n    def c():\n      nonlocal k\n      k = 5\n    c()\n  b()\n  store.similarity_search("q", k=k)\ndef d():\n  def e():\n    nonlocal n\n    n = 1\n  store.similarity_search("q", k=n)\n`,
  );
  assert.deepEqual(brief(sites), ['similarity_search ?', 'similarity_search ?']);
});

test('of two values, the one set just before the call counts', async () => {
  const { sites } = await inPython(
    `${CHROMA}K = 5\nstore.similarity_search("a", k=K)\nK = 6\nstore.similarity_search("b", k=K)\n`,
  );
  assert.deepEqual(brief(sites), ['similarity_search 5', 'similarity_search 6']);
});

for (const [what, code, why] of [
  ['reassigned in a branch', 'K = 5\nif x:\n  K = 6\nstore.similarity_search("q", k=K)', /several places/u],
  [
    'reassigned in a loop',
    'K = 5\nfor x in y:\n  store.similarity_search("q", k=K)\n  K = 6',
    /several places/u,
  ],
  [
    'reassigned by a function',
    'K = 5\ndef f():\n  global K\n  K = 7\nK = 6\nstore.similarity_search("q", k=K)',
    /several places/u,
  ],
  ['set and used at once', 'K = 5\nstore.similarity_search("q", k=(K := K + 1))\n', /./u],
  ['counted up', 'K = 5\nK += 1\nstore.similarity_search("q", k=K)', /several places/u],
  [
    'set elsewhere',
    'K = 5\ndef f():\n    global K\n    K = 6\nstore.similarity_search("q", k=K)',
    /several places/u,
  ],
  ['imported', 'from settings import K\nstore.similarity_search("q", k=K)', /imported/u],
  ['a loop variable', 'for K in [5, 10]:\n    store.similarity_search("q", k=K)', /not a constant/u],
  ['a parameter', 'def f(K):\n    return store.similarity_search("q", k=K)', /without a default/u],
  [
    'an argument',
    'import argparse\nargs = argparse.ArgumentParser().parse_args()\nstore.similarity_search("q", k=args.k)',
    /argparse/u,
  ],
  [
    'from the environment',
    'import os\nstore.similarity_search("q", k=int(os.environ["K"]))',
    /runs|environment/u,
  ],
  ['conditional', 'store.similarity_search("q", k=5 if long else 3)', /condition/u],
  ['computed', 'store.similarity_search("q", k=len(texts))', /runs/u],
  ['passed on', 'def f(**kw):\n    return store.similarity_search("q", **kw)', /passed on/u],
  ['changed in the dict', 'kw = {"k": 5}\nkw.update(k=6)\nstore.as_retriever(search_kwargs=kw)', /changed/u],
  ['changed on the retriever', 'r = store.as_retriever()\nr.search_kwargs["k"] = 6', /changed/u],
  [
    'seven names away',
    'a = 5\nb = a\nc = b\nd = c\ne = d\nf = e\ng = f\nstore.similarity_search("q", k=g)',
    /too many/u,
  ],
] as const)
  test(`k is unknown, with the reason, if it is ${what}`, async () => {
    const { sites } = await inPython(`${CHROMA}${code}\n`);
    const k = sites.at(-1)?.k;
    assert.equal(k?.value, undefined);
    assert.match(k?.provenance === 'unknown' ? k.why : '', why);
  });

test('a name is resolved in its own scope', async () => {
  const { sites } = await inWorkspace(
    `${CHROMA}k = 9\ndef f(k=2):\n    return store.similarity_search("q", k=k)\ndef g():\n    return store.similarity_search("q", k=k)\nf()\n`,
  );
  assert.deepEqual(brief(sites), ['similarity_search 2', 'similarity_search 9']);
});

test('the library is the one whose class the name refers to at the call', async () => {
  const { sites } = await inPython(
    'from pinecone import Pinecone\npc = Pinecone()\nfrom langchain.vectorstores import Pinecone\nstore = Pinecone(pc, f, "text")\nstore.similarity_search("q")\n',
  );
  assert.deepEqual(
    sites.map(({ library }) => library),
    ['langchain'],
  );
});

const NOTEBOOK = [
  { languageId: 'python', text: 'from langchain_chroma import Chroma\nK = 5\nstore = Chroma("kb")' },
  { languageId: 'markdown', text: 'store.as_retriever()' },
  {
    languageId: 'python',
    text: '%matplotlib inline\n!ls\nstore.similarity_search("q", k=K)\nstore.as_retriever()',
  },
  { languageId: 'python', text: '%%bash\necho "(unbalanced"' },
  { languageId: 'python', text: '%%time\nstore.as_retriever(search_kwargs={"k": 2})' },
];

test('a notebook is one program; places are within cells', async () => {
  const { sites } = await detector.detectNotebook(NOTEBOOK);
  assert.deepEqual(brief(sites), ['similarity_search 5', 'as_retriever 4', 'as_retriever 2']);
  assert.deepEqual(
    sites.map(({ range }) => range.cell),
    [2, 2, 4],
  );
  for (const { range, callee } of sites)
    assert.equal(NOTEBOOK[range.cell]?.text.slice(range.start, range.end), callee);
  assert.equal(sites[0]?.k.place?.cell, 0);
});

test('a value from another cell assumes that cells run from top to bottom', async () => {
  const { sites } = await detector.detectNotebook(NOTEBOOK);
  assert.deepEqual(
    sites.map(({ assumesTopToBottom }) => assumesTopToBottom),
    [true, false, false],
  );
});

test('sites of a notebook survive a half-typed cell, also with a new cell above', async () => {
  const previous = await detector.detectNotebook(NOTEBOOK);
  const broken = NOTEBOOK.with(4, {
    languageId: 'python',
    text: '%%time\nstore.as_retriever(search_kwargs={"k": ',
  });
  const held = await detector.detectNotebook(broken, { previous });
  assert.deepEqual(brief(held.sites), ['similarity_search 5', 'as_retriever 4', 'as_retriever 2']);
  const shifted = await detector.detectNotebook([{ languageId: 'python', text: 'import os' }, ...broken], {
    previous: held,
  });
  assert.deepEqual(
    shifted.sites.map(({ range }) => range.cell),
    [3, 3, 5],
  );
});

test('a fix in a notebook edits its own cell', async () => {
  const cells = [
    { languageId: 'python', text: 'from langchain_chroma import Chroma\nstore = Chroma()' },
    { languageId: 'python', text: 'store.as_retriever(k=10)' },
  ];
  const { problems } = await detector.detectNotebook(cells);
  const edits = problems[0]?.fix?.edits ?? [];
  assert.ok(edits.every(({ place }) => place.cell === 1));
  assert.equal(applied(cells[1]?.text ?? '', edits), 'store.as_retriever(search_kwargs={"k": 10})');
});

test('types of a tagged template hide no search and move no place', async () => {
  const text =
    "import { db } from './db';\nconst smile = '😀'; type A = Array<string>;\nexport const near = (v: string) => db.$queryRaw<\n  Array<{ id: string; '😀': number }>\n>`SELECT id FROM docs ORDER BY e <=> ${v} LIMIT 5`;\nconst isLess = a<b>`x`;\nexport const one = () =>`x`;\nexport const k = (v: string) => db.query('SELECT id FROM docs ORDER BY e <=> $1 LIMIT 7', [v]);\n";
  const { sites } = await inTypeScript(text);
  assert.deepEqual(brief(sites), ['$queryRaw 5', 'query 7']);
  for (const { range, callee } of sites) assert.equal(text.slice(range.start, range.end), callee);
  const typed = text.replace('<=> ${v}', '<=> ${v + 1}');
  const first = await inTypeScript(text);
  assert.deepEqual(brief((await inTypeScript(typed, { previous: first })).sites), ['$queryRaw 5', 'query 7']);
});
