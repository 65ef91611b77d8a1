// Where a run is relative to the bound of the machine that it loaded: its speed against measured ceilings and
// against what is expected, for decode and prefill, and the checked causes if it is unusual. Nothing is
// clipped: a figure above the bound is a finding about the model's facts, the probe or the run.

import { type DepthProfile, depthTestName } from '../depth/depth-profile.ts';
import { minimumOf } from '../extremes.ts';
import type { Report } from '../run/report.ts';
import type { Estimate } from '../sweep/stage.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { CacheType } from './cache-bytes.ts';
import { promptOperations } from './calibrate-engine.ts';
import { constantsFor } from './constants-for.ts';
import type { Engine } from './engine-constants.ts';
import { HeadroomLinkTable } from './headroom-links.ts';
import type { ModelFacts } from './model-facts.ts';
import { devicesOf, type PlacementPlan, placementName } from './placement.ts';
import { placementPrefill } from './placement-prefill.ts';
import { type PlacedModel, placementTime } from './placement-time.ts';
import { type HostEvidence, runCauses } from './run-causes.ts';
import type { ReadBandwidth, RunHeadroom, RunPhaseName, RunStanding, UnjudgedPhase } from './run-standing.ts';

interface RunHeadroomInput {
  readonly report: Report;
  readonly model: ModelFacts;
  readonly placement: PlacementPlan;
  /** What a reader must know about how it is judged, one sentence each. */
  readonly notes: readonly string[];
  readonly engine: Engine;
  readonly cacheType: CacheType;
  readonly evidence: HostEvidence;
}

export const runHeadroom = (input: RunHeadroomInput): RunHeadroom | Unknown => {
  const { report, placement, engine, model } = input;
  const devices = devicesOf(placement);
  const [first] = devices;
  if (first === undefined) return unknown('it has no devices');
  const ceilings = devices.map(({ ceiling }) => ceiling);
  const missing = ceilings.find(isUnknown);
  if (missing !== undefined) return missing;
  const bandwidth = minimumOf(ceilings.map(ceiling => (isUnknown(ceiling) ? 0 : ceiling.bytesPerSecond)));
  const constants = constantsFor(model, engine, first);
  const judged =
    report.depth === undefined
      ? [judgedDecode(input), judgedPrefill(input)]
      : judgedRows(input, report.depth);
  const standings = judged.flatMap(each => (each.kind === 'standing' ? [each.standing] : []));
  return {
    placement: placementName(placement),
    deviceName: [...new Set(devices.map(({ deviceName }) => deviceName))].join(', '),
    engine,
    modelSource: model.source.location,
    constants: constants.label,
    errorShare: constants.errorShare ?? unknown('not fitted'),
    ceilingBytesPerSecond: bandwidth,
    notes: input.notes,
    standings,
    unjudged: judged.flatMap(each => (each.kind === 'unjudged' ? [each.unjudged] : [])),
    readBytes: readBandwidth(report, bandwidth),
    causes: runCauses({ standings, report, model, evidence: input.evidence }),
  };
};

type Judged =
  | { readonly kind: 'standing'; readonly standing: RunStanding }
  | { readonly kind: 'unjudged'; readonly unjudged: UnjudgedPhase };

const standing = (
  of: Pick<RunStanding, 'phase' | 'test' | 'batch' | 'contextTokens' | 'achieved' | 'limit'>,
  tokens: { readonly bound: number; readonly expected: Estimate },
): Judged => ({
  kind: 'standing',
  standing: {
    ...of,
    ...tokens,
    ofBound: of.achieved / tokens.bound,
    ofExpected: of.achieved / tokens.expected.value,
  },
});

const unjudged = (phase: RunPhaseName, reason: string): Judged => ({
  kind: 'unjudged',
  unjudged: { phase, reason },
});

/** At the mean batch of the run: total tokens per second, times the time per token of one sequence. */
const judgedDecode = (input: RunHeadroomInput): Judged => {
  const { series, outputTokensPerSecond } = input.report;
  const tpotNs = series.tpotNs?.mean ?? undefined;
  const [inMean, outMean] = [series.inputTokens?.mean, series.outputTokens?.mean];
  if (tpotNs === undefined || tpotNs <= 0) return unjudged('decode', 'no request has a time per token');
  if (isUnknown(outputTokensPerSecond)) return unjudged('decode', outputTokensPerSecond.reason);
  if (typeof inMean !== 'number' || typeof outMean !== 'number')
    return unjudged('decode', 'token usage is not reported by the server');
  const batch = Math.max(1, (outputTokensPerSecond * tpotNs) / SECOND_NS);
  return decodeStanding(input, {
    test: '',
    batch,
    contextTokens: inMean + outMean / 2,
    secondsPerToken: tpotNs / SECOND_NS,
    // Between two tokens of one sequence the prompts of the others are read.
    promptsBetween:
      batch > BATCH_ALONE ? { tokens: inMean, share: (batch - 1) / Math.max(1, outMean) } : undefined,
  });
};

interface DecodeMeasured {
  readonly test: string;
  readonly batch: number;
  readonly contextTokens: number;
  readonly secondsPerToken: number;
  readonly promptsBetween: { readonly tokens: number; readonly share: number } | undefined;
}

