import { expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { failureIntervalMs } from '../../../src/probe/schedule/backoff.ts';
import { PortLocks } from '../../../src/probe/schedule/port-locks.ts';
import { linkIntervalMs, routineSpendingOf, spendingOf } from '../../../src/probe/schedule/probe-interval.ts';
import { SpendLedger } from '../../../src/probe/schedule/spend-ledger.ts';
import { PROBE_SETTINGS } from '../../support/probing-mesh.ts';

const HOUR_MS = 3_600_000;

const ledgerAt = () => {
  const time = { nowMs: 0 };
  const ledger = new SpendLedger(
    () => time.nowMs,
    () => PROBE_SETTINGS,
  );
  return { time, ledger };
};

test('an interface may use what an hour brings at once, and then waits for what it uses', () => {
  const { time, ledger } = ledgerAt();
  ledger.charge(['eth0'], { busyMs: 72_000, bytesUsed: 0 });
  expect(ledger.waitMs(['eth0'])).toBe(0);
  ledger.charge(['eth0'], { busyMs: 2_000, bytesUsed: 0 });
  expect(ledger.waitMs(['eth0'])).toBe(100_000);
  expect(ledger.waitMs(['eth1'])).toBe(0);
  time.nowMs = 60_000;
  expect(ledger.waitMs(['eth1', 'eth0'])).toBe(40_000);
});

test('bytes are a budget of their own', () => {
  const { ledger } = ledgerAt();
  ledger.charge(['eth0'], { busyMs: 10, bytesUsed: 75e9 });
  expect(ledger.waitMs(['eth0'])).toBe(HOUR_MS / 2);
});

test('a debt past two hours is forgiven, and nothing is saved up past one', () => {
  const { time, ledger } = ledgerAt();
  ledger.charge(['eth0'], { busyMs: 1e9, bytesUsed: 1e15 });
  expect(ledger.waitMs(['eth0'])).toBe(2 * HOUR_MS);
  time.nowMs = 100 * HOUR_MS;
  ledger.charge(['eth0'], { busyMs: 74_000, bytesUsed: 0 });
  expect(ledger.waitMs(['eth0'])).toBe(100_000);
});

test('what a probe took follows from its bytes and rates, each direction by its own', () => {
  const figures = { uploadBitsPerSecond: 8e8, downloadBitsPerSecond: 2e8, bytesUsed: 50e6 };
  expect(spendingOf(figures)).toEqual({ busyMs: 800, bytesUsed: 50e6 });
  expect(spendingOf({ ...figures, uploadBitsPerSecond: unknown('not measured') })).toBeUndefined();
});

test('the interval of a path counts what each of its probes costs, and not what comes once an hour', () => {
  const figures = { uploadBitsPerSecond: 5e7, downloadBitsPerSecond: 5e7, bytesUsed: 70e6 };
  expect(routineSpendingOf({ ...figures, extrasBytes: 40e6 })).toEqual({ busyMs: 4_800, bytesUsed: 30e6 });
  expect(routineSpendingOf({ ...figures, extrasBytes: unknown('an older version') })).toEqual(
    spendingOf(figures),
  );
});

test('after failures a probe waits twice as long each time, half an hour at most', () => {
  const failure = unknown('silence');
  const waits = [failureIntervalMs(undefined)];
  for (let turn = 0; turn < 9; turn += 1)
    waits.push(failureIntervalMs({ failure, intervalMs: waits.at(-1) ?? 0 }));
  expect(waits.map(ms => ms / 1_000)).toEqual([15, 30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800]);
  expect(failureIntervalMs({ failure: 'none', intervalMs: 300_000 })).toBe(15_000);
});

test('who needs the machine for itself is let in before others begin, and does not hold it for ever', () => {
  const time = { nowMs: 0 };
  const locks = new PortLocks(() => time.nowMs);
  const first = locks.take(['eth0'], 'eth0');
  expect(locks.takeAll('GPU 0')).toBeUndefined();
  expect(locks.blocker(['eth1'])).toBe('GPU 0 will be measured shortly');
  first[Symbol.dispose]();
  const all = locks.takeAll('GPU 0');
  expect(all).toBeDefined();
  expect(locks.blocker(['eth1'])).toBe('GPU 0 is being measured');
  all?.[Symbol.dispose]();
  expect(locks.blocker(['eth1'])).toBeUndefined();
  const second = locks.take(['eth0'], 'eth0');
  locks.takeAll('GPU 0');
  time.nowMs = 40_000;
  expect(locks.blocker(['eth1'])).toBeUndefined();
  second[Symbol.dispose]();
});

test('however much connections of others load an interface, its own are measured once a day', () => {
  const [self, sink] = [nodeId('self'.padEnd(26, 'b')), nodeId('peer'.padEnd(26, 'b'))];
  const connection = {
    kind: 'socket',
    sink,
    sinkAddress: '10.0.0.2',
    sourceInterface: 'eth0',
    sinkInterface: 'eth0',
    type: 'ethernet',
    negotiatedBitsPerSecond: 1e9,
  } as const;
  const link = { source: self, key: 'socket 10.0.0.2', connection };
  const intervalMs = (busyMs: number): number => {
    const load = { busyMs, bytesUsed: 0, unmeasured: 0 };
    const loads = { byPort: new Map([[`${self} eth0`, load]]), byPath: new Map() };
    return linkIntervalMs(EMPTY_STATE, link, { loads, settings: PROBE_SETTINGS });
  };
  expect(intervalMs(10_000)).toBe(500_000);
  expect(intervalMs(90_000_000)).toBe(24 * HOUR_MS);
});

test('a profile of a peer costs an interface no more than one probe can take, and never less than nothing', () => {
  const rates = { uploadBitsPerSecond: 8e8, downloadBitsPerSecond: 2e8 };
  const most = { busyMs: 90_000, bytesUsed: 24e9 };
  expect(spendingOf({ ...rates, bytesUsed: 1e300 })).toEqual(most);
  expect(spendingOf({ uploadBitsPerSecond: 1e-300, downloadBitsPerSecond: 1e-300, bytesUsed: 1 })).toEqual({
    busyMs: 90_000,
    bytesUsed: 1,
  });
  expect(spendingOf({ ...rates, bytesUsed: -1e300 })).toEqual({ busyMs: 0, bytesUsed: 0 });
});
