/**
 * Perspective-aware scoring of passages: PAP, PAP+ and the baselines it was compared with.
 *
 * Source: Zhao et al. 2024 (PIR), section 3.1 and tables 4 and 8, and the authors' notebook if the formulas are
 * ambiguous. With a passage c, the query q, its root r, the perspective p and an emphasis w (1 in the paper):
 *
 * | method    | score                                                                    |
 * |-----------|--------------------------------------------------------------------------|
 * | pap       | cos(q_w, c), where x_w = x − w (x·p̂) p̂ and p̂ = p / ‖p‖                   |
 * | pap+      | cos(q_w, c_w)                                                            |
 * | add       | cos(r + wp, c)                                                           |
 * | add+      | cos(r + wp, c + wp)                                                      |
 * | concat    | cos([r; wp], [c; wp])                                                    |
 * | concat+   | cos([q; wp], [c; wp])                                                    |
 * | cast      | cos(q − wp, c)                                                           |
 * | cast+     | cos(q − wp, c − wp)                                                      |
 * | dual-sum  | cos(r, c) + w cos(p, c)                                                  |
 * | tri-sum   | cos(r, c) + w cos(p, c) + cos(q, c)                                      |
 * | add-query | cos(q + wp, c): what the notebook has beside add, and what the figures   |
 * |           | of add+ in table 8 behave like, although its caption says otherwise      |
 *
 * concat+ follows the notebook (the full query in place of the root), as concat already joins the passage with
 * something. Vectors are not normalised. If the lengths of r, p, q and c matter (add, concat, cast), vectors of unit
 * length and others give different scores, as in the paper.
 *
 * Every method reduces to one form, so that a corpus is scored in one pass over its vectors without copies:
 * score(c) = (c·u + β) / √(‖c‖² + γ (c·p̂) + δ (c·p̂)² + ε). For PAP+ this is the identity (c·q − w(2−w)(c·p̂)(q·p̂)) /
 * (‖q_w‖ √(‖c‖² − w(2−w)(c·p̂)²)).
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { addScaled, dot, length, scaled } from './vectors.ts';

export const PROJECTION_METHODS = [
  'pap',
  'pap+',
  'add',
  'add+',
  'concat',
  'concat+',
  'cast',
  'cast+',
  'dual-sum',
  'tri-sum',
  'add-query',
] as const;
export type ProjectionMethod = (typeof PROJECTION_METHODS)[number];

/** Embeddings `[d]` by the same model. A method only needs the ones in its formula. */
export interface ProjectionInput {
  /** The full query q: root and perspective in one sentence. */
  readonly query?: ArrayLike<number> | undefined;
  /** The root query r: the question without a perspective. */
  readonly root?: ArrayLike<number> | undefined;
  readonly perspective: ArrayLike<number>;
  /** Emphasis w, any finite number: 1 as in the paper, 0 ignores the perspective. Defaults to 1. */
  readonly weight?: number | undefined;
}

/** The passage's side of the formula: (c·`direction` + `offset`) / √(‖c‖² + the terms of `norm`). */
export interface ScoringPlan {
  /** u, `[d]`. */
  readonly direction: Float64Array;
  /** β */
  readonly offset: number;
  /** `undefined` if the denominator is ‖c‖. Such a plan is a plain search for `direction`. */
  readonly norm?: NormTerms | undefined;
}

interface NormTerms {
  /** p̂, `[d]`, of unit length. */
  readonly axis: Float64Array;
  /** γ, of c·p̂ */
  readonly linear: number;
  /** δ, of (c·p̂)² */
  readonly quadratic: number;
  /** ε, at least 0 */
  readonly constant: number;
}

/**
 * The least value of a squared length, as a share of the terms it is computed from. It is reached for c ≈ ±p under PAP+
 * (to 0.06°), c ≈ wp under cast+ and c ≈ −wp under add+. The rest of such a passage is rounding noise without
 * direction. With the floor, its score goes to 0 as c approaches p, from a magnitude of at most 1, instead of
 * fluctuating. Chosen to be above the noise of inner products in single precision.
 */
