// The output of a parse thread: event records in binary batches and lines of samples.jsonl, flushed by size and by
// time.

import type { EndedSample } from '../../core/run/ended-sample.ts';
import {
  type BeatsRecord,
  type ClientRecord,
  type EventRecord,
  type GapEdgesRecord,
  type IssuedFigures,
  type MarksRecord,
  NO_FIGURE,
} from '../../core/run/event-record.ts';
import {
  type CountedFailure,
  FAILURES_MAX,
  type OutcomeNews,
  type OutcomeSpan,
  SPAN_NS,
} from '../../core/run/outcome.ts';
import type { SampleTurn, SkippedTurn } from '../../core/run/session-outcome.ts';
import { plainLine } from '../../core/text/single-line.ts';
import { CHOICES_MAX } from '../../wire/event-batch-layout.ts';
import { EventBatchWriter } from '../../wire/event-batch-writer.ts';
import { encodeSampleLine, encodeSkippedLine } from '../../wire/sample-line.ts';

interface RecordOutputOptions {
  readonly sourceId: number;
  readonly runZeroNs: number;
  readonly secrets: readonly string[];
  batch(bytes: Uint8Array<ArrayBuffer>): void;
  lines(bytes: Uint8Array<ArrayBuffer>): void;
  /** How requests ended since the last flush. */
  outcomes(news: OutcomeNews): void;
  /** Lines of [sample, text], if answers are kept. */
  answers(bytes: Uint8Array<ArrayBuffer>): void;
}

/** A sample that buffers stamps of chunks until the next flush. */
interface StampSource {
  reportStamps(): void;
}

export class RecordOutput {
  readonly #options: RecordOutputOptions;
  readonly #writer: EventBatchWriter;
  readonly #secrets: readonly string[];
  readonly #encoder = new TextEncoder();
  readonly #outcomes = new OutcomeTally();
  #withStamps: StampSource[] = [];
  #lines: string[] = [];
  #answers: string[] = [];
  #answerCharacters = 0;

  constructor(options: RecordOutputOptions) {
    this.#options = options;
    this.#writer = new EventBatchWriter(options);
    // Longest first, because one may contain another.
    this.#secrets = options.secrets
      .filter(secret => secret.length >= SECRET_LENGTH_MIN)
      .toSorted((a, b) => b.length - a.length);
  }

