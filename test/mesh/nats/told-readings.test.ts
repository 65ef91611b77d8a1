import { describe, expect, it } from 'vitest';
import { TOLD_MAX, ToldReadings } from '../../../src/mesh/nats/told-readings.ts';

describe('readings for members of a fleet that come later', () => {
  it('of thousands of runs the newest are kept, beside the readings of the machine', () => {
    const told = new ToldReadings();
    const put = (place: string, kind: string, toldAtMs: number): void =>
      told.put(place, kind, { entry: { ageMs: 0, body: new Uint8Array() }, slot: '', toldAtMs });
    put('disk', 'disk.gathered', 0);
    for (let run = 1; run <= 3 * TOLD_MAX; run += 1) put(`run ${run}`, 'runner.reported', run);
    // Published again: it is no longer the oldest.
    put(`run ${2 * TOLD_MAX + 2}`, 'runner.reported', 4 * TOLD_MAX);
    put('memory', 'memory.gathered', 4 * TOLD_MAX);
    const places = told.until(Number.POSITIVE_INFINITY).map(([place]) => place);
    expect(places).toHaveLength(TOLD_MAX);
    expect(places).toEqual(
      expect.arrayContaining(['disk', 'memory', `run ${2 * TOLD_MAX + 2}`, `run ${3 * TOLD_MAX}`]),
    );
    expect(places).not.toContain(`run ${2 * TOLD_MAX + 3}`);
  });

  it('where nothing gives way, one more is not kept', () => {
    const told = new ToldReadings();
    for (let key = 0; key <= TOLD_MAX; key += 1)
      told.put(`status ${key}`, 'reading.confirmed', {
        entry: { ageMs: 0, body: new Uint8Array() },
        slot: '',
        toldAtMs: key,
      });
    expect(told.until(TOLD_MAX)).toHaveLength(TOLD_MAX);
  });
});
