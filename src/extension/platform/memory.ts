/** Values that outlive the window. */
export interface Memory {
  get<T>(key: string): T | undefined;
  set(key: string, value: unknown): void;
}
