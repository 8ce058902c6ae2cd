/**
 * Loaded before a test (`--import`), hides packages as if they were not installed: those in the environment variable
 * PARALLAX_ABSENT, separated by commas.
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
