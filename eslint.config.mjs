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
    languageOptions: { parserOptions: { projectService: true } },
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
  // What may import what is held by scripts/rooms.mjs.
  {
    files: ['src/core/**/*.ts', 'src/sites/**/*.ts', 'src/agents/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
      'no-restricted-properties': ['error', ...IMPURE_PROPERTIES],
    },
  },
);