export const NORM_FLOOR = 1e-6;

/** A query shorter than this share of what it was computed from counts as vanished. */
const VANISHED = 1e-6;

/**
 * Converts a method and its inputs to a plan for scoring passages.
 *
 * @throws ParallaxError `bad-argument` naming the input that is missing, of length zero, not finite or of other
 *   dimensions than the perspective, or if nothing remains of the query: it is parallel to the perspective (PAP with w
 *   = 1), or the opposite of it (add) or equal to it (cast)
 */
export function planProjection(method: ProjectionMethod, input: ProjectionInput): ScoringPlan {
  const { weight: w = 1 } = input;
  if (!Number.isFinite(w))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The weight of the perspective must be a number, not ${w}.`,
    );
  const p = vectorOf(input, 'perspective', method);
  const q = (): Float64Array => vectorOf(input, 'query', method);
  const r = (): Float64Array => vectorOf(input, 'root', method);
  switch (method) {
    case 'pap':
      return linearPlan(unit(projected(q(), p, w), q()));
    case 'pap+':
      return projectedPlan(q(), p, w);
    case 'add':
      return linearPlan(unit(addScaled(r(), w, p), r()));
    case 'add-query':
      return linearPlan(unit(addScaled(q(), w, p), q()));
    case 'add+':
      return shiftedPlan(r(), w, p);
    case 'concat':
      return joinedPlan(r(), w, p);
    case 'concat+':
      return joinedPlan(q(), w, p);
    case 'cast':
      return linearPlan(unit(addScaled(q(), -w, p), q()));
    case 'cast+':
      return shiftedPlan(q(), -w, p);
    case 'dual-sum':
      return linearPlan(addScaled(unit(r()), w, unit(p)));
    case 'tri-sum':
      return linearPlan(addScaled(addScaled(unit(r()), w, unit(p)), 1, unit(q())));
  }
}

/**
 * The perspective of a query as the difference q − r, as the authors do for AmbigQA: the perspective there is the full
 * query, of which nothing would remain after projection.
 *
 * @returns `[d]`
 * @throws ParallaxError `bad-argument` if query and root query are equal or have different dimensions
 */
export function differencePerspective(query: ArrayLike<number>, root: ArrayLike<number>): Float64Array {
  if (query.length !== root.length)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The query has ${query.length} dimensions, the root query ${root.length}.`,
    );
  const difference = addScaled(query, -1, root);
  if (!(length(difference) > VANISHED * length(query)))
    throw new ParallaxError(
      'bad-argument',
      l10n.t('The query and the root query have the same vector, so their difference is no perspective.'),
    );
  return difference;
}

/** x − w (x·p̂) p̂: the part of x beyond the perspective at w = 1, and x itself at w = 0. */
export function projected(x: ArrayLike<number>, perspective: ArrayLike<number>, w: number): Float64Array {
  const axis = unit(perspective);
  return addScaled(x, -w * dot(x, axis), axis);
}

/**
 * A plan's scores for passages stored row by row. They are cosines in [−1, 1], except for sums (dual-sum, tri-sum). A
 * zero vector scores 0 if the denominator is its length.
 *
 * @param rows `[n, d]`
 * @returns `[n]`
 * @throws ParallaxError `bad-argument` if the rows do not have the plan's dimensions
 */
export function scoreRows(plan: ScoringPlan, rows: Float32Array | Float64Array): Float64Array {
  const d = plan.direction.length;
  if (rows.length % d !== 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`${rows.length} numbers are not vectors of ${d} dimensions.`,
    );
  return Float64Array.from({ length: rows.length / d }, (_, i) => {
    const c = rows.subarray(i * d, (i + 1) * d);
    const alongAxis = plan.norm ? dot(c, plan.norm.axis) : 0;
    return scoreFromProducts(plan, dot(c, plan.direction), alongAxis, dot(c, c));
  });
}

