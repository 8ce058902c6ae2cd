/** Entry of the forked engine process. It lives as long as the channel to its parent. */
import './l10n.ts';
import { IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { createEngine } from './engine.ts';
import { LOG_NOTE } from '../shared/rpc.ts';
import { serve } from './server.ts';

const connection = serve(new IPCMessageReader(process), new IPCMessageWriter(process), (host, log) =>
  createEngine(host, log),
);
/**
 * An error outside of every request. The request that caused it is unknown, so all of them fail with the process, and
 * the editor's log has the stack.
 */
process.once('uncaughtException', (error: unknown) => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const end = (): never => process.exit(1);
  void connection
    .sendNotification(LOG_NOTE, { level: 'error', message: `The engine ends: ${text}` })
    .finally(end);
  setTimeout(end, 1000);
});
// The parent is gone, orderly or not, so there is nothing left to do. Stored data is durable.
process.once('disconnect', () => process.exit(0));
