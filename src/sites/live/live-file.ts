/** The calls of a file or a notebook cell, in the format of a live plan. */
import type { LiveArgument, LiveCall } from '../../features/live/contract/protocol.ts';
import type { Place } from '../model.ts';
import type { PlacedArgument, PlacedCall } from './live-calls.ts';

/**
 * @param text of the file or cell
 * @param placed its calls
 * @param keys of the call sites, by the cell and offset of their start: `0:120`
 */
export function plannedCalls(
  text: string,
  placed: readonly PlacedCall[],
  keys: ReadonlyMap<string, string>,
): LiveCall[] {
  const at = positions(text);
  const range = ({ start, end }: Place): Pick<LiveCall, 'start' | 'end'> => ({
    start: at(start),
    end: at(end),
  });
  const argument = (place: PlacedArgument | undefined): LiveArgument | null =>
    place
      ? {
          path: [...place.path],
          ...(place.chained === undefined ? {} : { chained: place.chained }),
          ...(place.at ? { at: range(place.at) } : {}),
          ...(place.isShorthand ? { isShorthand: true } : {}),
          ...(place.missing ? { missing: { at: at(place.missing.at.start), as: place.missing.as } } : {}),
        }
      : null;
  return placed.flatMap((call): LiveCall[] => {
    const site = keys.get(placeKey(call.site));
    if (site === undefined) return [];
    return [
      {
        site,
        ...range(call.whole),
        callee: range(call.callee),
        returns: call.returns,
        methods: [...call.methods],
        question: argument(call.question),
        k: argument(call.k),
        awaited: call.awaited,
        suspends: call.suspends,
        ranks: call.ranks,
        isOneOfSeveral: call.isOneOfSeveral,
        enclosing: call.enclosing.map(({ name, body, start, parameters, callee }) => ({
          ...(name === undefined ? {} : { name }),
          body: at(body.start),
          line: at(start.start)[0],
          parameters: [...parameters],
          ...(callee === undefined ? {} : { callee }),
        })),
      },
    ];
  });
}

export function placeKey({ cell, start }: Place): string {
  return `${cell}:${start}`;
}

/** Converts an offset to a line, from 1, and a column, from 0. */
function positions(text: string): (offset: number) => [number, number] {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/gu)) starts.push(index + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return [low + 1, offset - starts[low]!];
  };
}
