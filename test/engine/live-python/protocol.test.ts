import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, realpathSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { interpreters, markedCalls, observed, PROGRAMS, retrievals, run } from './observed-python.ts';

const pythons = interpreters();
const python = pythons.at(-1)!;
const skip = pythons.length === 0 && 'cannot run here: no Python from 3.9';
const fixture = (name: string): string => path.join(PROGRAMS, `${name}.py`);

function program(files: Readonly<Record<string, string>>): {
  readonly folder: string;
  readonly file: (name: string) => string;
} {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'parallax-python-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return { folder, file: (name) => path.join(folder, name) };
}

describe('what the hook sends', { skip }, () => {
  test('a retrieval has the question, k, time, result and what can be asked', async () => {
    const { file } = program({
      'app.py': `def search(query, k=4): return [{'text': query}] * k
def answer(question, user): return search(question, k=2)  # observe: search(question, k=2) ## {"question":[0],"k":["k"]}
answer('why?', 'me')
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    const [retrieval] = retrievals(messages);
    assert.equal(retrieval!.question, 'why?');
    assert.equal(retrieval!.k, 2);
    assert.deepEqual(retrieval!.result, [{ text: 'why?' }, { text: 'why?' }]);
    assert.ok(retrieval!.durationMs < 1000);
    assert.deepEqual(
      retrieval!.units.map(({ unit, parameter }) => [unit, parameter]),
      [
        ['call', undefined],
        ['answer', 'question'],
      ],
    );
    assert.equal(messages[0]!.type, 'hello');
  });

  test('a result with more characters than a message may have is cut as a whole', async () => {
    const { file } = program({
      'app.py': `text = 'x' * 100_000
def search(query): return [{'text': query, **{str(n): text for n in range(100)}} for _ in range(20)]
search('large')  # observe: search('large')
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    assert.deepEqual(retrievals(messages)[0]!.result, { $cut: 'size' });
  });

  test('a failing call is sent with its error', async () => {
    const { messages } = await observed([fixture('raises')], { python });
    const failures = messages.filter((message) => message.type === 'failed-call');
    assert.deepEqual(
      failures.map(({ error }) => error),
      [
        { name: 'ValueError', message: 'k is too large: 3' },
        { name: 'ValueError', message: 'k is too large: 4' },
      ],
    );
  });

  test('calls in a hot loop are sampled and counted', async () => {
    const { messages } = await observed([fixture('hot_loop')], { python });
    const sent = retrievals(messages);
    assert.ok(sent.length >= 20 && sent.length < 2000, String(sent.length));
    const dropped = messages.map((message) => (message.type === 'dropped' ? message.count : 0));
    const counted = [...sent.map((each) => each.dropped), ...dropped].reduce((sum, each) => sum + each, 0);
    assert.equal(sent.length + counted, 20_000);
  });

  test('passages are sent as they were when the call returned', async () => {
    const { file } = program({
      'app.py': `class Document:
    def __init__(self, text): self.page_content = text
def search(question): return [Document('one'), Document('two')]
def change(question):
    found = search(question)  # observe: search(question)
    found[0].page_content = 'changed'
    found.pop()
for n in range(3): change('q')
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    const contents = retrievals(messages).map(({ result }) =>
      (result as { readonly page_content: string }[]).map(({ page_content: content }) => content),
    );
    assert.deepEqual(
      contents,
      Array.from({ length: 3 }, () => ['one', 'two']),
    );
  });

  test('a worker process sends all that it retrieved', async () => {
    const { file } = program({
      'app.py': `import multiprocessing
def search(question): return [question]
def ask(n): search(str(n))  # observe: search(str(n))
def work():
    for n in range(5): ask(n)
if __name__ == '__main__':
    worker = multiprocessing.get_context('fork').Process(target=work)
    worker.start()
    worker.join()
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    assert.equal(retrievals(messages).length, 5);
  });

  test('a forked child has a connection', async () => {
    const { messages, connections } = await observed([fixture('fork')], { python });
    assert.equal(connections, 2);
    assert.equal(
      new Set(messages.filter(({ type }) => type === 'hello').map((hello) => 'pid' in hello && hello.pid))
        .size,
      2,
    );
    assert.deepEqual(
      retrievals(messages)
        .map(({ question }) => question)
        .toSorted(),
      ['child', 'parent', 'parent again'],
    );
  });

  test('retrievals before SIGKILL arrive', async () => {
    const { messages, signal } = await observed([fixture('killed')], { python });
    assert.equal(signal, 'SIGKILL');
    assert.equal(retrievals(messages).length, 1);
  });

  test('a vector names the function that received the question', async () => {
    const { messages } = await observed([fixture('web_shaped')], { python });
    const [retrieval] = retrievals(messages);
    assert.equal((retrieval!.question as { $vector: number }).$vector, 32);
    assert.deepEqual(
      retrieval!.units.map(({ unit }) => unit),
      ['ask'],
    );
  });

  test('an SQL statement is no question: its enclosing function has it', async () => {
    const { file } = program({
      'app.py': `def execute(sql, parameters): return [{'text': str(parameters)}]
def search(question, k=4):
    return execute("WITH x AS (SELECT 1) SELECT body FROM x WHERE y MATCH ? LIMIT ?", (question.upper(), k))  # observe: execute("WITH x AS (SELECT 1) SELECT body FROM x WHERE y MATCH ? LIMIT ?", (question.upper(), k))
search('why?')
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    const [retrieval] = retrievals(messages);
    assert.equal(retrieval!.question, null);
    assert.deepEqual(
      retrieval!.units.map(({ unit, parameter, question }) => [unit, parameter, question]),
      [['search', 'question', 'why?']],
    );
  });

  test('a text derived from the question names the function that made it first', async () => {
    const { file } = program({
      'app.py': `def execute(sql, words): return [{'text': words}]
def run(words):
    return execute('q', words)  # observe: execute('q', words) ## {"question":[1]}
def search(question, language):
    return run(' OR '.join('"%s"' % word for word in question.split()))
search('why cats purr', 'en')
execute('q', 'alone')  # observe: execute('q', 'alone') ## {"question":[1]}
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    assert.deepEqual(
      retrievals(messages).map(({ units }) => units.map(({ unit, question }) => [unit, question])),
      [
        [
          ['search', 'why cats purr'],
          ['call', undefined],
          ['run', '"why" OR "cats" OR "purr"'],
        ],
        [['call', undefined]],
      ],
    );
  });

  test('positions in an index are followed to the return value of the enclosing function', async () => {
    const { file } = program({
      'app.py': `TEXTS = ['Dogs bark.', 'Cats purr.']
def nearest(vector): return [1, 0]
def ask(question):
    found = nearest([0.1] * 32)  # observe: nearest([0.1] * 32)
    if question == 'numbers': return found
    if question == 'nothing': raise ValueError(question)
    return [TEXTS[at] for at in found]
print(ask('Do cats purr?'), ask('numbers'))
try: ask('nothing')
except ValueError: pass
`,
    });
    const { messages } = await observed([file('app.py')], { python });
    assert.deepEqual(
      retrievals(messages).map(({ result, units }) => [result, units.map(({ unit }) => unit)]),
      [
        [['Cats purr.', 'Dogs bark.'], ['ask']],
        [[1, 0], ['ask']],
        [[1, 0], ['ask']],
      ],
    );
  });

  test('cycles, broken properties and huge texts are cut and marked', async () => {
    const { messages } = await observed([fixture('hostile')], { python });
    const [cycle, lazy, long] = retrievals(messages)[0]!.result as unknown[];
    assert.deepEqual(cycle, { id: 'a', self: { id: 'a', self: { $cut: 'cycle' } } });
    assert.deepEqual(lazy, { $type: 'Lazy' });
    assert.equal((long as { length: number }).length, 50_000_000);
  });
});

test('answers to questions wait for Parallax, of retrievals only so many', { skip }, () => {
  const { file } = program({
    'app.py': `import sys; sys.path.insert(0, ${JSON.stringify(path.resolve('media/live/python'))})
import socket
from parallax_live.connection import Connection
silent = socket.create_server(('127.0.0.1', 0))
connection = Connection({'port': silent.getsockname()[1], 'token': 'x', 'spool': ''})
text = 'x' * 5_000_000
count = lambda kind: sum(('"type":"%s"' % kind).encode() in line[:40] for line in connection.waiting)
for _ in range(20): connection.tell({'type': 'retrieval', 'result': text})
for _ in range(20): connection.tell({'type': 'answer', 'result': text})
print(count('retrieval') < 14, count('answer'))
import os; sys.stdout.flush(); os._exit(0)
`,
  });
  const { stdout, stderr } = spawnSync(python, [file('app.py')], { encoding: 'utf8' });
  assert.equal(stdout, 'True 20\n', stderr);
});

describe('programs that the hook cannot observe', { skip }, () => {
  test('a file edited after planning runs unchanged', async () => {
    const file = fixture('sync');
    const calls = markedCalls(readFileSync(file, 'utf8'));
    const { messages, stdout } = await observed([file], {
      python,
      plan: { files: { [file]: { sha256: createHash('sha256').update('old').digest('hex'), calls } } },
    });
    assert.match(stdout, /True/u);
    assert.deepEqual(messages.slice(1), [{ type: 'skipped', file, reason: 'changed' }]);
  });

  test('nothing happens if Parallax is not listening', async () => {
    const { stdout, stderr, code, spooled } = await observed([fixture('sync')], { python, listens: false });
    assert.deepEqual([stdout.includes('True'), stderr, code], [true, '', 0]);
    assert.equal(spooled.length, 1);
  });

  test('nothing is sent to another listener once Parallax has ended', async () => {
    const owner = spawnSync(python, ['-V']).pid;
    const { code, stdout, connections, spooled } = await observed([fixture('sync')], {
      python,
      plan: { owner },
    });
    assert.deepEqual([code, stdout.includes('True'), connections, spooled], [0, true, 0, []]);
  });

  test('nothing happens if Parallax disconnects', async () => {
    const { code, stderr } = await observed([fixture('threads')], {
      python,
      onMessage: (_message, socket) => void socket.destroy(),
    });
    assert.deepEqual([code, stderr], [0, '']);
  });

  for (const flag of ['-I', '-S', '-E'])
    test(`${flag} runs the program without a hello`, async () => {
      const { code, connections } = await observed([fixture('sync')], {
        python,
        args: [flag, fixture('sync')],
      });
      assert.deepEqual([code, connections], [0, 0]);
    });

  test('an existing sitecustomize runs, and its folder stays on the path', async () => {
    const { folder, file } = program({
      'site/sitecustomize.py':
        'import sys\nprint("own", __name__, sys.modules[__name__].__file__ == __file__)\n',
      'app.py':
        'import sys, sitecustomize\ndef search(q): return [q]\nsearch("q")  # observe: search("q")\nprint(sys.path, sitecustomize.__file__)\n',
    });
    const env = { PYTHONPATH: path.join(folder, 'site') };
    const withHook = await observed([file('app.py')], { python, env });
    const without = await run(file('app.py'), { python, env });
    assert.equal(withHook.stdout, without.stdout);
    assert.equal(retrievals(withHook.messages).length, 1);
  });
});

describe('ways to start a program', { skip }, () => {
  const files = {
    'shop/__init__.py': '',
    'shop/rag.py': 'def search(q): return [q]\ndef answer(q): return search(q)  # observe: search(q)\n',
    'shop/__main__.py': 'from .rag import answer\nprint(answer("m"))\n',
    'run.py': 'import runpy\nrunpy.run_path("shop/rag.py")["answer"]("r")\n',
    'by_path.py':
      'import importlib.util as u\ns = u.spec_from_file_location("x", "shop/rag.py")\nm = u.module_from_spec(s)\ns.loader.exec_module(m)\nprint(m.answer("p"))\n',
  };
  for (const args of [
    ['-m', 'shop'],
    ['run.py'],
    ['by_path.py'],
    ['-c', 'from shop.rag import answer; print(answer("c"))'],
  ])
    for (const each of new Set([pythons[0], pythons.at(-2), python].filter((found) => found !== undefined)))
      test(`${args[0]} ${args[0] === '-m' ? args[1]! : ''} under ${each}`, async () => {
        const { folder, file } = program(files);
        const env = { PYTHONDONTWRITEBYTECODE: '' };
        const { messages, stderr } = await observed([file('shop/rag.py')], {
          python: each,
          args,
          cwd: folder,
          env,
        });
        assert.equal(stderr, '');
        assert.equal(retrievals(messages).length, 1);
        const written = readdirSync(path.join(folder, 'shop'), { recursive: true }).map(String);
        assert.deepEqual(
          written.filter((name) => name.includes('rag.') && name.endsWith('.pyc')),
          [],
        );
      });
});

describe('asking again', { skip }, () => {
  test('a function that takes rows from a cursor is asked for its rows', async () => {
    const { file } = program({
      'app.py': `import sqlite3
db = sqlite3.connect(':memory:')
db.execute('create table docs(body)')
db.executemany('insert into docs values (?)', [('cats purr',), ('dogs bark',), ('cats flee',)])
def search(question):
    cursor = db.cursor()
    cursor.execute('select body from docs where body like ?', ('%' + question.split()[0] + '%',))  # observe: cursor.execute('select body from docs where body like ?', ('%' + question.split()[0] + '%',))
    return cursor.fetchall()
def one(question):
    cursor = db.cursor()
    cursor.execute('select body from docs where body like ?', ('%' + question.split()[0] + '%',))  # observe: cursor.execute('select body from docs where body like ?', ('%' + question.split()[0] + '%',))
    return cursor.fetchone()
search('cats asleep')
one('cats asleep')
`,
    });
    const asked = async (site: string): Promise<unknown[]> => {
      const questions = [{ id: 'q1', text: 'dogs awake' }];
      const measure = { site, questions, limitMs: 5000 };
      const { messages } = await observed([file('app.py')], { python, plan: { measure } });
      return messages.flatMap((message) => (message.type === 'answer' ? [message.result] : []));
    };
    const rows = [{ $type: 'Rows', columns: ['body'], rows: [['dogs bark']] }];
    assert.deepEqual(await asked('7:4'), rows);
    assert.deepEqual(await asked('11:4'), rows);
  });

  const serving = `import time
def search(query, k=1): return [query + str(i) for i in range(k)]
def answer(question): return search(question)  # observe: search(question) ## {"question":[0],"k":["k"]}
answer('first')
for _ in range(20): time.sleep(0.05)
`;

  test('the same bound call is asked with another question and k', async () => {
    const { file } = program({ 'app.py': serving });
    const answers: unknown[] = [];
    await observed([file('app.py')], {
      python,
      onMessage: (message, socket) => {
        if (message.type === 'retrieval')
          for (const [request, unit] of [
            ['1', 'call'],
            ['2', 'answer'],
            ['3', 'nothing'],
          ])
            socket.write(
              `${JSON.stringify({ type: 'ask', request, retrieval: message.id, unit, question: 'second', k: 2, limitMs: 1000 })}\n`,
            );
        if (message.type === 'answer') answers.push([message.request, message.result, message.k]);
        if (message.type === 'failed-answer') answers.push([message.request, message.reason]);
      },
    });
    assert.deepEqual(answers, [
      ['1', ['second0', 'second1'], 2],
      ['2', ['second0', 'second1'], 2],
      ['3', 'gone'],
    ]);
  });

  test("a coroutine is asked on the program's own loop", async () => {
    const { file } = program({
      'app.py': `import asyncio, threading
async def search(query):
    await asyncio.sleep(0)
    return [query, threading.current_thread() is threading.main_thread()]
async def main():
    await search('first')  # observe: search('first')
    await asyncio.sleep(1)
asyncio.run(main())
`,
    });
    let answer: unknown;
    await observed([file('app.py')], {
      python,
      onMessage: (message, socket) => {
        if (message.type === 'retrieval')
          socket.write(
            `${JSON.stringify({ type: 'ask', request: '1', retrieval: message.id, unit: 'call', question: 'second', limitMs: 1000 })}\n`,
          );
        if (message.type === 'answer') answer = message.result;
      },
    });
    assert.deepEqual(answer, ['second', true]);
  });
});

describe('measuring in place', { skip }, () => {
  const questions = [
    { id: 'a', text: 'one' },
    { id: 'b', text: 'fails' },
    { id: 'c', text: 'slow' },
    { id: 'd', text: 'two' },
  ];
  const body = `    if query == 'fails': raise ValueError('no')
    if query == 'slow':
        for _ in range(100): SLEEP
    return [query] * k
`;
  const kinds = {
    'a synchronous call': `import time
def search(query, k=1):
${body.replace('SLEEP', 'time.sleep(0.02)')}print(search('own'))  # observe: search('own') ## {"question":[0],"k":["k"]}
`,
    'an asynchronous call': `import asyncio
async def search(query, k=1):
${body.replace('SLEEP', 'await asyncio.sleep(0.02)')}async def main():
    print(await search('own'))  # observe: search('own') ## {"question":[0],"k":["k"]}
asyncio.run(main())
`,
    'the function around a call that takes a vector': `import time
WORDS = {}
def search(vector, k=1):
    query = WORDS[vector[0]]
${body.replace('SLEEP', 'time.sleep(0.02)')}def embed(text):
    WORDS[len(WORDS)] = text
    return [len(WORDS) - 1] + [0.0] * 32
def answer(question):
    return search(embed(question))  # observe: search(embed(question)) ## {"question":[0],"k":["k"]}
print(answer('own'))
`,
  };
  for (const isAsync of [false, true])
    test(`${isAsync ? 'an asynchronous' : 'a'} call is asked no more questions once Parallax has ended`, async () => {
      const text = `import ${isAsync ? 'asyncio' : 'time'}
asked = []
${isAsync ? 'async ' : ''}def search(query):
    asked.append(query)
    ${isAsync ? 'await asyncio' : 'time'}.sleep(0.05)
    return [query]
${isAsync ? 'async def main(): await ' : ''}search('own')  # observe: search('own') ## {"question":[0]}
${isAsync ? 'asyncio.run(main())\n' : ''}print(len(asked) < 100)
`;
      const { file } = program({ 'app.py': text });
      const many = Array.from({ length: 100 }, (_, place) => ({ id: `${place}`, text: `${place}` }));
      const { stdout, stderr } = await observed([file('app.py')], {
        python,
        plan: { measure: { site: markedCalls(text)[0]!.site, questions: many, limitMs: 3000 } },
        onMessage: ({ type }, socket) => void (type === 'answer' && socket.destroy()),
      });
      assert.deepEqual([stdout, stderr], ['True\n', '']);
    });

  test('a generator that never ends is asked for as many passages as the program takes', async () => {
    const text = `def search(query):
    number = 0
    while True:
        yield query + str(number)
        number += 1
for each in search('own'):  # observe: search('own') ## {"question":[0]}
    if each == 'own2': break
print(each)
`;
    const { file } = program({ 'app.py': text });
    const site = markedCalls(text)[0]!.site;
    const { messages, stdout, stderr } = await observed([file('app.py')], {
      python,
      plan: { measure: { site, questions: [{ id: 'a', text: 'one' }], limitMs: 3000 } },
    });
    assert.deepEqual([stdout, stderr], ['own2\n', '']);
    assert.deepEqual(
      retrievals(messages).map(({ result }) => result),
      [['own0', 'own1', 'own2']],
    );
    assert.deepEqual(
      messages.flatMap((message) => (message.type === 'answer' ? [message.result] : [])),
      [['one0', 'one1', 'one2']],
    );
  });

  for (const [name, text] of Object.entries(kinds))
    test(`${name} answers every question, and the program gets its result`, async () => {
      const { file } = program({ 'app.py': text });
      const site = markedCalls(text)[0]!.site;
      const { messages, stdout, stderr } = await observed([file('app.py')], {
        python,
        plan: { measure: { site, questions, k: 2, limitMs: 300 } },
      });
      assert.deepEqual([stdout, stderr], ["['own']\n", '']);
      const said = messages.flatMap((message): unknown[] => {
        if (message.type === 'answer') return [[message.request, message.result]];
        return message.type === 'failed-answer'
          ? [[message.request, message.reason, message.error?.message]]
          : [];
      });
      assert.deepEqual(said, [
        ['a', ['one', 'one']],
        ['b', 'threw', 'no'],
        ['c', 'time-limit', undefined],
        ['d', ['two', 'two']],
      ]);
      assert.equal(messages.filter(({ type }) => type === 'measured').length, 1);
      assert.equal(retrievals(messages).length, 1);
    });
});

test('a cell of a notebook is observed and still shows its last value', { skip }, async (context) => {
  const cell = "x = 1\nsearch('cell')";
  const { file, folder } = program({
    'cells.py': `from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("def search(q): return [q]")
print("result", shell.run_cell(${JSON.stringify(cell)}).result)
`,
  });
  const env = { IPYTHONDIR: folder };
  const without = await run(file('cells.py'), { python, env });
  if (without.code !== 0) return context.skip('cannot run here: no IPython');
  const withHook = await observed([], {
    python,
    args: [file('cells.py')],
    env,
    plan: {
      cells: [
        {
          file: '/notebook.ipynb',
          sha256: createHash('sha256').update(cell).digest('hex'),
          calls: [
            {
              site: 'cell',
              start: [2, 0],
              end: [2, 14],
              callee: { start: [2, 0], end: [2, 6] },
              returns: 'passages',
              question: null,
              k: null,
            },
          ],
        },
      ],
    },
  });
  assert.equal(withHook.stdout, without.stdout);
  assert.deepEqual(
    retrievals(withHook.messages).map(({ result }) => result),
    [['cell']],
  );
  return undefined;
});
