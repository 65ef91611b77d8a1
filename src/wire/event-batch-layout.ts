// The bytes of an event batch, version 1.
// Little-endian, no padding.
//
//   header, 40 bytes:  magic u32 · version u8 · 0 u8 · sourceId u16 · batchSeq u32 · recordCount u32 · byteLength u32 ·
//                      0 u32 · recordsBefore f64 · runZeroNs f64
//   records:           kind u8, then the fields of the kind, below; at, intended, … are f64 nanoseconds since the run's zero

import type { SessionRecord } from '../core/run/event-record.ts';
import type { Outcome } from '../core/run/outcome.ts';
import type { SampleRemark } from '../core/run/sample-remark.ts';
import { TOKEN_DOUBT_KEYS, type TokenDoubt } from '../core/run/token-doubts.ts';

export const EVENT_BATCH_VERSION = 1;
/** "PLEB" */
export const EVENT_BATCH_MAGIC = 0x42_45_4c_50;
export const HEADER_BYTES = 40;

export const HEADER = {
  magic: 0,
  version: 4,
  sourceId: 6,
  batchSeq: 8,
  recordCount: 12,
  byteLength: 16,
  recordsBefore: 24,
  runZeroNs: 32,
} as const;

/** 1 to 5 are the session's, in the order of SESSION_KINDS. */
export const RECORD_KIND = {
  issued: 6,
  recvFirst: 7,
  /** Stamps as the first one and integer differences of less than 2³² ns. */
  recvNonFirstDeltas: 8,
  /** Stamps unchanged, if they do not fit into differences. */
  recvNonFirstDoubles: 9,
  complete: 10,
  error: 11,
  client: 12,
  beats: 13,
  host: 14,
  lateness: 15,
  marks: 16,
  gaps: 17,
  remark: 18,
  /** Without the count of its figures, by versions that had SERVER_FIGURES_FIRST of them. */
  serverUncounted: 19,
  server: 31,
  note: 30,
  skipped: 20,
  placed: 21,
  choices: 22,
  served: 23,
  counted: 24,
} as const;

export const SESSION_KINDS: readonly SessionRecord['kind'][] = [
  'session.started',
  'session.start_performance_tracking',
  'session.stop_performance_tracking',
  'session.stop_load',
  'session.ended',
];

export const OUTCOMES: readonly Outcome[] = ['completed', 'failed', 'cancelled'];

/** Bytes of a record, including its kind, without what follows a count; of those in event-batch-figures.ts, their rows define them. */
export const RECORD_BYTES = {
  /** at */
  session: 9,
  /** sampleId u32 · at · intended · connect · heldBack f64 · isWarmup u8 */
  issued: 38,
  /** sampleId u32 · at · firstByte */
  recvFirst: 21,
  /** sampleId u32 · count u16 · first; then count − 1 differences u32 */
  recvNonFirstDeltas: 15,
  /** sampleId u32 · count u16; then count f64 */
  recvNonFirstDoubles: 7,
  /** sampleId u32 · outcome u8 · finishReason u8 · at · firstAnswer · firstByte · inputTokens f64 · outputTokens f64 ·
   *  chunkCount f64 · bytesSent f64 · bytesReceived f64 · answerHash f64 */
  complete: 79,
  /** sampleId u32 · failureKind u8 · statusCode u16 · detailBytes u16 · at; then the detail in UTF-8 */
  error: 18,
  /** sampleId u32 · cachedTokens f64 · predictedTokens f64 · REMARK_MARK bits u8 · reasoningTokens f64 · TOKEN_DOUBTS bits u8 ·
   *  model bytes u16 · finish name bytes u16; then both in UTF-8 */
  remark: 35,
  /** sampleId u32 · count u16; then the choice of each chunk, u8 */
  choices: 7,
} as const;

const REMARK_MARK = { hasRetryAfter: 1, isRepeat: 2, isWithoutText: 4 } as const;

export const remarkMark = (remark: Pick<SampleRemark, keyof typeof REMARK_MARK>): number =>
  (remark.hasRetryAfter ? REMARK_MARK.hasRetryAfter : 0) +
  (remark.isRepeat ? REMARK_MARK.isRepeat : 0) +
  (remark.isWithoutText ? REMARK_MARK.isWithoutText : 0);

export const remarkMarks = (bits: number): Pick<SampleRemark, keyof typeof REMARK_MARK> => ({
  isRepeat: (bits & REMARK_MARK.isRepeat) !== 0,
  hasRetryAfter: (bits & REMARK_MARK.hasRetryAfter) !== 0,
  isWithoutText: (bits & REMARK_MARK.isWithoutText) !== 0,
});

export const doubtMarks = (doubts: readonly TokenDoubt[]): number =>
  doubts.reduce((bits, doubt) => bits | (1 << TOKEN_DOUBT_KEYS.indexOf(doubt)), 0);

export const doubtsOf = (bits: number): readonly TokenDoubt[] =>
  TOKEN_DOUBT_KEYS.filter((_, bit) => (bits & (1 << bit)) !== 0);

export const SERVER_FIGURES_FIRST = 29;

/** Limit of one stamp list; a longer one is split over several records with the same meaning. */
export const STAMPS_MAX = 0xff_ff;
/** Limit of one record of a thread; it reports its beats five times a second. */
export const BEATS_MAX = 64;
/** Chunks in one record. */
export const CHOICES_MAX = 4_096;
/** Gaps in one record: 8 KiB. */
export const GAP_CELLS_MAX = 512;
/** UTF-8, cut between characters. */
export const DETAIL_BYTES_MAX = 1_600;
/** Limit of a model's name, UTF-8, cut between characters. */
export const MODEL_BYTES_MAX = 256;
export const FINISH_BYTES_MAX = 64;
export const SAMPLE_ID_MAX = 0xff_ff_ff_ff;

export const writeHeader = (
  view: DataView,
  header: Readonly<Record<Exclude<keyof typeof HEADER, 'magic' | 'version'>, number>>,
): void => {
  view.setUint32(HEADER.magic, EVENT_BATCH_MAGIC, true);
  view.setUint8(HEADER.version, EVENT_BATCH_VERSION);
  view.setUint16(HEADER.sourceId, header.sourceId, true);
  view.setUint32(HEADER.batchSeq, header.batchSeq, true);
  view.setUint32(HEADER.recordCount, header.recordCount, true);
  view.setUint32(HEADER.byteLength, header.byteLength, true);
  view.setFloat64(HEADER.recordsBefore, header.recordsBefore, true);
  view.setFloat64(HEADER.runZeroNs, header.runZeroNs, true);
};
