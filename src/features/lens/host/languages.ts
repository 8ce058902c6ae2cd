/** Languages in which calls are detected, by their ids in the editor. */
export const INLINE_LANGUAGES = [
  'python',
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
] as const;
