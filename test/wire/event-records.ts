// Event records of every kind, for property tests and benchmarks.

import fc from 'fast-check';
import { recordOf } from '../../src/core/record-of.ts';
import {
  type EventRecord,
  GAP_EDGES,
  REPLY_COUNT_KEYS,
  SERVED_KEYS,
} from '../../src/core/run/event-record.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../../src/core/run/outcome.ts';
import { SERVER_FIGURE_KEYS, SERVER_MOMENTS } from '../../src/core/run/server-reading.ts';
import { SKIP_REASONS } from '../../src/core/run/session-outcome.ts';
import { TOKEN_DOUBT_KEYS } from '../../src/core/run/token-doubts.ts';
import { BEATS_MAX, OUTCOMES, SAMPLE_ID_MAX, SESSION_KINDS } from '../../src/wire/event-batch-layout.ts';

const sampleId = fc.integer({ min: 0, max: SAMPLE_ID_MAX });
const time = fc.oneof(fc.maxSafeNat(), fc.double({ min: 0, max: 1e15, noNaN: true }), fc.constant(-1));
const figure = fc.oneof(fc.maxSafeNat(), fc.constant(-1));
const fraction = fc.double({ min: 0, max: 1, noNaN: true });

const turn = fc.record({ session: fc.maxSafeNat(), turn: fc.maxSafeNat(), turns: fc.maxSafeNat() });

const wholeStamps = fc
  .tuple(fc.nat(1e15), fc.array(fc.nat(0xff_ff_ff_ff), { maxLength: 40 }))
  .map(([first, gaps]) => {
    const stamps = [first];
    for (const gap of gaps) stamps.push((stamps.at(-1) ?? 0) + gap);
    return stamps;
  });

export const stampsArbitrary: fc.Arbitrary<number[]> = fc.oneof(
  wholeStamps,
  fc.array(time, { maxLength: 40 }),
);

/** Zero survives the wire as itself: -0 and 0 are the same time. */
export const eventRecordArbitrary: fc.Arbitrary<EventRecord> = fc.oneof(
  fc.record({ kind: fc.constantFrom(...SESSION_KINDS), atNs: time }),
  fc.record({
    kind: fc.constant('sample.issued' as const),
    sampleId,
    atNs: time,
    intendedNs: time,
    connectNs: time,
    heldBackNs: time,
    isWarmup: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('sample.recv_first' as const), sampleId, atNs: time, firstByteNs: time }),
  fc.record({ kind: fc.constant('sample.recv_non_first' as const), sampleId, stampsNs: stampsArbitrary }),
  fc.record({
    kind: fc.constant('sample.complete' as const),
    sampleId,
    atNs: time,
    outcome: fc.constantFrom(...OUTCOMES),
    firstAnswerNs: time,
    firstByteNs: time,
    inputTokens: figure,
    outputTokens: figure,
    chunkCount: figure,
    finishReason: fc.constantFrom(...FINISH_REASONS),
    bytesSent: figure,
    bytesReceived: figure,
    answerHash: figure,
  }),
  fc.record({
    kind: fc.constantFrom(...FAILURE_KINDS).map(kind => `error.${kind}` as const),
    sampleId,
    atNs: time,
    statusCode: fc.nat(65_535),
    detail: fc.string({ unit: 'binary', maxLength: 100 }),
  }),
  fc.record({
    kind: fc.constant('client.observed' as const),
    atNs: time,
    thread: fc.nat(64),
    eventLoopUtilization: fraction,
    cpuShare: fraction,
    eventLoopDelayNsMax: time,
    readLatenessNsMax: time,
    gcPauseNsTotal: time,
    gcPauseNsMax: time,
    connectionsOpened: figure,
    connectionsReused: figure,
    connectionsClosed: figure,
    connectionsStale: figure,
    arrivalsWaiting: figure,
    backoffNs: time,
    connectionsAhead: figure,
  }),
  fc
    .record({ sampleId, of: turn })
    .map(({ of, ...sample }) => ({ kind: 'sample.placed' as const, ...sample, ...of })),
  fc.record({
    kind: fc.constant('sample.skipped' as const),
    sampleId,
    atNs: time,
    isWarmup: fc.boolean(),
    turn,
    reason: fc.constantFrom(...SKIP_REASONS),
  }),
  fc.record({
    kind: fc.constant('sample.remarked' as const),
    sampleId,
    cachedTokens: figure,
    predictedTokens: figure,
    reasoningTokens: figure,
    isRepeat: fc.boolean(),
    hasRetryAfter: fc.boolean(),
    isWithoutText: fc.boolean(),
    doubts: fc.subarray([...TOKEN_DOUBT_KEYS]),
    finishName: fc.string({ unit: 'binary', maxLength: 15 }),
    otherModel: fc.string({ unit: 'binary', maxLength: 60 }),
  }),
  fc.record({
    kind: fc.constant('sample.served' as const),
    sampleId,
    ...recordOf(SERVED_KEYS, () => figure),
  }),
  fc.record({
    kind: fc.constant('sample.counted' as const),
    sampleId,
    ...recordOf(REPLY_COUNT_KEYS, () => figure),
  }),
  fc.record({
    kind: fc.constant('sample.choices' as const),
    sampleId,
    ofChunks: fc.array(fc.nat(255), { maxLength: 60 }),
  }),
  fc.record({
    kind: fc.constant('server.observed' as const),
    atNs: time,
    moment: fc.constantFrom(...SERVER_MOMENTS),
    inFlight: figure,
    ...recordOf(SERVER_FIGURE_KEYS, () => time),
  }),
  fc.record({
    kind: fc.constant('client.beats' as const),
    atNs: time,
    thread: fc.nat(64),
    isLoad: fc.boolean(),
    latenessNs: fc.array(time, { maxLength: BEATS_MAX }),
  }),
  fc.record({
    kind: fc.constant('sample.lateness' as const),
    sampleId,
    writeNs: time,
    firstByteLateNs: time,
    firstContentLateNs: time,
    lastContentLateNs: time,
    endLateNs: time,
    firstByteLateNsMax: time,
    firstContentLateNsMax: time,
    lastContentLateNsMax: time,
    endLateNsMax: time,
  }),
  fc
    .record({
      kind: fc.constant('client.marks' as const),
      atNs: time,
      thread: fc.nat(64),
      late: fc.array(fc.tuple(time, time), { maxLength: BEATS_MAX }),
    })
    .map(({ late, ...of }) => ({
      ...of,
      latenessNs: late.map(([lateNs]) => lateNs),
      blockedNs: late.map(([, blockedNs]) => blockedNs),
    })),
  fc.record({
    kind: fc.constant('client.gaps' as const),
    atNs: time,
    thread: fc.nat(64),
    edge: fc.constantFrom(...GAP_EDGES),
    cells: fc.array(fc.tuple(time, figure), { maxLength: 40 }),
  }),
  fc.record({
    kind: fc.constant('client.host' as const),
    atNs: time,
    intervalNs: time,
    throttledNs: figure,
    pressureNs: figure,
    stolenNs: figure,
  }),
);
