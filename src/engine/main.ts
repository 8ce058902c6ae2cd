/** Entry of the forked engine process. It lives as long as the channel to its parent. */
import './l10n.ts';
import { IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { createEngine } from './engine.ts';
import { serve } from './server.ts';

serve(new IPCMessageReader(process), new IPCMessageWriter(process), (host, log) => createEngine(host, log));
// The parent is gone, orderly or not: nobody is left to serve. What was stored is durable.
process.once('disconnect', () => process.exit(0));
