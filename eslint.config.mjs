import tseslint from 'typescript-eslint';

/** Only these folders may know the editor; everything else runs without it. */
const NO_EDITOR = {
  paths: [{ name: 'vscode', message: 'Only src/extension (and the host tests) may import the editor.' }],
};

const layer = (files, patterns, extra = {}) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { ...NO_EDITOR, patterns: patterns.map(([regex, message]) => ({ regex, message })) },
    ],
    ...extra,
  },
});

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
  layer(
    ['src/core/**/*.ts'],
    [
      ['^node:', 'src/core is pure: no Node.'],
      ['/(engine|extension|cli|webview)/', 'src/core imports nothing from the other folders.'],
    ],
    {
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
      'no-restricted-properties': ['error', ...IMPURE_PROPERTIES],
    },
  ),
  layer(
    ['src/shared/**/*.ts'],
    [
      ['^node:', 'src/shared is loaded by the browser too.'],
      ['/(engine|extension|cli|webview)/', 'src/shared may import src/core only.'],
    ],
  ),
  layer(
    ['src/sites/**/*.ts'],
    [
      ['^node:', 'src/sites runs in the extension host and on the command line, desktop or web.'],
      ['/(engine|extension|cli|webview)/', 'src/sites may import src/core and src/shared only.'],
    ],
    {
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
      'no-restricted-properties': ['error', ...IMPURE_PROPERTIES],
    },
  ),
  layer(
    ['src/agents/**/*.ts'],
    [
      ['^node:', 'src/agents runs in the extension host and on the command line.'],
      ['/(engine|extension|cli|webview)/', 'src/agents may import src/core, src/shared and src/sites only.'],
    ],
    {
      'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
      'no-restricted-properties': ['error', ...IMPURE_PROPERTIES],
    },
  ),
  layer(
    ['src/engine/**/*.ts', 'src/cli/**/*.ts'],
    [['/(extension|webview)/', 'The engine runs without the editor.']],
  ),
  layer(
    ['webview/**/*.ts'],
    [
      ['^node:', 'Webviews run in a browser.'],
      ['/(engine|extension|cli)/', 'Webviews import src/core and src/shared only.'],
    ],
  ),
  {
    files: ['src/extension/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '/engine/',
              message: 'The engine is another process: talk to it through src/shared/rpc.ts.',
            },
            { regex: '/(cli|webview)/', message: 'Not from the extension host.' },
          ],
        },
      ],
    },
  },
);
