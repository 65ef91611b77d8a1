import { expect, test } from 'vitest';
import { type DepthPlan, depthRequests } from '../../../src/core/depth/depth-plan.ts';
import { depthProfile } from '../../../src/core/depth/depth-profile.ts';
import { cacheBytes } from '../../../src/core/model/cache-bytes.ts';
import { measuredEngine } from '../../../src/core/model/calibrate-engine.ts';
import { constantsFor } from '../../../src/core/model/constants-for.ts';
import {
  calibratedConstants,
  calibratedLaw,
  engineLaw,
  type LawPoint,
  type StoredCalibration,
} from '../../../src/core/model/engine-calibration.ts';
import { engineConstants } from '../../../src/core/model/engine-constants.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import { isUnknown, unknown } from '../../../src/core/unknown.ts';
import { mockSettings } from '../../../src/mock/mock-settings.ts';
import { timesOf } from '../../../src/mock/reply/stream-plan.ts';
import { madeUpCalibration, madeUpModel } from '../../support/made-up-model.ts';

const LAYER_US = 80;
const BANDWIDTH = 200e9;
const MODEL = madeUpModel({ layers: 32, weightBytes: 5e9 });

test('a server whose tokens take a · layers + bytes ÷ bandwidth is recovered within 2 % from its profile', () => {
  const plan = planOf([0, 4_096, 8_192, 16_384]);
  const measured = measuredEngine(depthProfile(plan, mockedSamples(plan)), MODEL, 2);
  if (isUnknown(measured)) throw new Error(measured.reason);
  const law = engineLaw(
    measured.points.map(point => ({ ...measured, ...point })),
    BANDWIDTH,
  );
  if (isUnknown(law)) throw new Error(law.reason);
  expect(law.form).toBe('overhead-and-bytes');
  expect(Math.abs(law.layerUs / LAYER_US - 1)).toBeLessThan(0.02);
  expect(Math.abs(law.weightBytesPerSecond / BANDWIDTH - 1)).toBeLessThan(0.02);
  expect(law.errorShare).toBeLessThan(0.001);
});

test('a third model is predicted from two others, with overhead, weights and cache separated', () => {
  const time = (point: Pick<LawPoint, 'layers' | 'weightBytes' | 'cacheBytes'>): number =>
    (LAYER_US / 1e6) * point.layers + point.weightBytes / 180e9 + point.cacheBytes / 90e9;
  const pointOf = (layers: number, weightBytes: number, cache: number): LawPoint => {
    const point = { layers, weightBytes, cacheBytes: cache };
    return { ...point, seconds: time(point), spread: 0.002 };
  };
  const law = engineLaw(
    [pointOf(16, 1e9, 0), pointOf(16, 1e9, 5e8), pointOf(48, 9e9, 0), pointOf(48, 9e9, 4e9)],
    BANDWIDTH,
  );
  if (isUnknown(law)) throw new Error(law.reason);
  const third = pointOf(32, 4e9, 1e9);
  const predicted =
    (law.layerUs / 1e6) * third.layers +
    third.weightBytes / law.weightBytesPerSecond +
    third.cacheBytes / law.cacheBytesPerSecond;
  expect(law.form).toBe('three');
  expect(predicted / third.seconds).toBeCloseTo(1, 6);
});

test('a fit that would need more than the measured bandwidth keeps to the ceiling', () => {
  const points = [0, 4e9].map(cacheBytes => ({
    layers: 32,
    weightBytes: 5e9,
    cacheBytes,
    seconds: 0.04 + cacheBytes / 1e12,
    spread: unknown('a single repetition'),
  }));
  const law = engineLaw(points, BANDWIDTH);
  if (isUnknown(law)) throw new Error(law.reason);
  expect(law.form).toBe('ceiling');
  expect(law.weightBytesPerSecond).toBeCloseTo(BANDWIDTH, -3);
  expect(law.layerUs).toBeCloseTo(((0.04 - 5e9 / BANDWIDTH) / 32) * 1e6, 3);
});

