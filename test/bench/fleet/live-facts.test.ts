import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiveFacts } from '../../../src/bench/fleet/live-facts.ts';
import type { LoadTap } from '../../../src/bench/run/bench-parts.ts';
import type { EndedSample } from '../../../src/core/run/ended-sample.ts';
import type { EventRecord } from '../../../src/core/run/event-record.ts';
import { DecodeError } from '../../../src/wire/decode-error.ts';
import { readEventBatch } from '../../../src/wire/event-batch.ts';
import { EventBatchWriter } from '../../../src/wire/event-batch-writer.ts';
import { shiftedSample } from '../../../src/wire/own-sample-line.ts';
import { decodeSampleLine, encodeSampleLine } from '../../../src/wire/sample-line.ts';
import { arbitrarySample } from '../../support/arbitrary-sample.ts';

class RecordingTap implements LoadTap {
  readonly records: EventRecord[] = [];
  readonly samples: EndedSample[] = [];
  reportedUntilNs: () => number = () => Number.NaN;

  started(_startNs: number, _nowNs: () => number, reportedUntilNs?: () => number): void {
    if (reportedUntilNs !== undefined) this.reportedUntilNs = reportedUntilNs;
  }
  batch(bytes: Uint8Array): void {
    this.records.push(...readEventBatch(bytes).records);
  }
  sampleLines(bytes: Uint8Array): void {
    for (const line of Buffer.from(bytes).toString('utf8').trimEnd().split('\n')) {
      const decoded = decodeSampleLine(line);
      if (decoded.kind === 'sample') this.samples.push(decoded.sample);
    }
  }
}

const SHIFTS = [1_000, 500_000];

const factsTo = (tap: LoadTap, lost: ReadonlySet<number> = new Set()): LiveFacts =>
  new LiveFacts({
    tap,
    judged: [],
    isStreaming: true,
    shiftsNs: SHIFTS,
    isLost: agent => lost.has(agent),
  });

const issued = ({
  sampleId,
  sentNs,
  intendedNs,
  connectNs,
  heldBackNs,
  window,
}: EndedSample): EventRecord => ({
  kind: 'sample.issued',
  sampleId,
  atNs: sentNs,
  intendedNs,
  connectNs,
  heldBackNs,
  isWarmup: window < 0,
});

const batchOf = (records: readonly EventRecord[]): readonly Uint8Array[] => {
  const writer = new EventBatchWriter({ sourceId: 3, runZeroNs: 0 });
  for (const record of records) writer.write(record);
  const batch = writer.take();
  return batch === undefined ? [] : [batch];
};

const linesOf = (samples: readonly EndedSample[]): Uint8Array =>
  Buffer.from(samples.map(encodeSampleLine).join(''));

describe('facts of agents', () => {
  test('reach a tap once each, in the time of the coordinator, whichever part of them was reported live', () => {
    const samples = fc.uniqueArray(arbitrarySample, {
      selector: ({ sampleId }) => sampleId,
      minLength: 1,
      maxLength: 12,
    });
    const reportedLive = fc.array(fc.constantFrom('nothing', 'issued', 'ended'), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(samples, reportedLive, (all, how) => {
        const tap = new RecordingTap();
        const facts = factsTo(tap);
        const of = (agent: number, ...wanted: readonly string[]): readonly EndedSample[] =>
          all.filter((sample, at) => sample.sampleId % 2 === agent && wanted.includes(how[at] ?? ''));
        for (const agent of [0, 1]) {
          const batches = batchOf(of(agent, 'issued', 'ended').map(issued));
          facts.take(agent, { kind: 'facts', untilNs: 1, batches, lines: linesOf(of(agent, 'ended')) });
        }
        const placed = all.map(sample => shiftedSample(sample, SHIFTS[sample.sampleId % 2] ?? 0));
        for (const sample of placed) facts.sample(sample);
        facts.end();
        const byId = (a: { sampleId: number }, b: { sampleId: number }): number => a.sampleId - b.sampleId;
        expect(tap.samples.toSorted(byId)).toEqual(placed.toSorted(byId));
        const reported = tap.records.flatMap(record => (record.kind === 'sample.issued' ? [record] : []));
        expect(reported.toSorted(byId)).toEqual(placed.toSorted(byId).map(issued));
      }),
    );
  });

  test('are reported up to where the slowest remaining agent has reported them', () => {
    const tap = new RecordingTap();
    const lost = new Set<number>();
    const facts = factsTo(tap, lost);
    facts.started(0, () => 9e9);
    const report = (agent: number, untilNs: number): void =>
      facts.take(agent, { kind: 'facts', untilNs, batches: [], lines: new Uint8Array() });
    report(0, 5e9);
    expect(tap.reportedUntilNs()).toBe(Number.NEGATIVE_INFINITY);
    report(1, 2e9);
    expect(tap.reportedUntilNs()).toBe(2e9 + 500_000);
    lost.add(1);
    expect(tap.reportedUntilNs()).toBe(5e9 + 1_000);
  });

  test('that are none are refused', () => {
    const facts = factsTo(new RecordingTap());
    const [batch] = batchOf([{ kind: 'sample.recv_first', sampleId: 1, atNs: 2, firstByteNs: 1 }]);
    const torn = { kind: 'facts', untilNs: 1, batches: [batch?.subarray(3) ?? new Uint8Array()] } as const;
    expect(() => facts.take(0, { ...torn, lines: new Uint8Array() })).toThrow(DecodeError);
    expect(() => facts.take(0, { ...torn, batches: [], lines: Buffer.from('{"kind"') })).toThrow(DecodeError);
  });
});
