/**
 * Loaded before a test (`--import`), makes packages unfindable, as they are where they were left out: those
 * that the environment variable PARALLAX_ABSENT names, separated by commas.
 */
import { registerHooks } from 'node:module';

const absent = new Set((process.env['PARALLAX_ABSENT'] ?? '').split(','));

registerHooks({
  resolve(specifier, context, next) {
    if (!absent.has(specifier)) return next(specifier, context);
    const error = new Error(`Cannot find package '${specifier}'\nRequire stack: …`);
    throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