test('headroom of a node takes what was measured there before the constants of a family', () => {
  const device = {
    deviceClass: 'gb10',
    ceiling: { bytesPerSecond: BANDWIDTH, operationsPerSecond: 1e13, isMeasured: true },
  } as const;
  const calibrations = [stored({ layers: 32, weightBytes: 5e9, ageMs: 0 })];
  expect(constantsFor(MODEL, 'vllm', { ...device, calibrations }).label).toContain('measured here');
  expect(constantsFor(MODEL, 'vllm', { ...device, calibrations }).layerUs.value).toBeCloseTo(LAYER_US, 3);
  expect(constantsFor(MODEL, 'llama.cpp', { ...device, calibrations }).label).toBe('llama.cpp on GB10');
});

test('constants of the model itself stand before those of others, and only its own engine counts', () => {
  const own = stored({ layers: 32, weightBytes: 5e9, ageMs: 7_200_000 });
  const other = stored({ layers: 16, weightBytes: 1e9, ageMs: 60_000 });
  const ceiling = { bytesPerSecond: BANDWIDTH, operationsPerSecond: 1e13, isMeasured: true };
  const law = calibratedLaw([other, own], 'vllm', { layers: 32, weightBytes: 5e9 }, ceiling);
  if (law === undefined) throw new Error('no law');
  const constants = calibratedConstants(
    law,
    ceiling,
    engineConstants('vllm', 'other', { quantisation: undefined, hasExperts: false }),
  );
  expect(constants.label).toBe('vllm 1.2 measured here 2 h ago, 2 points of this model');
  expect(calibratedLaw([other, own], 'vllm', { layers: 40, weightBytes: 8e9 }, ceiling)?.models).toBe(2);
  expect(calibratedLaw([other, own], 'mlx', { layers: 32, weightBytes: 5e9 }, ceiling)).toBeUndefined();
});

function planOf(depths: readonly number[]): DepthPlan {
  const sizes = { sizeBytes: unknown('-'), parameters: unknown('-'), contextMax: unknown('-') };
  return { depths, promptTokens: 512, outputTokens: 128, repetitions: 1, skipped: [], ...sizes };
}

/** As the mock would send them on a clock that is never late. */
function mockedSamples(plan: DepthPlan) {
  const cachePerToken = cacheOf(MODEL, 1_000) / 1_000;
  const settings = mockSettings({
    ttftMs: 5,
    gapMs: (LAYER_US / 1e3) * 32 + (5e9 / BANDWIDTH) * 1e3,
    contextGapMs: ((cachePerToken * 1_000) / BANDWIDTH) * 1e3,
  });
  return depthRequests(plan).map((request, index) => {
    const depth = request.kind === 'lead' ? 512 : request.depth + (request.kind === 'extension' ? 512 : 0);
    const count = request.kind === 'opening' ? plan.outputTokens : 2;
    const at = timesOf(
      count,
      { hash: index, promptTokens: depth, cachedPromptTokens: 0, isCached: false },
      settings,
    );
    const [first = 0] = at;
    const tpotNs = (((at.at(-1) ?? 0) - first) / (count - 1)) * 1e6;
    return {
      index,
      inputTokens: depth,
      outputTokens: count,
      cachedTokens: undefined,
      ttftNs: first * 1e6,
      tpotNs,
      problem: undefined,
    };
  });
}

function cacheOf(model: ModelFacts, contextTokens: number): number {
  if (isUnknown(model.cache)) throw new Error(model.cache.reason);
  return cacheBytes(model.cache, { contextTokens, bytesPerElement: 2 }).low;
}

function stored({ ageMs, ...of }: { layers: number; weightBytes: number; ageMs: number }): StoredCalibration {
  return { calibration: madeUpCalibration(of), ageMs };
}
