// A whole load generator with its threads, and everything that it reported.

import type { LoadPlan } from '../../../src/bench/load/load-plan.ts';
import type {
  LoadGenerator,
  LoadGeneratorOptions,
  LoadResult,
} from '../../../src/bench/threads/load-generator.ts';
import { createLoadGenerator } from '../../../src/bench/threads/threaded-load-generator.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { EventRecord } from '../../../src/core/run/event-record.ts';
import type { SkippedTurn } from '../../../src/core/run/session-outcome.ts';
import { readEventBatch } from '../../../src/wire/event-batch.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';

interface ReportedLoad {
  readonly result: LoadResult;
  readonly startNs: number;
  readonly issuingEndedNs: number;
  readonly samples: readonly EndedSample[];
  readonly skipped: readonly SkippedTurn[];
  readonly records: readonly EventRecord[];
  /** Of the records, how many had come when the measured phase was started. */
  readonly recordsBeforeStart: number;
  readonly counts: LoadGenerator['counts'];
}

interface RunLoadOptions extends Omit<Partial<LoadGeneratorOptions>, 'runZeroNs'> {
  readonly onRecord?: (record: EventRecord, generator: LoadGenerator) => void;
}

export const runLoad = async (
  plan: LoadPlan,
  { onRecord, ...options }: RunLoadOptions = {},
): Promise<ReportedLoad> => {
  const records: EventRecord[] = [];
  let lines = '';
  await using generator = createLoadGenerator(
    plan,
    {
      batch: bytes => {
        for (const record of readEventBatch(bytes).records) {
          records.push(record);
          onRecord?.(record, generator);
        }
      },
      sampleLines: bytes => {
        lines += Buffer.from(bytes).toString();
      },
    },
    { clock: systemClock, runZeroNs: process.hrtime.bigint(), ...options },
  );
  await generator.open();
  await generator.warmUp();
  const recordsBeforeStart = records.filter(({ kind }) => kind.startsWith('sample.')).length;
  const startNs = generator.start();
  const issuingEndedNs = await generator.issuingEnded;
  const result = await generator.ended;
  const samples: EndedSample[] = [];
  const skipped: SkippedTurn[] = [];
  for (const line of lines.split('\n').slice(0, -1)) {
    const decoded = decodeSampleLine(line);
    if (decoded.kind === 'sample') samples.push(decoded.sample);
    else if (decoded.kind === 'skipped') skipped.push(decoded.turn);
    else throw new Error(`not a sample: ${line}`);
  }
  const { counts } = generator;
  return { result, startNs, issuingEndedNs, samples, skipped, records, recordsBeforeStart, counts };
};
