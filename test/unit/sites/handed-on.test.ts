/** Calls that another call makes: of a thread, a pool, an event loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, CHROMA, inPython } from './support.ts';

const SEARCH = 'store.similarity_search';

for (const [what, code, wanted] of [
  ['a thread', `import asyncio\nasyncio.to_thread(${SEARCH}, q, k=7)`, ['similarity_search 7']],
  [
    'a thread, by position',
    `from asyncio import to_thread\nto_thread(${SEARCH}, q, 7)`,
    ['similarity_search 7'],
  ],
  ['a thread, without k', `import asyncio as a\na.to_thread(${SEARCH}, q)`, ['similarity_search 4']],
  [
    'a thread, with what is not known',
    `import asyncio\nasyncio.to_thread(${SEARCH}, q, **kw)`,
    ['similarity_search ?'],
  ],
  ['anyio', `import anyio\nanyio.to_thread.run_sync(${SEARCH}, q, 7)`, ['similarity_search 7']],
  [
    'anyio by name',
    `from anyio.to_thread import run_sync\nrun_sync(${SEARCH}, q, limiter=l)`,
    ['similarity_search 4'],
  ],
  [
    'starlette',
    `from starlette.concurrency import run_in_threadpool as r\nr(${SEARCH}, q, k=7)`,
    ['similarity_search 7'],
  ],
  [
    'fastapi',
    `from fastapi.concurrency import run_in_threadpool\nrun_in_threadpool(${SEARCH}, q, k=7)`,
    ['similarity_search 7'],
  ],
  [
    'a pool',
    `import concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor() as pool:\n    pool.submit(${SEARCH}, q, k=7)`,
    ['similarity_search 7'],
  ],
  [
    'a pool that is an attribute',
    `from concurrent.futures import ThreadPoolExecutor\nclass A:\n    def __init__(self):\n        self.pool = ThreadPoolExecutor(2)\n    def ask(self, q):\n        return self.pool.submit(${SEARCH}, q, k=7).result()`,
    ['similarity_search 7'],
  ],
  [
    'a pool that is handed in',
    `from concurrent.futures import Executor\ndef ask(pool: Executor):\n    pool.submit(${SEARCH}, q, k=7)`,
    ['similarity_search 7'],
  ],
  [
    'an event loop',
    `import asyncio\nasyncio.get_running_loop().run_in_executor(None, ${SEARCH}, q, 7)`,
    ['similarity_search 7'],
  ],
  [
    'an event loop in a variable',
    `import asyncio\nloop = asyncio.get_event_loop()\nawait loop.run_in_executor(pool, ${SEARCH}, q)`,
    ['similarity_search 4'],
  ],
  [
    'an event loop, partly',
    `import asyncio\nfrom functools import partial\nloop = asyncio.get_event_loop()\nloop.run_in_executor(None, partial(${SEARCH}, k=7), q)`,
    ['similarity_search 7'],
  ],
  ['a pool of something else', `pool = jobs()\npool.submit(${SEARCH}, q, k=7)`, []],
  ['a form', `from forms import submit\nsubmit(${SEARCH}, q)`, []],
  ['a thread of something else', `from mine import to_thread\nto_thread(${SEARCH}, q)`, []],
  ['a thread, but not first', `import asyncio\nasyncio.to_thread(print, ${SEARCH}, q)`, []],
  ['a thread, by name', `import asyncio\nasyncio.to_thread(func=${SEARCH})`, []],
  ['a part that nobody calls', `from functools import partial\nsearch = partial(${SEARCH}, k=7)`, []],
] as const)
  test(`a search that is handed on to ${what}`, async () => {
    const { sites, problems } = await inPython(`${CHROMA}${code}\n`);
    assert.deepEqual(brief(sites), wanted);
    assert.deepEqual(problems, []);
  });

test('a retriever that is run in a thread is linked', async () => {
  const { sites } = await inPython(
    `import asyncio\n${CHROMA}retriever = store.as_retriever()\nawait asyncio.to_thread(retriever.invoke, q)\n`,
  );
  assert.deepEqual(
    sites.map(({ uses }) => uses.length),
    [1],
  );
});

test('a warning whose edit would stand among the arguments of a thread is not given', async () => {
  const { problems } = await inPython(
    `import asyncio\n${CHROMA}asyncio.to_thread(store.as_retriever, search_kwargs={"top_k": 3})\n`,
  );
  assert.deepEqual(problems, []);
  const plain = await inPython(`${CHROMA}store.as_retriever(search_kwargs={"top_k": 3})\n`);
  assert.equal(plain.problems.length, 1);
});
