// What an engine was measured to take on a node: seconds per token at several depths of context, with the
// bytes that each token had to read. One or more such measurements give constants of that engine and machine,
// which take precedence over those fitted to other people's figures.

import * as v from 'valibot';
import { maximumOf, minimumOf } from '../extremes.ts';
import { counted } from '../figure/figure.ts';
import {
  count,
  type Infer,
  nodeIdSchema,
  nonNegative,
  openObject,
  reported,
  runIdSchema,
  text,
} from '../schema.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../unknown.ts';
import { ENGINES, type Engine, type EngineConstants } from './engine-constants.ts';
import type { DeviceCeiling } from './step-time.ts';

/** As many as a profile has depths. */
const CALIBRATION_POINTS_MAX = 32;

export const engineCalibrationSchema = openObject({
  /** Hex digest of engine, version and model. */
  calibrationKey: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/)),
  /** The node of the device; unknown: not a node of the cluster. */
  targetNode: reported(nodeIdSchema),
  runId: runIdSchema,
  engine: v.picklist(ENGINES),
  version: reported(text),
  modelName: text,
  /** Digest of what decides its cost: layers, tensors, cache. */
  modelDigest: v.pipe(v.string(), v.regex(/^[0-9a-f]{8,64}$/)),
  layers: count,
  /** Read for each token of a single sequence, including the experts that it uses. */
  weightBytes: nonNegative,
  points: v.pipe(
    v.array(
      openObject({
        contextTokens: nonNegative,
        cacheBytes: nonNegative,
        seconds: nonNegative,
        spread: reported(nonNegative),
      }),
    ),
    v.maxLength(CALIBRATION_POINTS_MAX),
  ),
  /** Operations per second while prompts were read, the slowest and the fastest. */
  prefill: reported(openObject({ low: nonNegative, high: nonNegative })),
});

/** For one engine, version and model on one node: the newest profile replaces the previous ones. */
export type EngineCalibration = Infer<typeof engineCalibrationSchema>;

export type CalibrationPoint = {
  /** At the middle of the answer, as the server counted. */
  readonly contextTokens: number;
  /** Read from the cache for each token at that point. */
  readonly cacheBytes: number;
  readonly seconds: number;
  /** Standard deviation over repetitions, as a share. */
  readonly spread: Reported<number>;
};

export interface StoredCalibration {
  readonly calibration: EngineCalibration;
  readonly ageMs: number;
}

interface CalibratedModel {
  readonly layers: number;
  readonly weightBytes: number;
}

interface CalibratedLaw {
  readonly law: EngineLaw;
  readonly engine: Engine;
  readonly version: Reported<string>;
  /** Whether this model was measured, or others on the same engine. */
  readonly isOfModel: boolean;
  readonly models: number;
  readonly points: number;
  /** Age of the newest measurement among them. */
  readonly ageMs: number;
  readonly prefill: EngineCalibration['prefill'];
}

/**
 * The model's own measurement first, else all of the version that was measured last. Undefined if there is
 * none of this engine.
 */
export const calibratedLaw = (
  all: readonly StoredCalibration[],
  engine: Engine,
  model: CalibratedModel,
  ceiling: Pick<DeviceCeiling, 'bytesPerSecond'> | undefined,
): CalibratedLaw | undefined => {
  const ofEngine = all
    .filter(({ calibration }) => calibration.engine === engine)
    .toSorted((a, b) => a.ageMs - b.ageMs);
  const own = ofEngine.find(({ calibration }) => isSame(calibration, model));
  const [newest] = ofEngine;
  if (newest === undefined) return undefined;
  const used =
    own === undefined
      ? ofEngine.filter(({ calibration }) => versionOf(calibration) === versionOf(newest.calibration))
      : [own];
  const law = engineLaw(
    used.flatMap(({ calibration }) => lawPoints(calibration)),
    ceiling?.bytesPerSecond,
  );
  if (isUnknown(law)) return undefined;
  return {
    law,
    engine,
    version: (own ?? newest).calibration.version,
    isOfModel: own !== undefined,
    models: used.length,
    points: used.reduce((sum, { calibration }) => sum + calibration.points.length, 0),
    ageMs: minimumOf(used.map(({ ageMs }) => ageMs)),
    prefill: prefillOf(used.map(({ calibration }) => calibration.prefill)),
  };
};

/**
 * As constants of a family, in shares of this ceiling. A share above 1 is kept: then the probe reads low.
 */
