/** The commands and views of the papers' experiments, each loaded on first use. */
export const paperCommands = {
  pir: async () => (await import('./pir-command.ts')).pirCommand,
  resist: async () => (await import('./judge-resist-command.ts')).judgeResistCommand,
  tuning: async () => (await import('./tuning-view.ts')).tuningView,
  pool: async () => (await import('./pool-view.ts')).poolView,
  answers: async () => (await import('./answers-view.ts')).answersView,
};