const decodeStanding = (
  input: RunHeadroomInput,
  { test, batch, contextTokens, secondsPerToken, promptsBetween }: DecodeMeasured,
): Judged => {
  const { placement } = input;
  const time = placementTime(placed(input, { batch, contextTokens }), placement);
  if (isUnknown(time)) return unjudged('decode', time.reason);
  const prompts =
    promptsBetween === undefined
      ? undefined
      : placementPrefill(placed(input, { batch: 1, contextTokens: promptsBetween.tokens }), placement);
  const waited = (end: keyof Estimate): number =>
    prompts === undefined || isUnknown(prompts) || promptsBetween === undefined
      ? 0
      : prompts.expectedSeconds[end] * promptsBetween.share;
  const expected = time.expectedSeconds;
  return standing(
    { phase: 'decode', test, batch, contextTokens, achieved: batch / secondsPerToken, limit: time.limit },
    {
      bound: batch / time.boundSeconds,
      expected: {
        value: batch / (expected.value + waited('value')),
        low: batch / (expected.high + waited('high')),
        high: batch / (expected.low + waited('low')),
      },
    },
  );
};

/** The model on the devices that ran it, with the run's parameters. */
const placed = (
  { model, engine, cacheType }: RunHeadroomInput,
  { batch, contextTokens }: { readonly batch: number; readonly contextTokens: number },
): PlacedModel => ({
  model,
  // The devices of one node: links between them are not measured.
  links: new HeadroomLinkTable([]),
  question: { engine, contextTokens, outputTokens: 1, batch, cacheType },
});

/** Only for requests that ran alone: otherwise the time to first token includes a queue. */
const judgedPrefill = (input: RunHeadroomInput): Judged => {
  const { run, series, contamination } = input.report;
  if (run.pattern.kind !== 'concurrency' || run.pattern.concurrency !== 1)
    return unjudged('prefill', 'more than one request at a time: the time to first token includes a queue');
  const hits = knownOr(contamination, []).find(({ code }) => code === 'prefix-cache');
  if (hits !== undefined) return unjudged('prefill', hits.problem);
  const ttftNs = series.ttftNs?.percentiles['50'];
  const tokens = series.inputTokens?.mean;
  if (ttftNs === undefined || ttftNs <= 0 || typeof tokens !== 'number' || tokens <= 0)
    return unjudged('prefill', 'there is no time to first token, or no usage');
  return prefillStanding(input, {
    test: '',
    tokens,
    before: 0,
    tokensPerSecond: (tokens * SECOND_NS) / ttftNs,
  });
};

const prefillStanding = (
  input: RunHeadroomInput,
  of: {
    readonly test: string;
    readonly tokens: number;
    readonly before: number;
    readonly tokensPerSecond: number;
  },
): Judged => {
  const { model, placement } = input;
  const requested = placed(input, { batch: 1, contextTokens: of.tokens + of.before });
  const time = placementPrefill(requested, placement);
  if (isUnknown(time)) return unjudged('prefill', time.reason);
  const all = promptOperations(model, of.tokens + of.before);
  const ofContext = of.before === 0 ? 0 : promptOperations(model, of.before);
  if (isUnknown(all) || isUnknown(ofContext)) return unjudged('prefill', 'its operations are not known');
  // The time of the whole prompt, times the new tokens' share of its operations.
  const share = (all - ofContext) / all;
  const { boundSeconds, expectedSeconds, limit } = time;
  const rate = (seconds: number): number => of.tokens / (seconds * share);
  return standing(
    {
      phase: 'prefill',
      test: of.test,
      batch: 1,
      contextTokens: of.before,
      achieved: of.tokensPerSecond,
      limit: limit === 'links' ? 'linkBandwidth' : limit,
    },
    {
      bound: rate(boundSeconds),
      expected: {
        value: rate(expectedSeconds.value),
        low: rate(expectedSeconds.high),
        high: rate(expectedSeconds.low),
      },
    },
  );
};

const judgedRows = (input: RunHeadroomInput, { plan, rows }: DepthProfile): readonly Judged[] =>
  rows.map(row => {
    const { tokensPerSecond, contextTokens, tokens } = row;
    const phase = row.test === 'writing' ? 'decode' : 'prefill';
    if (isUnknown(tokensPerSecond))
      return unjudged(phase, `${depthTestName(row, plan)}: ${tokensPerSecond.reason}`);
    const context = knownOr(contextTokens, row.depth);
    return phase === 'decode'
      ? decodeStanding(input, {
          test: depthTestName(row, plan),
          batch: 1,
          contextTokens: context + plan.outputTokens / 2,
          secondsPerToken: 1 / tokensPerSecond.mean,
          promptsBetween: undefined,
        })
      : prefillStanding(input, {
          test: depthTestName(row, plan),
          tokens,
          before: row.test === 'whole' ? 0 : context,
          tokensPerSecond: tokensPerSecond.mean,
        });
  });

/** vLLM and SGLang count the bytes that they estimate to read and write on each device. */
const readBandwidth = ({ server, windowNs }: Report, bandwidth: number): Reported<ReadBandwidth> => {
  if (isUnknown(server)) return unknown('the server reports no metrics');
  const { readBytes, writtenBytes } = server.figures;
  if (readBytes === undefined)
    return unknown('the server does not count bytes: vLLM and SGLang do with --enable-mfu-metrics');
  if (isUnknown(windowNs) || windowNs <= 0) return unknown('the measured phase has no length');
  const bytes = readBytes.rose + (writtenBytes?.rose ?? 0);
  if (bytes === 0)
    return unknown(
      'the server publishes a counter of bytes that does not increase: start it with --enable-mfu-metrics',
    );
  const bytesPerSecond = (bytes * SECOND_NS) / windowNs;
  return { bytesPerSecond, ofCeiling: bytesPerSecond / bandwidth };
};

const SECOND_NS = 1e9;
/** Below this a request counts as alone. */
const BATCH_ALONE = 1.05;