export const calibratedConstants = (
  calibrated: CalibratedLaw,
  ceiling: DeviceCeiling,
  family: EngineConstants,
): EngineConstants => {
  const { law, prefill } = calibrated;
  const within = (value: number): EngineConstants['layerUs'] => ({
    value,
    low: value * (1 - law.errorShare),
    high: value * (1 + law.errorShare),
  });
  const operations = ceiling.operationsPerSecond;
  return {
    label: calibrationLabel(calibrated),
    layerUs: within(law.layerUs),
    shareOfSpec: within(law.weightBytesPerSecond / ceiling.bytesPerSecond),
    cacheShare: within(law.cacheBytesPerSecond / ceiling.bytesPerSecond),
    isOfCeiling: true,
    products: family.products,
    prefillShare:
      isUnknown(prefill) || operations === undefined
        ? family.prefillShare
        : { low: prefill.low / operations, high: prefill.high / operations },
    errorShare: law.errorShare,
    figures: calibrated.points,
  };
};

/** "llama.cpp b4321 measured here 3 h ago, 5 points of this model". */
const calibrationLabel = ({ engine, version, isOfModel, models, points, ageMs }: CalibratedLaw): string =>
  `${engine}${isUnknown(version) ? '' : ` ${version}`} measured here ${ageText(ageMs)} ago, ${counted(points, 'point')} of ${isOfModel ? 'this model' : `${models} other ${models === 1 ? 'model' : 'models'}`}`;

