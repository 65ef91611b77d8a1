// One sample as it ended; a test gives only the fields that it is about.

import type { EndedSample } from '../../src/core/run/ended-sample.ts';
import { NO_FIGURE } from '../../src/core/run/event-record.ts';

export const sampleOf = (more: Partial<EndedSample> = {}): EndedSample => ({
  sampleId: 0,
  window: 0,
  intendedNs: 0,
  sentNs: 0,
  connectNs: 0,
  heldBackNs: 0,
  firstByteNs: NO_FIGURE,
  firstContentNs: NO_FIGURE,
  firstAnswerNs: NO_FIGURE,
  chunkGapsNs: [],
  chunkCount: 1,
  endNs: 1_000,
  outcome: 'completed',
  failure: undefined,
  inputTokens: 1,
  outputTokens: 1,
  finishReason: 'stop',
  bytesSent: 1,
  bytesReceived: 1,
  ...more,
});
