/** Adds places and comments to a composed call site. */
import type { Node } from './syntax/node.ts';
import { commentFor, type Spoken } from './comments.ts';
import type { Composed } from './match/compose.ts';
import { storeOf, takesMmr } from './match/store.ts';
import type { CallSite, Field, Place, SiteComment } from './model.ts';
import type { Program } from './resolve/program.ts';

export function siteOf(program: Program, composed: Composed, spoken: readonly Spoken[]): CallSite {
  const site = plainSite(program, composed);
  const { token, call } = composed;
  const comment =
    spoken.length > 0
      ? commentFor(spoken, token.startIndex, program.dialect.statement(call.node).startIndex)
      : undefined;
  const assumesTopToBottom =
    program.isNotebook && placesOf(site).some(({ cell }) => cell !== site.range.cell);
  return comment || assumesTopToBottom
    ? { ...site, k: saidK(comment) ?? site.k, comment, assumesTopToBottom }
    : site;
}

/** The site from the code alone, before comments and the order of cells are taken into account. */
function plainSite(program: Program, composed: Composed): CallSite {
  const { match, token, call, fields } = composed;
  const { library, call: rule } = match.rule;
  return {
    library: library.library,
    docs: rule.docs ?? library.docs,
    callee: token.text,
    within: program.dialect.within(token).join('.'),
    range: program.place(token),
    statement: program.place(program.dialect.statement(call.node)),
    uses: usesOf(composed).map((token) => program.place(token)),
    madeIn: composed.madeIn && { file: composed.madeIn.file, line: composed.madeIn.line },
    ...fields,
    store: match.isOwnClass === true ? undefined : storeOf(program, match),
    takesMmr: match.isOwnClass !== true && takesMmr(program, match),
    comment: undefined,
    assumesTopToBottom: false,
    held: false,
  };
}

/** Without duplicates, in the order of the text. */
function usesOf({ uses, consumers = [] }: Composed): readonly Node[] {
  const tokens = [...uses.map(({ token }) => token), ...consumers];
  return [...new Map(tokens.map((token) => [token.id, token])).values()].toSorted(
    (a, b) => a.startIndex - b.startIndex,
  );
}

function saidK(comment: SiteComment | undefined): Field<number> | undefined {
  return comment?.k === undefined
    ? undefined
    : { value: comment.k, provenance: 'comment', place: comment.place };
}

function placesOf({ k, pool, mmr, hybridDense, rerank, embedModel, index }: Composed['fields']): Place[] {
  return [k, pool, mmr?.own, hybridDense, rerank?.model, rerank?.topN, embedModel, index].flatMap(
    (field) => field?.place ?? [],
  );
}
