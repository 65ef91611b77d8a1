// Samples as a load generator could have made them: stamps in order, chunk count and gaps in agreement, figures missing
// where an outcome leaves them out.

import fc from 'fast-check';
import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../../src/core/run/outcome.ts';

const step = fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 5_000_000_000 }));
const tokens = fc.oneof(fc.constant(NO_FIGURE), fc.nat({ max: 100_000 }));

export const arbitrarySample: fc.Arbitrary<EndedSample> = fc
  .record({
    sampleId: fc.nat({ max: 1_000_000 }),
    window: fc.constantFrom(-1, 0, 0, 0, 1),
    intendedNs: fc.nat({ max: 1_000_000_000_000 }),
    lateness: fc.oneof(fc.constant(0), step),
    heldBackNs: fc.oneof(fc.constant(0), fc.nat(1e9)),
    connectNs: fc.oneof(fc.constant(0), step),
    firstByte: step,
    firstContent: step,
    gaps: fc.array(step, { maxLength: 20 }),
    tail: step,
    answer: fc.boolean(),
    outcome: fc.constantFrom('completed', 'completed', 'completed', 'failed', 'cancelled'),
    failure: fc.record({
      kind: fc.constantFrom(...FAILURE_KINDS),
      statusCode: fc.constantFrom(0, 429, 500),
      detail: fc.string({ maxLength: 40 }),
    }),
    progress: fc.constantFrom('none', 'byte', 'content'),
    inputTokens: tokens,
    outputTokens: tokens,
    finishReason: fc.constantFrom(...FINISH_REASONS),
    bytesSent: fc.nat(),
    bytesReceived: fc.nat(),
  })
  .map(made => {
    const progress = made.outcome === 'completed' ? 'content' : made.progress;
    const sentNs = made.intendedNs + made.heldBackNs + made.lateness;
    const firstByteNs = sentNs + made.firstByte;
    const firstContentNs = firstByteNs + made.firstContent;
    const chunkGapsNs = progress === 'content' ? made.gaps : [];
    const lastNs = chunkGapsNs.reduce((sum, gap) => sum + gap, firstContentNs);
    return {
      sampleId: made.sampleId,
      window: made.window,
      intendedNs: made.intendedNs,
      sentNs,
      connectNs: made.connectNs,
      heldBackNs: made.heldBackNs,
      firstByteNs: progress === 'none' ? NO_FIGURE : firstByteNs,
      firstContentNs: progress === 'content' ? firstContentNs : NO_FIGURE,
      firstAnswerNs: progress === 'content' && made.answer ? lastNs : NO_FIGURE,
      chunkGapsNs,
      chunkCount: progress === 'content' ? chunkGapsNs.length + 1 : 0,
      endNs: lastNs + made.tail,
      outcome: made.outcome,
      failure: made.outcome === 'failed' ? made.failure : undefined,
      inputTokens: made.inputTokens,
      outputTokens: made.outputTokens,
      finishReason: made.finishReason,
      bytesSent: made.bytesSent,
      bytesReceived: made.bytesReceived,
    };
  });
