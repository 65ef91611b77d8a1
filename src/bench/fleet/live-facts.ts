// Merges what the loads of agents report in progress as if they were one load: every fact once, in the coordinator's
// time, for the tap of a stage and the objectives of a run. Facts that have not arrived by then follow from the
// samples.

import { minimumOf } from '../../core/extremes.ts';
import { type EndedSample, OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import { type EventRecord, NO_FIGURE } from '../../core/run/event-record.ts';
import type { ObjectiveAnswer } from '../../core/run/judge-objective.ts';
import type { JudgedObjective } from '../../core/run/objective.ts';
import { ObjectiveTallies } from '../../core/run/objective-tallies.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import type { AgentMessage, WantedFacts } from '../../wire/agent-message.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { readEventBatch } from '../../wire/event-batch.ts';
import { EventBatchWriter } from '../../wire/event-batch-writer.ts';
import { readOwnSampleLine, shiftedSample } from '../../wire/own-sample-line.ts';
import { decodeSampleLine, encodeSampleLine } from '../../wire/sample-line.ts';
import type { LoadTap } from '../run/bench-parts.ts';

interface LiveFactsOptions {
  readonly tap: LoadTap | undefined;
  readonly judged: readonly JudgedObjective[];
  readonly isStreaming: boolean;
  /** Shift of each agent that converts its stamps to the coordinator's clock, ns. */
  readonly shiftsNs: readonly number[];
  /** An agent that reports no more: its facts are not awaited. */
  readonly isLost: (agent: number) => boolean;
}

export class LiveFacts {
  readonly #options: LiveFactsOptions;
  readonly #tallies: ObjectiveTallies;
  readonly #writer = new EventBatchWriter({ sourceId: 1, runZeroNs: 0 });
  readonly #untilNs: number[];
  readonly #issued = new Set<number>();
  readonly #ended = new Set<number>();
  #lines = '';

  constructor(options: LiveFactsOptions) {
    this.#options = options;
    this.#tallies = new ObjectiveTallies(options.judged);
    this.#untilNs = options.shiftsNs.map(() => Number.NEGATIVE_INFINITY);
  }

  /** The facts that agents are requested to report; undefined if nothing uses them. */
  static wanted({ tap, judged }: Pick<LiveFactsOptions, 'tap' | 'judged'>): WantedFacts | undefined {
    if (tap !== undefined) return 'all';
    return judged.length > 0 ? 'ends' : undefined;
  }

  started(startNs: number, nowNs: () => number): void {
    this.#options.tap?.started(startNs, nowNs, () => this.#reportedUntilNs());
  }

  /** Answers about what has ended so far; undefined if no objectives were given. */
  answers(): readonly ObjectiveAnswer[] | undefined {
    const { judged } = this.#options;
    if (judged.length === 0) return undefined;
    return this.#tallies.answers();
  }

  /** @throws DecodeError for facts that no agent sends. */
  take(agent: number, { batches, lines, untilNs }: AgentMessage & { readonly kind: 'facts' }): void {
    const shiftNs = this.#options.shiftsNs[agent] ?? 0;
    for (const batch of batches)
      for (const record of readEventBatch(batch).records) this.#record(record, shiftNs);
    this.#flushRecords();
    for (let from = 0; from < lines.length; ) {
      const to = lines.indexOf(LINE_FEED, from);
      if (to === -1) throw new DecodeError('a line of a sample that breaks off');
      this.#endedLive(lineAt(lines, from, to, shiftNs));
      from = to + 1;
    }
    this.#flushLines();
    this.#untilNs[agent] = untilNs + shiftNs;
  }

  /** Takes a sample from the agent's file: what was reported before is not reported again. */
  sample(sample: EndedSample): void {
    if (this.#options.tap === undefined || this.#ended.has(sample.sampleId)) return;
    const { sampleId, sentNs, firstContentNs, firstByteNs } = sample;
    if (!this.#issued.has(sampleId)) {
      const isWarmup = sample.window === OUTSIDE_WINDOWS;
      const { intendedNs, connectNs, heldBackNs } = sample;
      const atNs = sentNs;
      this.#write({ kind: 'sample.issued', sampleId, atNs, intendedNs, connectNs, heldBackNs, isWarmup });
      if (firstContentNs !== NO_FIGURE)
        this.#write({ kind: 'sample.recv_first', sampleId, atNs: firstContentNs, firstByteNs });
    }
    this.#lines += encodeSampleLine(sample);
    if (this.#lines.length > LINES_LENGTH) this.end();
  }

  /** No more facts will arrive. */
  end(): void {
    this.#flushRecords();
    this.#flushLines();
  }

  #reportedUntilNs(): number {
    const { isLost } = this.#options;
    return minimumOf(this.#untilNs.filter((_, agent) => !isLost(agent)));
  }

  #record(record: EventRecord, shiftNs: number): void {
    if (record.kind === 'sample.issued') {
      this.#issued.add(record.sampleId);
      const [atNs, intendedNs] = [record.atNs + shiftNs, record.intendedNs + shiftNs];
      this.#write({ ...record, atNs, intendedNs });
    } else if (record.kind === 'sample.recv_first') {
      const { firstByteNs } = record;
      this.#write({
        ...record,
        atNs: record.atNs + shiftNs,
        firstByteNs: firstByteNs === NO_FIGURE ? NO_FIGURE : firstByteNs + shiftNs,
      });
    }
  }

  #endedLive(sample: EndedSample | undefined): void {
    if (sample === undefined) return;
    const { tap, isStreaming } = this.#options;
    if (sample.window !== OUTSIDE_WINDOWS && this.#options.judged.length > 0) {
      const figures = sample.outcome === 'completed' ? sampleFigures(sample, isStreaming) : undefined;
      this.#tallies.ended(sample, figures);
    }
    if (tap === undefined) return;
    this.#ended.add(sample.sampleId);
    this.#lines += encodeSampleLine(sample);
  }

  #write(record: EventRecord): void {
    if (this.#writer.write(record)) return;
    this.#flushRecords();
    this.#writer.write(record);
  }

  #flushRecords(): void {
    const batch = this.#writer.take();
    if (batch !== undefined) this.#options.tap?.batch(batch);
  }

  #flushLines(): void {
    if (this.#lines !== '') this.#options.tap?.sampleLines(Buffer.from(this.#lines));
    this.#lines = '';
  }
}

/** undefined: the end of a file, or a line of a newer version. */
const lineAt = (bytes: Uint8Array, from: number, to: number, shiftNs: number): EndedSample | undefined => {
  const own = readOwnSampleLine(bytes, { from, to, shiftOf: () => shiftNs });
  if (own !== undefined) return own.sample;
  const decoded = decodeSampleLine(Buffer.from(bytes.subarray(from, to)).toString('utf8'));
  return decoded.kind === 'sample' ? shiftedSample(decoded.sample, shiftNs) : undefined;
};

const LINE_FEED = 0x0a;
const LINES_LENGTH = 262_144;