/**
 * A plan's score for one passage from inner products, for kernels that compute these themselves.
 *
 * @param alongDirection c·`direction`
 * @param alongAxis c·`norm.axis`; unused if the plan has no `norm`
 * @param squaredLength ‖c‖²
 */
export function scoreFromProducts(
  { offset, norm }: ScoringPlan,
  alongDirection: number,
  alongAxis: number,
  squaredLength: number,
): number {
  const denominator = norm ? squaredNorm(norm, alongAxis, squaredLength) : squaredLength;
  return denominator === 0 ? 0 : (alongDirection + offset) / Math.sqrt(denominator);
}

function squaredNorm(norm: NormTerms, alongAxis: number, squaredLength: number): number {
  const { linear, quadratic, constant } = norm;
  const parts = squaredLength + constant;
  const squared = parts + (linear + quadratic * alongAxis) * alongAxis;
  return Math.max(squared, NORM_FLOOR * parts);
}

function linearPlan(direction: Float64Array): ScoringPlan {
  return { direction, offset: 0 };
}

/** cos(q_w, c_w). The part of c_w along p̂ is (1 − w)(c·p̂), which enters the product with (1 − w)(q·p̂). */
function projectedPlan(q: Float64Array, p: Float64Array, w: number): ScoringPlan {
  const axis = unit(p);
  const removed = w * (2 - w);
  const size = remainingLength(projected(q, p, w), q);
  return {
    direction: scaled(1 / size, addScaled(q, -removed * dot(q, axis), axis)),
    offset: 0,
    norm: { axis, linear: 0, quadratic: -removed, constant: 0 },
  };
}

/** cos(x + wp, c + wp). */
function shiftedPlan(x: Float64Array, w: number, p: Float64Array): ScoringPlan {
  const shift = scaled(w, p);
  const direction = unit(addScaled(x, 1, shift), x);
  return {
    direction,
    offset: dot(direction, shift),
    norm: { axis: unit(p), linear: 2 * w * length(p), quadratic: 0, constant: dot(shift, shift) },
  };
}

/** cos([x; wp], [c; wp]). */
function joinedPlan(x: Float64Array, w: number, p: Float64Array): ScoringPlan {
  const added = w * w * dot(p, p);
  const size = Math.sqrt(dot(x, x) + added);
  return {
    direction: scaled(1 / size, x),
    offset: added / size,
    norm: { axis: unit(p), linear: 0, quadratic: 0, constant: added },
  };
}

/** @param from what the vector was computed from, to detect if it has vanished */
function unit(vector: ArrayLike<number>, from: ArrayLike<number> = vector): Float64Array {
  return scaled(1 / remainingLength(vector, from), vector);
}

function remainingLength(vector: ArrayLike<number>, from: ArrayLike<number>): number {
  const remaining = length(vector);
  if (!(remaining > VANISHED * length(from)))
    throw new ParallaxError(
      'bad-argument',
      l10n.t(
        'The projection is empty, because the query is parallel to the perspective. Choose another weight, or take the difference of query and root query as the perspective.',
      ),
    );
  return remaining;
}

function vectorOf(
  input: ProjectionInput,
  role: 'query' | 'root' | 'perspective',
  method: ProjectionMethod,
): Float64Array {
  const values = input[role];
  const name = role === 'root' ? 'root query' : role;
  if (!values)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The projection "${method}" needs the vector of the ${name}.`,
    );
  const vector = Float64Array.from(values);
  const size = length(vector);
  if (vector.length !== input.perspective.length)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The ${name} has ${vector.length} dimensions, the perspective ${input.perspective.length}.`,
    );
  if (!Number.isFinite(size))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`The vector of the ${name} has a value that is not a number.`,
    );
  if (size === 0) throw new ParallaxError('bad-argument', l10n.t`The vector of the ${name} has length zero.`);
  return vector;
}
