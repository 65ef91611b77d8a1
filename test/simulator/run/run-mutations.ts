// Bugs planted on purpose into a simulated run, one at a time.

import type { LoadRecorder } from '../../../src/bench/arena/load-recorder.ts';
import type { RecordOutput } from '../../../src/bench/parse/record-output.ts';
import type { MetricsTable } from '../../../src/metrics/metrics-table.ts';

export interface RunMutation {
  readonly what: string;
  readonly recorder: (recorder: LoadRecorder) => LoadRecorder;
  readonly output: (output: RecordOutput) => RecordOutput;
  readonly table: (table: MetricsTable) => void;
  /** Of batches on their way to the aggregator. */
  readonly batch: (bytes: Uint8Array) => Uint8Array;
}

const same = <T>(value: T): T => value;

export const NO_RUN_MUTATION: RunMutation = {
  what: 'nothing',
  recorder: same,
  output: same,
  table: () => undefined,
  batch: same,
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
  'outcome-twice': mutation('a sample is told to have ended twice', {
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
};

/** Of an event batch's header. */
const BATCH_SEQ_AT = 8;
