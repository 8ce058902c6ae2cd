/** In the storage of the editor: retrievals that were captured, which outlive the window. */
export const CAPTURED_FILE = 'captured.jsonl';
