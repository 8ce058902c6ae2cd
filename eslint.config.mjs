import tseslint from 'typescript-eslint';

/** Things that make code depend on the moment or the machine it runs on. */
const IMPURE_GLOBALS = [
  'process',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
  'crypto',
];
const IMPURE_PROPERTIES = [
  { object: 'Date', property: 'now', message: 'Pass the clock in.' },
  { object: 'Math', property: 'random', message: 'Pass the random source in.' },
];

/** Ways to read a file that wait for a pipe, follow a link anywhere and have no end. */
const READERS = {
  'node:fs': ['readFile', 'readFileSync', 'open', 'openSync', 'createReadStream', 'promises'],
  'node:fs/promises': ['readFile', 'open'],
};

/** Ways to send a request that follow a redirect anywhere and take an answer without end. */
const SENDERS = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'undici'];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      'media/sample/**',
      // Files for the user's own program; the tests run them.
      'media/helpers/**',
      'media/examples/**',
      'test/fixtures/call-sites/**',
      'src/engine/kernels/assembly/**',
      'test-results/**',
    ],
  },
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    // One program for all files: a project service works out again for each what it imports.
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off', // typed-array reads under noUncheckedIndexedAccess
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'CatchClause > BlockStatement[body.length=0]', message: 'Do not swallow errors.' },
      ],
    },
  },
  // test() returns a promise that the runner, not the caller, awaits.
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-floating-promises': 'off' } },
  // Files come in through one door.
  {
    files: ['src/**/*.ts'],
    ignores: [
      'src/engine/files/reading.ts',
      'src/engine/files/append-lines.ts',
      'src/engine/files/durable-file.ts',
      // What Parallax alone writes, into a folder of its own.
      'src/engine/bm25/**',
      'src/engine/dense/**',
      'src/engine/store/**',
      'src/engine/web/snapshot-folder.ts',
      // What ships with Parallax, or what the user of a trusted workspace named as a model.
      'src/engine/kernels/kernel-memory.ts',
      'src/engine/encoders/fingerprint.ts',
      'src/cli/site-parser.ts',
      // Pages of the web, whose addresses it looks at; the receiver of spans.
      'src/engine/web/pinned-client.ts',
      'src/engine/capture/span-receiver.ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...Object.entries(READERS).map(([name, importNames]) => ({
              name,
              importNames,
              message: 'Read files with src/engine/files/reading.ts.',
            })),
            ...SENDERS.map((name) => ({
              name,
              message: 'Send requests with src/engine/network/outgoing.ts.',
            })),
          ],
        },
      ],
    },
  },
  {
    files: ['src/extension/**/*.ts'],
    ignores: [
      'src/extension/platform/read-text.ts',
      // Grammars that ship with Parallax.
      'src/extension/inline/inline.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { property: 'readFile', message: 'Read files with src/extension/platform/read-text.ts.' },
      ],
    },
  },
  {
    files: ['src/engine/**/*.ts', 'src/cli/**/*.ts', 'src/extension/**/*.ts'],
    ignores: ['src/engine/network/outgoing.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Send requests with src/engine/network/outgoing.ts.' },
      ],
    },
  },
  // What may import what is held by scripts/rooms.mjs.
  {
    files: ['src/core/**/*.ts', 'src/sites/**/*.ts', 'src/agents/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
      'no-restricted-properties': ['error', ...IMPURE_PROPERTIES],
    },
  },
);
