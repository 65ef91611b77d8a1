// Event records of a run, as a load generator would report them.

import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import {
  type EventRecord,
  NO_FIGURE,
  type SampleRecord,
  type SessionRecord,
} from '../../src/core/run/event-record.ts';
import { objectiveFields } from '../../src/core/run/objective.ts';
import type { RunConfig } from '../../src/core/run/report.ts';
import { PLAIN_SHAPE } from '../../src/core/run/run-shape.ts';
import { unknown } from '../../src/core/unknown.ts';

export const session = (kind: SessionRecord['kind'], atNs = 0): SessionRecord => ({ kind, atNs });

export const issued = (sampleId: number, atNs: number, intendedNs = atNs): SampleRecord => ({
  kind: 'sample.issued',
  sampleId,
  atNs,
  intendedNs,
  connectNs: 0,
  heldBackNs: 0,
  isWarmup: false,
});

export const receivedFirst = (sampleId: number, atNs: number, firstByteNs = atNs): SampleRecord => ({
  kind: 'sample.recv_first',
  sampleId,
  atNs,
  firstByteNs,
});

export const receivedMore = (sampleId: number, ...stampsNs: number[]): SampleRecord => ({
  kind: 'sample.recv_non_first',
  sampleId,
  stampsNs,
});

export const complete = (
  sampleId: number,
  atNs: number,
  more: Partial<Extract<SampleRecord, { kind: 'sample.complete' }>> = {},
): SampleRecord => ({
  kind: 'sample.complete',
  sampleId,
  atNs,
  outcome: 'completed',
  firstAnswerNs: NO_FIGURE,
  firstByteNs: NO_FIGURE,
  inputTokens: NO_FIGURE,
  outputTokens: NO_FIGURE,
  chunkCount: 0,
  finishReason: 'stop',
  bytesSent: 0,
  bytesReceived: 0,
  answerHash: NO_FIGURE,
  ...more,
});

export const failed = (
  sampleId: number,
  atNs: number,
  kind: 'http-status' | 'reset' = 'reset',
): EventRecord => ({
  kind: `error.${kind}`,
  sampleId,
  atNs,
  statusCode: 0,
  detail: 'made up',
});

/** All records of one sample, in the order of METRICS §1. */
export const recordsOf = (sample: EndedSample): readonly EventRecord[] => {
  const { sampleId, firstContentNs, chunkGapsNs } = sample;
  let atNs = firstContentNs;
  const stamps = chunkGapsNs.map(gap => (atNs += gap));
  return [
    {
      ...issued(sampleId, sample.sentNs, sample.intendedNs),
      connectNs: sample.connectNs,
      heldBackNs: sample.heldBackNs,
    } as SampleRecord,
    ...(firstContentNs === NO_FIGURE ? [] : [receivedFirst(sampleId, firstContentNs, sample.firstByteNs)]),
    ...(stamps.length === 0 ? [] : [receivedMore(sampleId, ...stamps)]),
    ...(sample.failure === undefined
      ? []
      : [
          {
            kind: `error.${sample.failure.kind}` as const,
            sampleId,
            atNs: sample.endNs,
            statusCode: sample.failure.statusCode,
            detail: sample.failure.detail,
          },
        ]),
    complete(sampleId, sample.endNs, {
      outcome: sample.outcome,
      firstAnswerNs: sample.firstAnswerNs,
      firstByteNs: sample.firstByteNs,
      inputTokens: sample.inputTokens,
      outputTokens: sample.outputTokens,
      chunkCount: sample.chunkCount,
      finishReason: sample.finishReason,
      bytesSent: sample.bytesSent,
      bytesReceived: sample.bytesReceived,
    }),
  ];
};

/** Of a run that has no shape, no name and no tags. */
export const PLAIN_RUN = { shape: PLAIN_SHAPE, name: unknown('not given'), tags: {} } as const;

export const runConfig = (more: Partial<RunConfig['run']> = {}): RunConfig => ({
  schema: 'plimsoll.run/1',
  plimsoll: { version: '0.0.0-test' },
  run: {
    id: 'run-1',
    startedAt: '2026-01-01T00:00:00.000Z',
    target: 'http://127.0.0.1:1',
    serverKind: unknown('not asked'),
    api: 'chat',
    model: 'made-up',
    pattern: { kind: 'concurrency', concurrency: 2 },
    ...PLAIN_RUN,
    dataset: 'synthetic',
    seed: 1,
    streaming: true,
    warmupRequests: 0,
    hasNonce: true,
    stamps: unknown('made up'),
    command: unknown('made up'),
    requests: unknown('made up'),
    ...more,
  },
  ...objectiveFields([], 1),
  requestLengths: unknown('made up'),
  provenance: unknown('made up'),
  environment: { node: '24.0.0', os: 'Linux', cpu: 'made up', cores: 2 },
});
