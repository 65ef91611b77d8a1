// What an engine was measured to take on a node: seconds per token at several depths of context, with the
// bytes that each token had to read. One or more such measurements give constants of that engine and machine,
// which take precedence over those fitted to other people's figures.

import { maximumOf, minimumOf } from '../extremes.ts';
import { counted } from '../figure/figure.ts';
import type { NodeId, RunId } from '../ids.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { Engine, EngineConstants } from './engine-constants.ts';
import { type EngineLaw, engineLaw, type LawPoint } from './engine-law.ts';
import type { DeviceCeiling } from './step-time.ts';

/** For one engine, version and model on one node: the newest profile replaces the previous ones. */
export type EngineCalibration = {
  /** Hex digest of engine, version and model. */
  readonly calibrationKey: string;
  /** The node of the device; unknown: not a node of the cluster. */
  readonly targetNode: Reported<NodeId>;
  readonly runId: RunId;
  readonly engine: Engine;
  readonly version: Reported<string>;
  readonly modelName: string;
  /** Digest of what decides its cost: layers, tensors, cache. */
  readonly modelDigest: string;
  readonly layers: number;
  /** Read for each token of a single sequence, including the experts that it uses. */
  readonly weightBytes: number;
  readonly points: readonly CalibrationPoint[];
  /** Operations per second while prompts were read, the slowest and the fastest. */
  readonly prefill: Reported<{ readonly low: number; readonly high: number }>;
};

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
