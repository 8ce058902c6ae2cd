/** Explains errors of PostgreSQL to the author of the pipeline. */
import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../../core/errors.ts';
import type { PostgresRetriever } from '../../../../core/external/stores/postgres.ts';
import { connectionTrouble, type StoreTrouble } from '../store-calls.ts';

/** By PostgreSQL's error codes (its manual, appendix A). */
export function postgresTrouble(error: unknown, store: string, spec: PostgresRetriever): StoreTrouble {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const reason = messageOf(error).replace(/\.$/, '');
  const { database = '', schema, table, user = '' } = spec;
  switch (code) {
    case '28P01':
    case '28000':
      return {
        sentence: /client certificate/iu.test(reason)
          ? l10n.t`${store} refuses the user "${user}": ${reason}; name its files as "certFile" and "keyFile".`
          : l10n.t`${store} refuses the user "${user}": ${reason}; check the stored password.`,
      };
    case '3D000':
      return { sentence: l10n.t`${store} has no database "${database}".` };
    case '42P01':
    case '3F000':
      return { sentence: l10n.t`${store} has no table ${schema}.${table}.` };
    case '42501':
      return { sentence: l10n.t`${store} does not let the user "${user}" do that: ${reason}.` };
    case '42883':
      return {
        sentence: l10n.t`${store} lacks an extension: ${reason}; "vector" takes pgvector, "bm25" takes pg_textsearch.`,
      };
    case '53300':
      return {
        sentence: l10n.t`${store} has no connection left: ${reason}; say with "connections" how many Parallax may open.`,
        passing: true,
      };
    case '57014':
      return { sentence: l10n.t`${store} did not answer within ${spec.timeoutMs / 1000} s.` };
    default:
      return isServerError(code)
        ? { sentence: l10n.t`${store} refuses: ${reason}.` }
        : connectionTrouble(store, error);
  }
}

/**
 * Five characters. Connection errors have codes such as ECONNREFUSED, or none. 08: connection, 53: resources, 57P:
 * shutting down.
 */
function isServerError(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57P)/.test(code);
}