  issued(sample: IssuedFigures): void {
    if (this.#writer.writeIssued(sample)) return;
    this.#flushBatch();
    this.#writer.writeIssued(sample);
  }

  placed(sampleId: number, turn: SampleTurn): void {
    this.#written({ kind: 'sample.placed', sampleId, ...turn });
  }

  receivedFirst(sampleId: number, atNs: number, firstByteNs: number): void {
    if (this.#writer.writeRecvFirst(sampleId, atNs, firstByteNs)) return;
    this.#flushBatch();
    this.#writer.writeRecvFirst(sampleId, atNs, firstByteNs);
  }

  /** The holder writes its stamps at the next flush. */
  hasStamps(source: StampSource): void {
    this.#withStamps.push(source);
  }

  stamps(sampleId: number, stampsNs: Float64Array, start: number, end: number): void {
    let at = start;
    while (at < end) {
      const written = this.#writer.writeStamps(sampleId, stampsNs, at, end);
      at += written;
      if (written === 0) this.#flushBatch();
    }
  }

  /** ERROR goes before COMPLETE, which retires the row that it needs. */
  ended(sample: EndedSample): void {
    const { sampleId, failure } = sample;
    this.#outcomes.add(sample);
    if (failure !== undefined) {
      const { kind, statusCode, detail } = failure;
      const error = { kind: `error.${kind}`, sampleId, atNs: sample.endNs, statusCode, detail } as const;
      if (!this.#writer.writeError(error)) {
        this.#flushBatch();
        this.#writer.writeError(error);
      }
    }
    if (sample.lateness !== undefined && sample.outcome === 'completed')
      this.#written({ kind: 'sample.lateness', sampleId, ...sample.lateness });
    if (sample.chunkChoices !== undefined)
      for (let at = 0; at < sample.chunkChoices.length; at += CHOICES_MAX)
        this.#written({
          kind: 'sample.choices',
          sampleId,
          ofChunks: sample.chunkChoices.slice(at, at + CHOICES_MAX),
        });
    if (sample.remark !== undefined) this.#written({ kind: 'sample.remarked', sampleId, ...sample.remark });
    if (sample.served !== undefined) this.#written({ kind: 'sample.served', sampleId, ...sample.served });
    if (sample.counts !== undefined) this.#written({ kind: 'sample.counted', sampleId, ...sample.counts });
    if (sample.note !== undefined) this.#written({ kind: 'sample.noted', sampleId, ...sample.note });
    const complete = {
      ...sample,
      kind: 'sample.complete',
      atNs: sample.endNs,
      answerHash: sample.answerHash ?? NO_FIGURE,
    } as const;
    if (!this.#writer.writeComplete(complete)) {
      this.#flushBatch();
      this.#writer.writeComplete(complete);
    }
    this.#lines.push(encodeSampleLine(sample));
    if (this.#lines.length >= LINES_MAX) this.#flushLines();
  }

  answered(sampleId: number, text: string): void {
    this.#answers.push(`${JSON.stringify([sampleId, text])}\n`);
    this.#answerCharacters += text.length;
    if (this.#answerCharacters >= ANSWER_CHARACTERS_STORED) this.#flushAnswers();
  }

  skipped(turn: SkippedTurn, atNs: number): void {
    const { sampleId, window, reason, ...position } = turn;
    this.#written({ kind: 'sample.skipped', sampleId, atNs, isWarmup: window < 0, turn: position, reason });
    this.#lines.push(encodeSkippedLine(turn));
    if (this.#lines.length >= LINES_MAX) this.#flushLines();
  }

  /** Figures of a thread about itself, a few times a second. */
  observed(record: ClientRecord | BeatsRecord | MarksRecord | GapEdgesRecord): void {
    this.#written(record);
  }

  flush(): void {
    const sources = this.#withStamps;
    if (sources.length > 0) {
      this.#withStamps = [];
      for (const source of sources) source.reportStamps();
    }
    this.#flushBatch();
    this.#flushLines();
    this.#flushAnswers();
    const news = this.#outcomes.take();
    if (news !== undefined) this.#options.outcomes(news);
  }

  /** An error's detail for people: one line, short, without the secrets of this run. */
  shortened(detail: string): string {
    let text = detail;
    for (const secret of this.#secrets) text = withoutEnd(text.replaceAll(secret, '[secret]'), secret);
    text = plainLine(text);
    return text.length > DETAIL_LENGTH_MAX ? `${text.slice(0, DETAIL_LENGTH_MAX)}…` : text;
  }

  #written(record: EventRecord): void {
    if (this.#writer.write(record)) return;
    this.#flushBatch();
    this.#writer.write(record);
  }

  #flushBatch(): void {
    const batch = this.#writer.take();
    if (batch !== undefined) this.#options.batch(batch);
  }

  #flushLines(): void {
    if (this.#lines.length === 0) return;
    this.#options.lines(this.#encoder.encode(this.#lines.join('')));
    this.#lines = [];
  }

  #flushAnswers(): void {
    if (this.#answers.length === 0) return;
    this.#options.answers(this.#encoder.encode(this.#answers.join('')));
    this.#answers = [];
    this.#answerCharacters = 0;
  }
}

/** A text may have been cut in the middle of a secret. */
const withoutEnd = (text: string, secret: string): string => {
  for (let length = secret.length - 1; length >= SECRET_LENGTH_MIN; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
  }
  return text;
};

/** A shorter one would match parts of words. */
const SECRET_LENGTH_MIN = 4;
/** A server's error about a context that is too long takes 250. */
const DETAIL_LENGTH_MAX = 400;
const LINES_MAX = 512;
const ANSWER_CHARACTERS_STORED = 1_048_576;

// Counts how the requests of a parse thread ended since the last message, by event time.
class OutcomeTally {
  /** Spans since the last message, which is sent several times a second. */
  #spans: Map<number, { completed: number; failed: number }> = new Map();
  #failures: Map<string, { -readonly [Key in keyof CountedFailure]: CountedFailure[Key] }> = new Map();

  add({ outcome, endNs, failure }: EndedSample): void {
    if (outcome === 'cancelled') return;
    const number = Math.floor(endNs / SPAN_NS);
    const span = this.#spans.get(number) ?? { completed: 0, failed: 0 };
    this.#spans.set(number, span);
    if (outcome === 'completed') span.completed += 1;
    else span.failed += 1;
    if (failure === undefined) return;
    const key = `${failure.kind} ${failure.statusCode} ${failure.detail}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#failures.size < FAILURES_MAX) this.#failures.set(key, { ...failure, count: 1 });
  }

  /** undefined: nothing has ended. */
  take(): OutcomeNews | undefined {
    if (this.#spans.size === 0) return undefined;
    const spans = [...this.#spans].map(
      ([span, { completed, failed }]): OutcomeSpan => [span, completed, failed],
    );
    const failures = [...this.#failures.values()];
    this.#spans = new Map();
    this.#failures = new Map();
    return { spans, failures };
  }
}
