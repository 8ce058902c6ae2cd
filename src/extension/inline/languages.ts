/** Languages whose calls are detected, as the editor names them. */
export const INLINE_LANGUAGES = [
  'python',
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
] as const;
