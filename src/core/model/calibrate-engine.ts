// From a depth profile and a model's header to a measurement of the engine: seconds per token, with the bytes
// that it had to read.

import type { DepthProfile, DepthRow } from '../depth/depth-profile.ts';
import { maximumOf, minimumOf } from '../extremes.ts';
import { widestOf } from '../run/event-record.ts';
import type { Report } from '../run/report.ts';
import { isUnknown, type Reported, type Unknown, unknown } from '../unknown.ts';
import { decodeStep } from './decode-step.ts';
import type { CalibrationPoint, EngineCalibration } from './engine-calibration.ts';
import { engineConstants } from './engine-constants.ts';
import type { ModelFacts } from './model-facts.ts';
import { prefillTime } from './prefill.ts';
import { middle } from './step-time.ts';

export type MeasuredEngine = Pick<EngineCalibration, 'layers' | 'weightBytes' | 'points' | 'prefill'>;

/** @returns what is missing of the model, or that nothing was measured. */
export const measuredEngine = (
  { plan, rows }: DepthProfile,
  model: ModelFacts,
  cacheBytesPerElement: number,
): MeasuredEngine | Unknown => {
  if (isUnknown(model.layers)) return model.layers;
  const points: CalibrationPoint[] = [];
  let weightBytes = 0;
  for (const { test, tokensPerSecond, contextTokens } of rows) {
    if (test !== 'writing' || isUnknown(tokensPerSecond) || isUnknown(contextTokens)) continue;
    const context = contextTokens + plan.outputTokens / 2;
    const step = decodeStep(model, { batch: 1, contextTokens: context, cacheBytesPerElement });
    if (isUnknown(step)) return step;
    weightBytes = middle(step.weightBytes) + middle(step.expertBytes);
    points.push({
      contextTokens: context,
      cacheBytes: middle(step.cacheBytes),
      seconds: 1 / tokensPerSecond.mean,
      spread: isUnknown(tokensPerSecond.stdDev)
        ? tokensPerSecond.stdDev
        : tokensPerSecond.stdDev / tokensPerSecond.mean,
    });
  }
  if (points.length === 0) return unknown('no depth gave a speed of writing');
  return { layers: model.layers, weightBytes, points, prefill: prefillRates(rows, model) };
};

/**
 * The client's own error of the mean time per token, from which constants are computed. Other parts of the
 * run's verdict do not matter here.
 * @returns the share that the client may have caused, or why no constants can be computed.
 */
export const clientShareOfTokens = ({
  series,
  rateBounds,
}: Pick<Report, 'series' | 'rateBounds'>): Reported<number> => {
  const { tpotNs } = series;
  if (tpotNs === undefined || tpotNs.mean === null) return unknown('no answer has a time for each token');
  const { errorBound, mean } = tpotNs;
  if (errorBound === undefined)
    return unknown(
      `the possible error of this client is not known${isUnknown(rateBounds) ? `: ${rateBounds.reason}` : ''}`,
    );
  const share = widestOf(errorBound.mean) / Math.max(1, mean);
  return share <= CLIENT_SHARE_MOST
    ? share
    : unknown(
        `this client may be off by ${(share * 100).toFixed(1)} % of the time for each token, more than ${CLIENT_SHARE_MOST * 100} %`,
      );
};

const prefillRates = (rows: readonly DepthRow[], model: ModelFacts): EngineCalibration['prefill'] => {
  const rates = rows.flatMap(row => {
    const rate = operationsPerSecond(row, model);
    return isUnknown(rate) ? [] : [rate];
  });
  return rates.length === 0
    ? unknown('no prompt gave a speed of reading')
    : { low: minimumOf(rates), high: maximumOf(rates) };
};

const operationsPerSecond = (
  { test, tokens, depth, tokensPerSecond, contextTokens }: DepthRow,
  model: ModelFacts,
): Reported<number> => {
  if (test === 'writing' || isUnknown(tokensPerSecond)) return unknown('no speed of reading');
  const before = test === 'whole' || isUnknown(contextTokens) ? 0 : contextTokens;
  const all = promptOperations(model, (test === 'whole' ? depth : tokens) + before);
  const ofContext = before === 0 ? 0 : promptOperations(model, before);
  if (isUnknown(all)) return all;
  if (isUnknown(ofContext)) return ofContext;
  return ((all - ofContext) * tokensPerSecond.mean) / (test === 'whole' ? depth : tokens);
};

/** Operations for reading a prompt: its time at one operation per second, with memory excluded. */
export const promptOperations = (model: ModelFacts, promptTokens: number): Reported<number> => {
  const time = prefillTime(model, {
    promptTokens,
    ceiling: { bytesPerSecond: Number.POSITIVE_INFINITY, operationsPerSecond: 1, isMeasured: true },
    constants: engineConstants('other', 'other', { quantisation: undefined, hasExperts: false }),
  });
  return isUnknown(time) ? time : time.boundSeconds;
};

/** Share of the mean time per token: two digits of it remain valid. */
const CLIENT_SHARE_MOST = 0.05;
