// Bugs planted on purpose into a simulated run, one at a time.

import type { LoadRecorder } from '../../../src/bench/arena/load-recorder.ts';
import type { RingMemory } from '../../../src/bench/arena/ring.ts';
import type { RecordOutput } from '../../../src/bench/parse/record-output.ts';
import type { SamplesFile } from '../../../src/bench/run/samples-file.ts';
import type { Clock } from '../../../src/clock/clock.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { MessageCodec } from '../../../src/messaging/codec.ts';
import type { MetricsTable } from '../../../src/metrics/metrics-table.ts';
import type { EventBatch } from '../../../src/wire/event-batch.ts';

export interface RunMutation {
  readonly what: string;
  readonly recorder: (recorder: LoadRecorder, ring: RingMemory) => LoadRecorder;
  readonly output: (output: RecordOutput) => RecordOutput;
  readonly table: (table: MetricsTable) => void;
  /** Of batches on their way to the aggregator. */
  readonly batch: (bytes: Uint8Array) => Uint8Array;
  /** How the aggregator reads them. */
  readonly received: (codec: MessageCodec<EventBatch>) => MessageCodec<EventBatch>;
  readonly samples: (file: SamplesFile) => SamplesFile;
  /** Of the main process and of the aggregator. */
  readonly clock: (clock: Clock) => Clock;
}

const same = <T>(value: T): T => value;

export const NO_RUN_MUTATION: RunMutation = {
  what: 'nothing',
  recorder: same,
  output: same,
  table: () => undefined,
  batch: same,
  received: same,
  samples: same,
  clock: same,
};

const mutation = (what: string, parts: Partial<RunMutation>): RunMutation => ({
  ...NO_RUN_MUTATION,
  ...parts,
  what,
});

/** One call in `each`. */
const now = (each: number): (() => boolean) => {
  let count = 0;
  return () => {
    count += 1;
    return count % each === 0;
  };
};

interface ReportedIssued {
  readonly sampleId: number;
  readonly sentNs: number;
  readonly intendedNs: number;
  readonly isWarmup: boolean;
}

/** How a load thread reports what it sends. */
const issued =
  (reported: (issue: ReportedIssued) => ReportedIssued) =>
  (recorder: LoadRecorder): LoadRecorder => {
    const issue = recorder.issued.bind(recorder);
    recorder.issued = (sampleId, slot, sentNs, intendedNs, connectNs, heldBackNs, isWarmup, ...rest) => {
      const changed = reported({ sampleId, sentNs, intendedNs, isWarmup });
      issue(sampleId, slot, sentNs, changed.intendedNs, connectNs, heldBackNs, changed.isWarmup, ...rest);
    };
    return recorder;
  };

/** How samples that have ended are reported; undefined: not at all. */
const ended =
  (reported: (sample: EndedSample) => EndedSample | undefined) =>
  (output: RecordOutput): RecordOutput => {
    const report = output.ended.bind(output);
    output.ended = sample => {
      const changed = reported(sample);
      if (changed !== undefined) report(changed);
    };
    return output;
  };

