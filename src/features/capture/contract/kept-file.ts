/** In the editor's storage: captured retrievals that outlive the window. */
export const CAPTURED_FILE = 'captured.jsonl';
