/** The convex hull of points. */

export interface Corner {
  readonly x: number;
  readonly y: number;
}

/**
 * The corners of the convex hull in order (Andrew's monotone chain), or the points themselves if there are fewer than
 * three.
 */
export function hull(points: readonly Corner[]): Corner[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  const lower = chain(sorted);
  const upper = chain([...sorted].reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

function chain(sorted: readonly Corner[]): Corner[] {
  const corners: Corner[] = [];
  for (const point of sorted) {
    while (corners.length > 1 && !turnsLeft(corners.at(-2)!, corners.at(-1)!, point)) corners.pop();
    corners.push(point);
  }
  return corners;
}

function turnsLeft(a: Corner, b: Corner, c: Corner): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}
