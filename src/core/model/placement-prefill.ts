// Reading a prompt over several devices, and the resulting speed for requests that follow each other.

import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, type Unknown, unknown } from '../unknown.ts';
import { constantsFor } from './constants-for.ts';
import { allReduce, handOver, plusEstimate, timesEstimate } from './exchange.ts';
import type { HeadroomQuestion } from './headroom-devices.ts';
import { modelPart } from './model-part.ts';
import type { PlacementPlan, PlacementStage } from './placement.ts';
import { ACTIVATION_BYTES, EXCHANGES_A_LAYER, exchangeSeconds, type PlacedModel } from './placement-time.ts';
import { type PrefillTime, prefillChunks, prefillTime } from './prefill.ts';

/** For a prompt as long as the context: its stages run one after the other. */
export const placementPrefill = (
  placed: PlacedModel,
  { stages }: Pick<PlacementPlan, 'stages'>,
): PrefillTime | Unknown => {
  let total: PrefillTime | undefined;
  for (const [index, stage] of stages.entries()) {
    const time = stagePrefill(placed, stage, stages[index + 1]);
    if (isUnknown(time)) return time;
    total =
      total === undefined
        ? time
        : {
            boundSeconds: total.boundSeconds + time.boundSeconds,
            expectedSeconds: plusEstimate(total.expectedSeconds, time.expectedSeconds),
            ceiling: doubtful(total.ceiling, time.ceiling),
            limit: time.expectedSeconds.value > total.expectedSeconds.value ? time.limit : total.limit,
          };
  }
  return total ?? unknown('it has no stages');
};

const stagePrefill = (
  { model, links, question }: PlacedModel,
  { layers, devices }: PlacementStage,
  next: PlacementStage | undefined,
): PrefillTime | Unknown => {
  const promptTokens = question.contextTokens;
  const part = modelPart(model, { layers, parts: devices.length });
  let slowest: PrefillTime | undefined;
  let boundSeconds = 0;
  for (const device of devices) {
    const { ceiling } = device;
    if (isUnknown(ceiling)) return ceiling;
    const constants = constantsFor(model, question.engine, device);
    const time = prefillTime(part, { promptTokens, ceiling, constants });
    if (isUnknown(time)) return time;
    boundSeconds = Math.max(boundSeconds, time.boundSeconds);
    if (slowest === undefined || time.expectedSeconds.value > slowest.expectedSeconds.value) slowest = time;
  }
  if (slowest === undefined) return unknown('it has no devices');
  const waits: { readonly count: number; readonly each: Exclude<ReturnType<typeof allReduce>, Unknown> }[] =
    [];
  if (devices.length > 1 || next !== undefined) {
    if (isUnknown(model.hiddenSize)) return model.hiddenSize;
    const chunks = prefillChunks(promptTokens);
    const bytes = (promptTokens / chunks) * model.hiddenSize * ACTIVATION_BYTES;
    const [sink] = next?.devices ?? [];
    const source = devices.at(-1);
    const reduce = devices.length > 1 ? allReduce(devices, { links, bytes }) : undefined;
    const hop =
      sink === undefined || source === undefined
        ? undefined
        : handOver([source, sink], { links, bytes, engine: question.engine });
    if (isUnknown(reduce)) return reduce;
    if (isUnknown(hop)) return hop;
    if (reduce !== undefined) waits.push({ count: EXCHANGES_A_LAYER * layers * chunks, each: reduce });
    if (hop !== undefined) waits.push({ count: chunks, each: hop });
  }
  const waiting = plusEstimate(
    ...waits.map(({ count, each }) => timesEstimate(exchangeSeconds(each), count)),
  );
  return {
    boundSeconds: boundSeconds + waits.reduce((sum, { count, each }) => sum + count * each.boundSeconds, 0),
    expectedSeconds: plusEstimate(slowest.expectedSeconds, waiting),
    ceiling: slowest.ceiling,
    limit: waiting.value > slowest.expectedSeconds.value ? 'links' : slowest.limit,
  };
};

/** One ceiling for several stages: if one may be exceeded, so may the whole. */
const doubtful = (a: PrefillTime['ceiling'], b: PrefillTime['ceiling']): PrefillTime['ceiling'] =>
  a.doubt === '' && b.doubt !== '' ? b : a;

/** `batch` clients, each of which sends its next request as soon as it has its reply. */
export interface Serving {
  readonly timePerOutputTokenSeconds: Estimate;
  /** For a prompt that waits for no other one. */
  readonly timeToFirstTokenSeconds: Estimate;
  readonly requestsPerSecond: Estimate;
}

/**
 * Between two tokens of one request the others' prompts are read: (B − 1) of them while it makes its output.
 * Published figures of two and one H100 were 8 and 21 % slower than this (docs/headroom.md).
 * @param stepSeconds for the whole batch.
 */
export const servingOf = (
  { batch, outputTokens }: HeadroomQuestion,
  { stepSeconds, prefillSeconds }: { readonly stepSeconds: Estimate; readonly prefillSeconds: Estimate },
): Serving => {
  const perToken = plusEstimate(stepSeconds, timesEstimate(prefillSeconds, (batch - 1) / outputTokens));
  const perRequest = plusEstimate(prefillSeconds, timesEstimate(perToken, outputTokens));
  return {
    timePerOutputTokenSeconds: perToken,
    timeToFirstTokenSeconds: prefillSeconds,
    requestsPerSecond: {
      value: batch / perRequest.value,
      low: batch / perRequest.high,
      high: batch / perRequest.low,
    },
  };
};
