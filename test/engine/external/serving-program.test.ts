/** Runs the output of *Measure My Retriever…* unchanged, beside programs whose libraries are short stand-ins. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { commandRetrieverSchema } from '../../../src/core/external/spec.ts';
import { createCommandRetriever } from '../../../src/engine/external/command-retriever.ts';
import { servingProgram } from '../../../src/sites/serving-program.ts';
import { inPython, inTypeScript } from '../../unit/sites/support.ts';

interface Written {
  /** The program with the call and its imports, by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** The file of the program with the call. */
  readonly file: string;
  /** The user's completion of the generated program. */
  readonly complete?: (program: string) => string;
}

/** The ids of the passages that the program serves for a question. */
async function served(t: TestContext, { files, file, complete = (program) => program }: Written) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-serving-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  cpSync('media/helpers', folder, { recursive: true });
  const text = files[file]!;
  const isPython = file.endsWith('.py');
  const { sites } = await (isPython ? inPython(text) : inTypeScript(text));
  const module = isPython ? path.basename(file, '.py') : `./${file}`;
  const program = servingProgram(sites[0]!, { text, isPython, module, place: `${file}:1` });
  const named = file.replace(/\p{Cc}/gu, '�');
  assert.ok(program.includes(`Parallax asks this program what ${named}:1 retrieves`), program);
  const name = isPython ? 'parallax_rag.py' : 'parallax-rag.ts';
  writeFileSync(path.join(folder, name), complete(program));
  const command = [isPython ? 'python3' : process.execPath, name];
  const retriever = createCommandRetriever(
    commandRetrieverSchema.parse({ type: 'command', command }),
    folder,
  );
  t.after(() => retriever.close());
  return (await retriever.search({ text: 'rent' }, 5)).map(({ id, text: found }) => [id, found]);
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
const python = { skip: hasPython ? false : 'cannot run here: python3 is absent' };

const LANGCHAIN = {
  'langchain_community/retrievers.py': `class Document:
    def __init__(self, id, page_content):
        self.id, self.page_content = id, page_content

class BM25Retriever:
    @classmethod
    def from_texts(cls, texts, k=4):
        made = cls()
        made.texts = texts
        return made
    def invoke(self, query):
        return [Document(str(at), text) for at, text in enumerate(self.texts) if query in text]
`,
};
const TEXTS = '["rent rises", "wages", "rent falls"]';
const FOUND = [
  ['0', 'rent rises'],
  ['2', 'rent falls'],
];

test('a retriever in a variable is served unchanged', python, async (t) => {
  const rag = `from langchain_community.retrievers import BM25Retriever
retriever = BM25Retriever.from_texts(${TEXTS}, k=2)
`;
  assert.deepEqual(await served(t, { files: { ...LANGCHAIN, 'rag.py': rag }, file: 'rag.py' }), FOUND);
});

test('a function that creates a retriever is called once', python, async (t) => {
  const rag = `from langchain_community.retrievers import BM25Retriever

def make_retriever():
    return BM25Retriever.from_texts(${TEXTS}, k=2)
`;
  assert.deepEqual(await served(t, { files: { ...LANGCHAIN, 'rag.py': rag }, file: 'rag.py' }), FOUND);
});

test(
  'a method that searches is called with the question, and the user completes its class',
  python,
  async (t) => {
    const chromadb = `class Collection:
    def query(self, query_texts, n_results=10):
        return {"ids": [["a", "b"]], "documents": [["rent rises", "rent falls"]]}

class Client:
    def get_collection(self, name):
        return Collection()
`;
    const rag = `import chromadb

class Service:
    def __init__(self, name):
        self.collection = chromadb.Client().get_collection(name)

    def search(self, question):
        found = self.collection.query(query_texts=[question], n_results=2)
        return list(zip(found["ids"][0], found["documents"][0]))
`;
    const found = await served(t, {
      files: { 'chromadb.py': chromadb, 'rag.py': rag },
      file: 'rag.py',
      complete: (program) => {
        assert.match(
          program,
          /\nservice = Service\(\)\nserve\(lambda query, k: service\.search\(query\)\)\n$/u,
        );
        return program.replace('Service()', 'Service("kb")');
      },
    });
    assert.deepEqual(found, [
      ['a', 'rent rises'],
      ['b', 'rent falls'],
    ]);
  },
);

test('a TypeScript function that searches is called with the question', async (t) => {
  const client = `export class QdrantClient {
  async search(_name: string, _options: object) { return [{ id: 7, payload: { text: 'rent rises' } }]; }
}
`;
  const rag = `import { QdrantClient } from '@qdrant/js-client-rest';
const client = new QdrantClient({ url: 'http://localhost:6333' });
export async function retrieve(question: string) {
  const found = await client.search('kb', { vector: [question.length], limit: 3 });
  return found.map(({ id, payload }) => ({ id: String(id), text: payload.text }));
}
`;
  const module = 'node_modules/@qdrant/js-client-rest';
  const files = {
    [`${module}/package.json`]: '{"type":"module","exports":"./index.js"}',
    [`${module}/index.js`]: client.replaceAll(/: (?:string|object)/gu, ''),
    'package.json': '{"type":"module"}',
    'rag.ts': rag,
  };
  assert.deepEqual(await served(t, { files, file: 'rag.ts' }), [['7', 'rent rises']]);
});

/** Valid file names that would be code if they were pasted into the importing program. */
const HOSTILE_NAMES = ["it's", 'two "words"', "rag\nopen('taken', 'w')\n#", 'a\rb', 'rag-1', 'a#b?c%20d'];

for (const name of HOSTILE_NAMES) {
  test(
    `a Python file called ${JSON.stringify(name)} is imported, and its name is not executed`,
    python,
    async (t) => {
      const rag = `from langchain_community.retrievers import BM25Retriever
retriever = BM25Retriever.from_texts(${TEXTS}, k=2)
`;
      const file = `${name}.py`;
      assert.deepEqual(await served(t, { files: { ...LANGCHAIN, [file]: rag }, file }), FOUND);
    },
  );

  test(`a TypeScript file called ${JSON.stringify(name)} is imported, and its name is not executed`, async (t) => {
    const client = `export class QdrantClient { async search() { return [{ id: 7 }]; } }\n`;
    const rag = `import { QdrantClient } from '@qdrant/js-client-rest';
const client = new QdrantClient({ url: 'http://localhost:6333' });
export async function retrieve(question: string) {
  const found = await client.search('kb', { vector: [question.length], limit: 3 });
  return found.map(({ id }) => ({ id: String(id), text: 'rent' }));
}
`;
    const module = 'node_modules/@qdrant/js-client-rest';
    const files = {
      'package.json': '{"type": "module"}',
      [`${module}/package.json`]:
        '{"name": "@qdrant/js-client-rest", "type": "module", "exports": "./index.js"}',
      [`${module}/index.js`]: client,
      [`${name}.ts`]: rag,
    };
    assert.deepEqual(await served(t, { files, file: `${name}.ts` }), [['7', 'rent']]);
  });
}
