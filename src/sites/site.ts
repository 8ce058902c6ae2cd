/** Gives a composed call site its places and what its comment says. */
import type { Node } from './syntax/node.ts';
import { commentFor, type Spoken } from './comments.ts';
import type { Composed } from './match/compose.ts';
import { storeOf, takesMmr } from './match/store.ts';
import type { CallSite, Field, Place, SiteComment } from './model.ts';
import type { Program } from './resolve/program.ts';

export function siteOf(program: Program, composed: Composed, spoken: readonly Spoken[]): CallSite {
  const { match, token, call, fields } = composed;
  const { library, call: rule } = match.rule;
  const statement = program.dialect.statement(call.node);
  const range = program.place(token);
  const comment = commentFor(spoken, token.startIndex, statement.startIndex);
  return {
    library: library.library,
    docs: rule.docs ?? library.docs,
    callee: token.text,
    within: program.found(token, 'within', () => program.dialect.within(token).join('.')),
    range,
    statement: program.place(statement),
    uses: usesOf(composed).map((token) => program.place(token)),
    madeIn: composed.madeIn && { file: composed.madeIn.file, line: composed.madeIn.line },
    ...fields,
    store:
      match.isOwnClass === true ? undefined : program.found(match, 'store', () => storeOf(program, match)),
    takesMmr: match.isOwnClass !== true && program.found(match, 'takes MMR', () => takesMmr(program, match)),
    k: saidK(comment) ?? fields.k,
    comment,
    assumesTopToBottom: program.isNotebook && placesOf(fields).some(({ cell }) => cell !== range.cell),
    held: false,
  };
}

/** Each once, in the order of the text. */
function usesOf({ uses, handed = [] }: Composed): readonly Node[] {
  const tokens = [...uses.map(({ token }) => token), ...handed];
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
