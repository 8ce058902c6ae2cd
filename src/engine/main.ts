/** Entry of the forked engine process. It lives as long as the channel to its parent. */
import './l10n.ts';
import { IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { Engine } from './engine.ts';
import { serve } from './server.ts';

serve(new IPCMessageReader(process), new IPCMessageWriter(process), (host, log) => new Engine(host, log));
// The parent is gone, orderly or not: nobody is left to serve. What was stored is durable.
process.once('disconnect', () => process.exit(0));
