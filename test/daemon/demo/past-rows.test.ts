import { expect, test } from 'vitest';
import { factKey } from '../../../src/core/event-kinds.ts';
import { pastRows } from '../../../src/daemon/demo/start-demo.ts';
import { decodeHourlySummary } from '../../../src/journal/hourly-summary.ts';
import { JOURNAL_LIMITS } from '../../../src/journal/journal.ts';
import { decodeRecordBody } from '../../../src/wire/durable-record.ts';
import { SimulatedWorld } from '../../simulate/simulated-world.ts';

const DAY_MS = 24 * 3_600_000;

test('a past is rows of a journal: the last days raw, before them sums of an hour, ascending', async () => {
  await using world = new SimulatedWorld(8);
  await world.clock.advance(1_000);
  const [reported] = world.facts('link.profiled');
  if (reported === undefined) throw new Error('nothing was measured');
  const query = {
    origin: reported.node,
    slot: 'link',
    key: factKey(reported.fact),
    sinceWallMs: 0,
    limit: 5_000,
  };
  const rows = pastRows(world.simulation, query, world.clock);
  const times = rows.map(({ atWallMs }) => atWallMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const wallMs = world.clock.wallMs();
  expect(Math.min(...times)).toBeGreaterThan(wallMs - 31 * DAY_MS);
  expect(Math.max(...times)).toBeLessThan(wallMs - 3_000_000);
  for (const row of rows) {
    expect(row.isHourly).toBe(row.atWallMs < wallMs - JOURNAL_LIMITS.rawHistoryMs);
    if (row.isHourly) {
      expect(row.atWallMs % 3_600_000).toBe(0);
      expect(decodeHourlySummary(row.body)?.figures['uploadBitsPerSecond']?.count).toBe(1);
    } else {
      expect(decodeRecordBody(row.body, { ageMs: 0, receivedAtMs: 0 })).toMatchObject({
        kind: 'event',
        event: { kind: 'link.profiled', origin: reported.node },
      });
    }
  }
  const newest = pastRows(
    world.simulation,
    { ...query, sinceWallMs: wallMs - DAY_MS, limit: 7 },
    world.clock,
  );
  expect(newest).toEqual(rows.slice(-7).map(row => expect.objectContaining({ atWallMs: row.atWallMs })));
});

test('of what is not there the past is empty', async () => {
  await using world = new SimulatedWorld(2);
  const query = { origin: world.nodeNamed('mike'), slot: 'link', key: 'none', sinceWallMs: 0, limit: 10 };
  expect(pastRows(world.simulation, query, world.clock)).toEqual([]);
});