const ageText = (ageMs: number): string => {
  const minutes = Math.round(ageMs / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} d`;
};

const lawPoints = ({ layers, weightBytes, points }: EngineCalibration): readonly LawPoint[] =>
  points.map(({ cacheBytes, seconds, spread }) => ({ layers, weightBytes, cacheBytes, seconds, spread }));

const isSame = (a: CalibratedModel, b: CalibratedModel): boolean =>
  a.layers === b.layers && Math.abs(a.weightBytes - b.weightBytes) <= SAME_SHARE * a.weightBytes;

const versionOf = ({ version }: EngineCalibration): string => (isUnknown(version) ? '' : version);

const prefillOf = (all: readonly EngineCalibration['prefill'][]): EngineCalibration['prefill'] => {
  const known = all.flatMap(each => (isUnknown(each) ? [] : [each]));
  return known.length === 0
    ? (all[0] ?? unknown('not measured'))
    : { low: minimumOf(known.map(({ low }) => low)), high: maximumOf(known.map(({ high }) => high)) };
};

/** Bytes of one model counted from its header are equal each time. */
const SAME_SHARE = 1e-6;

// The law t = a · layers + weights / B₁ + cache / B₂ fitted to measured points by least squares of relative
// errors. Terms that the points cannot separate are merged: with one model both bandwidths are taken as one,
// and a bandwidth above the measured ceiling shows that the fit has put overhead into the wrong term.
export interface LawPoint {
  readonly layers: number;
  readonly weightBytes: number;
  readonly cacheBytes: number;
  readonly seconds: number;
  readonly spread: Reported<number>;
}

interface EngineLaw {
  /** Overhead of one layer in one step. */
  readonly layerUs: number;
  readonly weightBytesPerSecond: number;
  readonly cacheBytesPerSecond: number;
  /** Mean absolute error over the points, at least their own spread. */
  readonly errorShare: number;
  /** Which terms the points could separate. */
  readonly form: LawForm;
}

type LawForm = 'three' | 'overhead-and-bytes' | 'ceiling' | 'bytes';

export const engineLaw = (
  points: readonly LawPoint[],
  ceilingBytesPerSecond?: number,
): EngineLaw | Unknown => {
  const good = points.filter(point => point.seconds > 0 && point.weightBytes > 0 && point.layers > 0);
  if (good.length === 0) return unknown('no point has a time');
  const fastest = (ceilingBytesPerSecond ?? Number.POSITIVE_INFINITY) * CEILING_SLACK;
  for (const attempt of attempts(good, ceilingBytesPerSecond)) {
    const found = attempt.solve();
    if (found === undefined) continue;
    const { a, x, y } = found;
    const isPossible = a >= 0 && x > 0 && y > 0 && (attempt.form === 'bytes' || 1 / x <= fastest);
    if (!isPossible) continue;
    return {
      layerUs: a * 1e6,
      weightBytesPerSecond: 1 / x,
      cacheBytesPerSecond: 1 / y,
      errorShare: errorOf(good, found),
      form: attempt.form,
    };
  }
  return unknown('the points follow no law with a positive bandwidth');
};

/** Seconds per layer, per byte of weights, per byte of the cache. */
interface Coefficients {
  readonly a: number;
  readonly x: number;
  readonly y: number;
}

interface Attempt {
  readonly form: LawForm;
  readonly solve: () => Coefficients | undefined;
}

/** The form with most separate terms first; a form with impossible values is refused. */
const attempts = (points: readonly LawPoint[], ceiling: number | undefined): readonly Attempt[] => {
  const layers = (point: LawPoint): number => point.layers;
  const weights = (point: LawPoint): number => point.weightBytes;
  const cache = (point: LawPoint): number => point.cacheBytes;
  const bytes = (point: LawPoint): number => point.weightBytes + point.cacheBytes;
  const hasDepth = differs(
    points.map(point => point.cacheBytes / bytes(point)),
    DEPTH_SPAN,
  );
  const hasSizes = differs(
    points.map(point => Math.log(point.weightBytes / point.layers)),
    SIZE_SPAN,
  );
  const three: Attempt = {
    form: 'three',
    solve: () => {
      const [a, x, y] = leastSquares(points, [layers, weights, cache]) ?? [];
      return a === undefined || x === undefined || y === undefined ? undefined : { a, x, y };
    },
  };
  const two: Attempt = {
    form: 'overhead-and-bytes',
    solve: () => {
      const [a, x] = leastSquares(points, [layers, bytes]) ?? [];
      return a === undefined || x === undefined ? undefined : { a, x, y: x };
    },
  };
  const atCeiling: Attempt = {
    form: 'ceiling',
    solve: () => {
      if (ceiling === undefined) return undefined;
      const least = (point: LawPoint): number => point.weightBytes / ceiling;
      const [a, y] = leastSquares(points, hasDepth ? [layers, cache] : [layers], least) ?? [];
      if (a === undefined) return undefined;
      return { a, x: 1 / ceiling, y: y === undefined || y <= 0 ? 1 / ceiling : y };
    },
  };
  const bytesAlone: Attempt = {
    form: 'bytes',
    solve: () => {
      const [x] = leastSquares(points, [bytes]) ?? [];
      return x === undefined ? undefined : { a: 0, x, y: x };
    },
  };
  return [
    ...(hasDepth && hasSizes ? [three] : []),
    ...(hasDepth || hasSizes ? [two] : []),
    atCeiling,
    bytesAlone,
  ];
};

type Column = (point: LawPoint) => number;

/** Minimises Σ ((columns − (t − taken)) / t)²; undefined if the columns do not differ. */
const leastSquares = (
  points: readonly LawPoint[],
  columns: readonly Column[],
  taken: Column = () => 0,
): readonly number[] | undefined => {
  // Columns are scaled to one size, so that the pivots can be compared.
  const scales = columns.map(column => maximumOf(points.map(point => column(point) / point.seconds)));
  if (scales.some(scale => !(scale > 0))) return undefined;
  const rows = points.map(point => ({
    values: columns.map((column, index) => column(point) / point.seconds / (scales[index] ?? 1)),
    wanted: 1 - taken(point) / point.seconds,
  }));
  const matrix = columns.map((_, i) => [
    ...columns.map((__, j) => rows.reduce((sum, { values }) => sum + (values[i] ?? 0) * (values[j] ?? 0), 0)),
    rows.reduce((sum, { values, wanted }) => sum + (values[i] ?? 0) * wanted, 0),
  ]);
  const solved = eliminated(matrix);
  return solved?.map((value, index) => value / (scales[index] ?? 1));
};

/** Gaussian elimination with the greatest pivot; undefined for a singular matrix. */
const eliminated = (matrix: readonly (readonly number[])[]): readonly number[] | undefined => {
  const rows = matrix.map(row => [...row]);
  const size = rows.length;
  for (let at = 0; at < size; at += 1) {
    const best = rows
      .slice(at)
      .reduce((most, row) => (Math.abs(row[at] ?? 0) > Math.abs(most[at] ?? 0) ? row : most));
    const index = rows.indexOf(best);
    const pivot = best[at] ?? 0;
    if (Math.abs(pivot) < SINGULAR) return undefined;
    const other = rows[at];
    if (other === undefined) return undefined;
    rows[at] = best;
    rows[index] = other;
    for (const row of rows) {
      if (row === best) continue;
      const factor = (row[at] ?? 0) / pivot;
      for (let column = at; column <= size; column += 1)
        row[column] = (row[column] ?? 0) - factor * (best[column] ?? 0);
    }
  }
  return rows.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
};

const errorOf = (points: readonly LawPoint[], { a, x, y }: Coefficients): number => {
  const errors = points.map(({ layers, weightBytes, cacheBytes, seconds }) =>
    Math.abs((a * layers + x * weightBytes + y * cacheBytes) / seconds - 1),
  );
  const spreads = points.map(({ spread }) => knownOr(spread, 0));
  return Math.max(mean(errors), mean(spreads));
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const differs = (values: readonly number[], span: number): boolean =>
  maximumOf(values) - minimumOf(values) >= span;

/** The probe and the engine do not read during the same second. */
const CEILING_SLACK = 1.05;
/** Share of all bytes by which the cache must grow up to the greatest depth. */
const DEPTH_SPAN = 0.02;
/** Spread of the logarithm of bytes per layer. */
const SIZE_SPAN = 0.05;
const SINGULAR = 1e-9;
