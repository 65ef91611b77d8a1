// One sample with everything that was stamped on it, as it stands when it has ended. The aggregator makes it of event
// records, and a rebuilt report of the lines of samples.jsonl, so that both are counted by the same code.

import type { SampleLateness } from './event-record.ts';
import type { FailureKind, FinishReason, Outcome } from './outcome.ts';
import type { SampleNote } from './sample-note.ts';
import type { SampleRemark } from './sample-remark.ts';
import type { ServedTimes } from './served-times.ts';
import type { SampleTurn } from './session-outcome.ts';

export interface EndedSample {
  readonly sampleId: number;
  /** Which tracking window it was issued in, from 0; OUTSIDE_WINDOWS for warm-up and whatever else is not measured. */
  readonly window: number;
  readonly intendedNs: number;
  readonly sentNs: number;
  readonly connectNs: number;
  /** Wait for a place under --max-in-flight; 0 where there is no such cap. */
  readonly heldBackNs: number;
  /** NO_FIGURE where no byte came. */
  readonly firstByteNs: number;
  /** NO_FIGURE where no content came. */
  readonly firstContentNs: number;
  /** First non-reasoning content, where it differs from the first content; else NO_FIGURE. */
  readonly firstAnswerNs: number;
  /** Gaps between consecutive content chunks: the last content is the first one plus their sum. */
  readonly chunkGapsNs: readonly number[];
  readonly chunkCount: number;
  /** Of a reply with several choices: the choice of each chunk. */
  readonly chunkChoices?: readonly number[];
  readonly endNs: number;
  readonly outcome: Outcome;
  /** Of a failed sample, and of no other. */
  readonly failure: SampleFailure | undefined;
  /** NO_FIGURE where the server told none. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly finishReason: FinishReason;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Of its text; the same text has the same one. Not there if nothing was read. */
  readonly answerHash?: number;
  readonly lateness?: SampleLateness;
  /** Of a reply that said more of itself. */
  readonly remark?: SampleRemark;
  /** Of a reply that reports its own time at the server. */
  readonly served?: ServedTimes;
  /** Of one that its client has something to note of. */
  readonly note?: SampleNote;
  /** Of its line in the data set, if that has a name; only in samples.jsonl. */
  readonly lineId?: string;
  /** Of a request of a session. */
  readonly turn?: SampleTurn;
}

export interface SampleFailure {
  readonly kind: FailureKind;
  /** HTTP status; 0 where there was none. */
  readonly statusCode: number;
  readonly detail: string;
}

export const OUTSIDE_WINDOWS = -1;
