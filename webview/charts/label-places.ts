/** Places labels so that they do not overlap. Pure; all values are in pixels. */

/**
 * Moves positions apart, as little as possible, until neighbours are `gap` apart. All stay between the ends if there is
 * room.
 *
 * @param positions `[n]` in any order
 * @returns `[n]` in the same order
 */
export function spread(positions: readonly number[], gap: number, from: number, to: number): number[] {
  const order = positions
    .map((_, index) => index)
    .toSorted((one, other) => positions[one]! - positions[other]!);
  const placed = order.map((index) => positions[index]!);
  // Moves positions down from the top, then back up from the bottom if they exceed the end.
  placed.forEach((at, row) => (placed[row] = Math.max(at, row === 0 ? from : placed[row - 1]! + gap)));
  for (let row = placed.length - 1; row >= 0; row--) {
    const end = row === placed.length - 1 ? to : placed[row + 1]! - gap;
    if (placed[row]! <= end) break;
    placed[row] = end;
  }
  const result = new Array<number>(positions.length);
  order.forEach((index, row) => (result[index] = placed[row]!));
  return result;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Distance of a label from the centre of its point. */
const AWAY = 9;
const LINE = 13;

/**
 * A place beside each point for a label of the given width, inside the frame and clear of points and earlier labels.
 * `undefined` if there is none.
 *
 * @returns the middle of the left edge of each label
 */
export function besidePoints(
  points: readonly Point[],
  widths: readonly number[],
  frame: Box,
): (Point | undefined)[] {
  const boxes: Box[] = points.map(({ x, y }) => ({ x: x - 5, y: y - 5, width: 10, height: 10 }));
  return points.map(({ x, y }, index) => {
    const width = widths[index]!;
    const place = candidates(x, y, width).find((at) => {
      const box = boxAt(at, width);
      return inside(box, frame) && !boxes.some((other) => overlap(box, other));
    });
    if (place) boxes.push(boxAt(place, width));
    return place;
  });
}

function candidates(x: number, y: number, width: number): Point[] {
  return [0, 1, 2].flatMap((row) =>
    (row === 0 ? [0] : [-row, row]).flatMap((rows) => [
      { x: x + AWAY, y: y + rows * LINE },
      { x: x - AWAY - width, y: y + rows * LINE },
      ...(rows === 0 ? [] : [{ x: x - width / 2, y: y + rows * LINE }]),
    ]),
  );
}

function boxAt({ x, y }: Point, width: number): Box {
  return { x, y: y - LINE / 2, width, height: LINE };
}

function inside(box: Box, frame: Box): boolean {
  return (
    box.x >= frame.x &&
    box.y >= frame.y &&
    box.x + box.width <= frame.x + frame.width &&
    box.y + box.height <= frame.y + frame.height
  );
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
