/** Checks for deprecated calls. */
import * as l10n from '@vscode/l10n';
import type { LibraryRules } from '../../core/call-sites/schema.ts';
import type { Composed } from '../match/compose.ts';
import type { Use } from '../match/retriever-variables.ts';
import type { SiteProblem } from '../model.ts';
import { dotted, originOf } from '../resolve/origin.ts';
import type { Program } from '../resolve/program.ts';
import { ownsModule } from '../rules/library.ts';
import { replaced } from './edits.ts';

type Replaced = LibraryRules['replaced'][number];
type Called = Pick<Use, 'call' | 'token'>;

/**
 * LangChain: `get_relevant_documents`; Qdrant: `search`. Checks the site itself and the calls that run a retriever that
 * it makes.
 */
export function replacedCalls(program: Program, site: Composed): readonly SiteProblem[] {
  const { library } = site.match.rule;
  return [site, ...site.uses].flatMap((called) => {
    const known = library.replaced.find(
      ({ names, language }) => language === program.dialect.language && names.includes(called.token.text),
    );
    return known && isOfLibrary(program, library, called) ? [problemOf(program, called, known)] : [];
  });
}

/**
 * Only if the object is known to be from the library: other objects, and subclasses in the workspace, may have methods
 * of the same name.
 */
function isOfLibrary(program: Program, library: LibraryRules, { call: { callee } }: Called): boolean {
  const origin = callee.kind === 'member' ? originOf(program, callee.object) : undefined;
  if (
    origin?.kind !== 'imported' ||
    origin.ambiguous ||
    origin.isThroughWorkspace ||
    origin.path.length === 0
  )
    return false;
  return ownsModule(library, origin.module) || ownsModule(library, dotted(origin));
}

function problemOf(program: Program, { call, token }: Called, known: Replaced): SiteProblem {
  const { instead, since, gone, isSame, source } = known;
  const name = token.text;
  const [question, ...otherArguments] = call.arguments;
  const isAlike = isSame && question?.kind === 'positional' && otherArguments.length === 0;
  return {
    id: 'replaced-call',
    message:
      gone === undefined
        ? l10n.t`${name} is deprecated since ${known.package} ${since}: ${instead} takes its place.`
        : l10n.t`${name} is deprecated since ${known.package} ${since}, and gone in ${gone}: ${instead} takes its place.`,
    place: program.place(token),
    docs: source,
    fix: isAlike
      ? { title: l10n.t`Rename to ${instead}`, edits: [replaced(program, token, instead)] }
      : undefined,
  };
}
