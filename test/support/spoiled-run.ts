// Samples of a run as they should be, spoiled in one way or another, and what is found of them.

import { recordOf } from '../../src/core/record-of.ts';
import type { ContaminationSources } from '../../src/core/run/contamination-check.ts';
import { ContaminationTally } from '../../src/core/run/contamination-tally.ts';
import { doubtCounts } from '../../src/core/run/doubted-figures.ts';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { LATENESS_KEYS, NO_FIGURE } from '../../src/core/run/event-record.ts';
import { findContamination } from '../../src/core/run/find-contamination.ts';
import type { SampleRemark } from '../../src/core/run/sample-remark.ts';
import { SERVER_FIGURE_KEYS, type ServerReading } from '../../src/core/run/server-reading.ts';
import { ServerTally } from '../../src/core/run/server-tally.ts';
import { unknown } from '../../src/core/unknown.ts';
import { sampleOf } from './sample-of.ts';

/** A stream of 20 tokens, 10 ms each, after 1 ms for each token of its prompt. */
export const streamed = (inputTokens = 100, more: Partial<EndedSample> = {}): EndedSample =>
  sampleOf({
    inputTokens,
    outputTokens: 20,
    firstByteNs: inputTokens * 1e6,
    firstContentNs: inputTokens * 1e6,
    chunkGapsNs: Array.from({ length: 19 }, () => 10e6),
    chunkCount: 20,
    endNs: inputTokens * 1e6 + 190e6,
    finishReason: 'length',
    ...more,
  });

/** Of a reply that reports nothing of itself. */
export const REMARK: SampleRemark = {
  cachedTokens: NO_FIGURE,
  predictedTokens: NO_FIGURE,
  reasoningTokens: NO_FIGURE,
  isRepeat: false,
  hasRetryAfter: false,
  isWithoutText: false,
  doubts: [],
  finishName: '',
  otherModel: '',
};
export const QUIET_MACHINE = {
  otherLoad: 0,
  swappedPages: 0,
  memoryWaitShare: 0,
  retransmittedShare: 0,
  droppedPackets: 0,
  heatThrottles: 0,
  governor: 'performance',
  sharesProcessors: false,
};
export const RUN: ContaminationSources['run'] = {
  hasNonce: true,
  model: 'm',
  streaming: true,
  stamps: unknown('not said'),
  requests: unknown('not said'),
  shape: unknown('not said'),
};

export const found = (samples: readonly EndedSample[], more: Partial<ContaminationSources> = {}) => {
  const tally = new ContaminationTally({ isStreaming: true });
  for (const sample of samples) tally.ended(sample);
  return findContamination({
    run: RUN,
    samples: tally.evidence(),
    server: unknown('not asked'),
    machine: unknown('not seen'),
    sent: samples.length,
    doubts: doubtCounts(() => 0),
    hasTokenizer: false,
    stopped: 0,
    series: {},
    isDepthProfile: false,
    ...more,
  });
};

export const ON_TIME = recordOf(LATENESS_KEYS, () => 0);
/** Of 19 gaps. */
export const cached = (_at: number, gapNs = 200_000): EndedSample =>
  streamed(9, { answerHash: 7, chunkGapsNs: Array(19).fill(gapNs) });

export const many = (count: number, of: (at: number) => EndedSample): readonly EndedSample[] =>
  Array.from({ length: count }, (_, at) => of(at));

export const CLEAN = many(200, at => streamed(50 + 4 * at));

const reading = (figures: Partial<ServerReading>): ServerReading => ({
  atNs: 0,
  moment: 'load',
  inFlight: NO_FIGURE,
  ...recordOf(SERVER_FIGURE_KEYS, () => NO_FIGURE),
  ...figures,
});

export const serverOf = (readings: readonly Partial<ServerReading>[]) => {
  const tally = new ServerTally();
  for (const one of readings) tally.observed(reading(one));
  return tally.evidence() ?? unknown('nothing');
};