export const RUN_MUTATIONS: Readonly<Record<string, RunMutation>> = {
  'body-dropped': mutation('a load thread leaves out the bytes of a read and goes on', {
    recorder: recorder => {
      const isNow = now(9);
      const commit = recorder.commitBody.bind(recorder);
      recorder.commitBody = (...read) => {
        if (!isNow()) commit(...read);
      };
      return recorder;
    },
  }),
  'outcome-twice': mutation('a sample is reported to have ended twice', {
    output: output => {
      const isNow = now(7);
      const ended = output.ended.bind(output);
      output.ended = sample => {
        ended(sample);
        if (isNow()) ended(sample);
      };
      return output;
    },
  }),
  'line-without-record': mutation('a sample gets its line and no event record', {
    output: output => {
      const isNow = now(6);
      const issued = output.issued.bind(output);
      output.issued = sample => {
        if (!isNow()) issued(sample);
      };
      return output;
    },
  }),
  'failed-not-counted': mutation('the aggregator drops the error of a sample', {
    table: table => {
      const apply = table.apply.bind(table);
      table.apply = record => {
        if (!record.kind.startsWith('error.')) apply(record);
      };
    },
  }),
  'repeated-counts': mutation('a batch that comes twice is taken for the next one', {
    batch: bytes => {
      const copy = bytes.slice();
      const view = new DataView(copy.buffer);
      view.setUint32(BATCH_SEQ_AT, view.getUint32(BATCH_SEQ_AT, true) + 1_000, true);
      return copy;
    },
  }),
  'loss-not-counted': mutation('the aggregator does not see a hole in the numbers of batches', {
    received: codec => {
      const gone = new Map<number, { seq: number; batches: number; records: number; until: number }>();
      return {
        ...codec,
        decode: payload => {
          const batch = codec.decode(payload);
          const { sourceId, batchSeq, recordsBefore, recordCount } = batch;
          const known = gone.get(sourceId) ?? { seq: 0, batches: 0, records: 0, until: 0 };
          if (batchSeq > known.seq) {
            known.batches += batchSeq - known.seq - 1;
            known.records += recordsBefore - known.until;
            gone.set(sourceId, { ...known, seq: batchSeq, until: recordsBefore + recordCount });
          }
          return {
            ...batch,
            batchSeq: batchSeq - known.batches,
            recordsBefore: recordsBefore - known.records,
          };
        },
      };
    },
  }),
  'reset-completes': mutation('a reply that is reset in the middle counts as a completed one', {
    output: ended(sample =>
      sample.failure?.kind === 'reset' ? { ...sample, outcome: 'completed', failure: undefined } : sample,
    ),
  }),
  'lost-thread-forgets': mutation('what a load thread had in flight when it died gets no outcome', {
    output: ended(sample => (sample.failure?.detail.startsWith('load thread') ? undefined : sample)),
  }),
  'chunks-of-one-read': mutation('chunks of one stream that come in one read count as one', {
    output: ended(sample => ({
      ...sample,
      chunkCount: sample.chunkCount - sample.chunkGapsNs.filter(gapNs => gapNs === 0).length,
    })),
  }),
  'tokens-of-the-last': mutation('a sample without usage of its own would have that of the one before', {
    output: output => {
      let outputTokens = 0;
      return ended(sample => {
        const reported = sample.outcome === 'completed' ? { ...sample, outputTokens } : sample;
        outputTokens = sample.outputTokens;
        return reported;
      })(output);
    },
  }),
  'lost-at-the-wrap': mutation('the first record behind the end of the ring is skipped', {
    recorder: (recorder, { data, positions }) => {
      const units = data.byteLength / 8;
      const written = new Int32Array(positions);
      const words = new Uint32Array(data);
      let before = 0;
      const look = (): void => {
        const at = ((written[0] ?? 0) >>> 0) % units;
        if (at < before) words[PAD_AT] = 0;
        before = at;
      };
      const commit = recorder.commitBody.bind(recorder);
      const end = recorder.ended.bind(recorder);
      recorder.commitBody = (...read) => {
        commit(...read);
        look();
      };
      recorder.ended = (...reported) => {
        end(...reported);
        look();
      };
      return recorder;
    },
  }),
  'last-batch-too-late': mutation('the account is closed when the load is, and not behind its last batch', {
    table: table => {
      const apply = table.apply.bind(table);
      table.apply = record =>
        apply(record.kind === 'session.stop_load' ? { ...record, kind: 'session.ended' } : record);
    },
  }),
  'cancelled-forgotten': mutation('the aggregator does not take the end of a request that was cancelled', {
    table: table => {
      const apply = table.apply.bind(table);
      table.apply = record => {
        if (record.kind !== 'sample.complete' || record.outcome !== 'cancelled') apply(record);
      };
    },
  }),
  'full-disk-unreported': mutation('it is not reported that the disk refused lines', {
    samples: file => Object.defineProperty(file, 'problem', { value: undefined }),
  }),
  'closed-before-written': mutation('the file of the lines is closed before the last ones are written', {
    samples: file => {
      const append = file.append.bind(file);
      let last: Uint8Array | undefined;
      file.append = lines => {
        if (last !== undefined) append(last);
        last = lines;
      };
      return file;
    },
  }),
  'warm-up-measured': mutation('the first request of the warm-up counts as measured', {
    recorder: issued(reported => (reported.sampleId === 0 ? { ...reported, isWarmup: false } : reported)),
  }),
  'forgets-the-wait': mutation('a request is due when it is sent, and not by the schedule', {
    recorder: issued(reported => ({ ...reported, intendedNs: reported.sentNs })),
  }),
  'sent-is-due': mutation('the aggregator counts times from intended from when the request was sent', {
    table: table => {
      const apply = table.apply.bind(table);
      table.apply = record =>
        apply(record.kind === 'sample.issued' ? { ...record, intendedNs: record.atNs } : record);
    },
  }),
  'read-stamped-late': mutation('a read is stamped when the loop comes to it, a millisecond later', {
    recorder: recorder => {
      const commit = recorder.commitBody.bind(recorder);
      recorder.commitBody = (sampleId, slot, stampNs) => commit(sampleId, slot, stampNs + 1e6);
      return recorder;
    },
  }),
  'gap-rounded': mutation('the aggregator has the stamps of chunks in whole milliseconds', {
    table: table => {
      const apply = table.apply.bind(table);
      const rounded = (ns: number): number => Math.ceil(ns / 1e6) * 1e6;
      table.apply = record =>
        apply(
          record.kind === 'sample.recv_non_first'
            ? { ...record, stampsNs: record.stampsNs.map(rounded) }
            : record,
        );
    },
  }),
  'resend-not-counted': mutation('a request that is sent again counts its bytes once', {
    recorder: recorder => {
      const end = recorder.ended.bind(recorder);
      let least = Number.POSITIVE_INFINITY;
      recorder.ended = (sampleId, slot, stampNs, how) => {
        if (how.bytesSent > 0) least = Math.min(least, how.bytesSent);
        end(sampleId, slot, stampNs, { ...how, bytesSent: Math.min(how.bytesSent, least) });
      };
      return recorder;
    },
  }),
  'run-by-the-wall': mutation('what waits in the main process and the aggregator goes by the wall clock', {
    clock: clock => ({
      nowMs: () => clock.wallMs(),
      wallMs: () => clock.wallMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    }),
  }),
};

/** Of an event batch's header. */
const BATCH_SEQ_AT = 8;
/** Of the ring's first record, its type: 0 is a pad. */
const PAD_AT = 1;
