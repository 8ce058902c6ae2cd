/** Statements, addresses and bodies that functions of a program, or its other files, put together or hand on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, inPython, inTypeScript } from './support.ts';
import { detectIn } from './workspace-support.ts';

const NEAREST = 'SELECT text FROM docs ORDER BY embedding <=> %s';

test('finds a statement passed on by a function where it is written, linked to its run', async () => {
  const { sites } = await inPython(`import psycopg

def rows(cursor, statement, values):
    cursor.execute(statement, values)
    return cursor.fetchall()

def ask(cursor, vector):
    return rows(cursor, "${NEAREST} LIMIT 5", (vector,))

def users(cursor):
    return rows(cursor, "SELECT name FROM users ORDER BY name LIMIT 5", ())
`);
  assert.deepEqual(brief(sites), ['rows 5']);
  assert.equal(sites[0]?.uses.length, 1);
});

test('the same holds in TypeScript', async () => {
  const { sites } = await inTypeScript(`import pg from 'pg';
const pool = new pg.Pool();
const all = async (statement: string, values: unknown[]) => (await pool.query(statement, values)).rows;
export const ask = (vector: string) => all('SELECT text FROM docs ORDER BY embedding <=> $1 LIMIT 4', [vector]);
export const users = () => all('SELECT name FROM users ORDER BY name LIMIT 4', []);
`);
  assert.deepEqual(brief(sites), ['all 4']);
});

for (const [what, hands, wanted] of [
  [
    'its second argument',
    'def rows(statement, values):\n    return cursor.execute(statement, values)',
    'rows 6',
  ],
  ['other values', 'def rows(statement, values):\n    return cursor.execute(statement, (1, 2))', 'rows ?'],
  ['nothing else', 'def rows(statement, values):\n    return cursor.execute(statement)', 'rows ?'],
] as const)
  test(`a limit among the parameters is stated if the function passes on ${what}`, async () => {
    const { sites } = await inPython(`import psycopg\n${hands}\nrows("${NEAREST} LIMIT %s", (vector, 6))\n`);
    assert.deepEqual(brief(sites), [wanted]);
  });

const RUNNING = `class Database:
    def __init__(self, pool):
        self.pool = pool

    def pick(self, statement, values=()):
        with self.pool.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall()

    def say(self, words):
        return self.pool.tell(words)

db = Database(None)

def rows(statement):
    return db.pick(statement)
`;

for (const [what, code, wanted] of [
  ['a function', `from app.running import rows\nrows("${NEAREST} LIMIT 3")`, ['rows 3']],
  ['a method', `from app.running import db\ndb.pick("${NEAREST} LIMIT 3")`, ['pick 3']],
  [
    'a method of a parameter',
    `from app.running import Database\ndef f(d: Database):\n    return d.pick(statement="${NEAREST} LIMIT 3")`,
    ['pick 3'],
  ],
  [
    'a method, with a limit among its parameters',
    `from app.running import db\ndb.pick("${NEAREST} LIMIT %s", (3,))`,
    ['pick ?'],
  ],
  ['a function that runs nothing', `from app.running import db\ndb.say("${NEAREST} LIMIT 3")`, []],
  [
    'a statement that does not search',
    'from app.running import rows\nrows("SELECT 1 ORDER BY 1 LIMIT 3")',
    [],
  ],
] as const)
  test(`follows a statement that another file runs to ${what}`, async () => {
    const files = { 'app/__init__.py': '', 'app/running.py': RUNNING, 'main.py': `${code}\n` };
    const { sites } = await detectIn(files, 'main.py');
    assert.deepEqual(brief(sites), wanted);
  });

const QUERIES = `NEAREST = "${NEAREST} LIMIT 8"
USERS = "SELECT name FROM users ORDER BY name LIMIT 8"
TABLE = "docs"

def nearest(n):
    statement = f"SELECT text FROM {TABLE} ORDER BY embedding <=> %s"
    return statement + f" LIMIT {n}"

def users(n):
    return f"SELECT name FROM users LIMIT {n}"

def found(cursor):
    cursor.execute(NEAREST)
    return cursor.fetchall()
`;

for (const [what, code, wanted] of [
  ['a constant', 'from app.queries import NEAREST\ncursor.execute(NEAREST, (vector,))', ['execute 8']],
  ['a constant of a module', 'from app import queries\ncursor.execute(queries.NEAREST)', ['execute 8']],
  [
    'what a function puts together',
    'from app.queries import nearest\ncursor.execute(nearest(3))',
    ['execute ?'],
  ],
  ['a constant that does not search', 'from app.queries import USERS\ncursor.execute(USERS)', []],
  ['what another function puts together', 'from app.queries import users\ncursor.execute(users(3))', []],
  ['a name of its own', 'NEAREST = "SELECT 1"\ncursor.execute(NEAREST)', []],
  ['what was found', 'from app.queries import found\nprinter.execute(found(cursor))', []],
] as const)
  test(`searches for a statement of another file in ${what}`, async () => {
    const files = {
      'app/__init__.py': '',
      'app/queries.py': QUERIES,
      'main.py': `import psycopg\n${code}\n`,
    };
    const { sites } = await detectIn(files, 'main.py');
    assert.deepEqual(brief(sites), wanted);
  });

test('reads a part of a statement that a function of another file returns', async () => {
  const files = {
    'graph/parts.py':
      "def near(a, b):\n    return f'vector.similarity.cosine({a}, {b})'\n\ndef same(a, b):\n    return f'{a} = {b}'\n",
    'graph/search.py': `from .parts import near, same

async def ask(neo4j_driver, vector):
    query = 'MATCH (n) WITH n, ' + near('n.embedding', '$vector') + ' AS score RETURN n ORDER BY score DESC'
    return await neo4j_driver.execute_query(query, vector=vector)

async def get(neo4j_driver, id):
    query = 'MATCH (n) WHERE ' + same('n.id', '$id') + ' RETURN n'
    return await neo4j_driver.execute_query(query, id=id)
`,
  };
  const { sites } = await detectIn(files, 'graph/search.py');
  assert.deepEqual(
    sites.map(({ within, callee }) => `${within} ${callee}`),
    ['ask execute_query'],
  );
});

test('ignores values from another branch', async () => {
  const { sites } = await inPython(`from neo4j import GraphDatabase
driver = GraphDatabase.driver("bolt://x")

def ask(plain, vector):
    if plain:
        query = 'MATCH (n) RETURN n'
        records = driver.execute_query(query)
    else:
        query = 'MATCH (n) RETURN n ORDER BY vector.similarity.cosine(n.v, $v) DESC'
        records = driver.execute_query(query)
    return records
`);
  assert.deepEqual(
    sites.map(({ range }) => range.start > 250),
    [true],
  );
});

test('follows an address from another file', async () => {
  const files = {
    'lib/endpoints.ts':
      "export const SEARCH = 'https://google.serper.dev/search';\nexport const USERS = 'https://example.org/users';\n",
    'lib/ask.ts': `import { SEARCH, USERS } from './endpoints';
export const ask = (q: string) => fetch(SEARCH, { method: 'POST', body: JSON.stringify({ q, num: 6 }) });
export const users = () => fetch(USERS);
`,
  };
  const { sites } = await detectIn(files, 'lib/ask.ts');
  assert.deepEqual(brief(sites), ['fetch 6']);
});

test('stops at a function that passes its parameter to itself', async () => {
  const { sites } = await inPython(
    `import psycopg\ndef again(statement):\n    return again(statement)\nagain("${NEAREST} LIMIT 5")\n`,
  );
  assert.deepEqual(brief(sites), []);
});
