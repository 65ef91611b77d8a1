import { describe, expect, it } from 'vitest';
import { PublishedReadings, REPORTED_MAX } from '../../../src/mesh/nats/fleet-publisher.ts';

describe('readings for members of a fleet that come later', () => {
  it('of thousands of runs the newest are kept, next to the readings of the machine', () => {
    const reported = new PublishedReadings();
    const put = (key: string, kind: string, reportedAtMs: number): void =>
      reported.put(key, kind, { entry: { ageMs: 0, body: new Uint8Array() }, slot: '', reportedAtMs });
    put('disk', 'disk.gathered', 0);
    for (let run = 1; run <= 3 * REPORTED_MAX; run += 1) put(`run ${run}`, 'runner.reported', run);
    // Published again: it is no longer the oldest.
    put(`run ${2 * REPORTED_MAX + 2}`, 'runner.reported', 4 * REPORTED_MAX);
    put('memory', 'memory.gathered', 4 * REPORTED_MAX);
    const keys = reported.until(Number.POSITIVE_INFINITY).map(([key]) => key);
    expect(keys).toHaveLength(REPORTED_MAX);
    expect(keys).toEqual(
      expect.arrayContaining(['disk', 'memory', `run ${2 * REPORTED_MAX + 2}`, `run ${3 * REPORTED_MAX}`]),
    );
    expect(keys).not.toContain(`run ${2 * REPORTED_MAX + 3}`);
  });

  it('where nothing gives way, one more is not kept', () => {
    const reported = new PublishedReadings();
    for (let key = 0; key <= REPORTED_MAX; key += 1)
      reported.put(`status ${key}`, 'reading.confirmed', {
        entry: { ageMs: 0, body: new Uint8Array() },
        slot: '',
        reportedAtMs: key,
      });
    expect(reported.until(REPORTED_MAX)).toHaveLength(REPORTED_MAX);
  });
});
