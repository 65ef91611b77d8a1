// A daemon that sends its figures: at its interval, past a receiver that is away, and to another one after a change of config.toml.

import { expect, test } from 'vitest';
import type { OtlpConfig } from '../../../src/config/config.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import { OTLP_BACKOFF_MS_MAX, TelemetryExport } from '../../../src/daemon/otlp/telemetry-export.ts';
import { groupedNodeId, groupedState } from '../../support/grouped-nodes.ts';
import { otlpReceiver } from '../../support/otlp-receiver.ts';
import { until } from '../../support/until.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const INTERVAL_MS = 10_000;

test('it sends once an interval, and reports what a receiver that refuses has missed, and stops saying so', async () => {
  let status = 200;
  await using receiver = await otlpReceiver(() => ({ status }));
  await using exported = exporting({ endpoint: receiver.url });
  await exported.pass(INTERVAL_MS, () => receiver.requested.length === 1);
  expect(JSON.parse(receiver.requested[0]?.body ?? '{}')).toHaveProperty('resourceMetrics');
  status = 400;
  await exported.pass(INTERVAL_MS, () => exported.status()?.dropped === 1);
  expect(exported.status()).toMatchObject({ sent: 1, dropped: 1, endpoint: receiver.url });
  expect(exported.notices.all).toMatchObject([{ code: 'otlp-down', endpoint: receiver.url }]);
  status = 200;
  await exported.pass(2 * INTERVAL_MS, () => exported.status()?.sent === 2);
  expect(exported.notices.all).toEqual([]);
  expect(exported.status()?.problem).toBe('');
});

test('to a receiver that takes nothing it sends less and less often, up to a bound, and keeps nothing for it', async () => {
  await using receiver = await otlpReceiver(() => ({ status: 400 }));
  await using exported = exporting({ endpoint: receiver.url });
  for (const pauseMs of [10_000, 20_000, 40_000, 80_000, 160_000, OTLP_BACKOFF_MS_MAX, OTLP_BACKOFF_MS_MAX]) {
    const before = receiver.requested.length;
    await exported.clock.advance(pauseMs - 1);
    expect(receiver.requested).toHaveLength(before);
    await exported.pass(1, () => exported.status()?.dropped === before + 1);
  }
  expect(exported.raised, 'a notice is raised once').toBe(1);
});

test('another receiver in config.toml is taken up at once, and none ends it', async () => {
  await using first = await otlpReceiver(() => ({ status: 400 }));
  await using second = await otlpReceiver(() => ({ status: 200 }));
  await using exported = exporting({ endpoint: first.url });
  await exported.pass(INTERVAL_MS, () => exported.status()?.dropped === 1);
  exported.change({ endpoint: second.url, compression: 'gzip' });
  await exported.pass(INTERVAL_MS, () => exported.status()?.sent === 1);
  expect(second.requested[0]?.encoding).toBe('gzip');
  expect(exported.notices.all).toEqual([]);
  exported.change({ endpoint: undefined });
  await exported.clock.advance(100 * INTERVAL_MS);
  expect(exported.status()).toBeUndefined();
  expect(first.requested.length + second.requested.length).toBe(2);
});

const exporting = (first: Partial<OtlpConfig>) => {
  const clock = new VirtualClock();
  let raised = 0;
  const notices = new Notices(() => {
    raised += 1;
  });
  let otlp: OtlpConfig = { endpoint: undefined, intervalMs: INTERVAL_MS, compression: 'none', ...first };
  let report = (): void => undefined;
  const stop = new AbortController();
  const state = groupedState([{ name: 'anvil', gpuNames: ['H200'] }]);
  const telemetry = new TelemetryExport({
    clock,
    notices,
    version: '1.2.3',
    nodeId: groupedNodeId(0),
    state: () => state,
    endpoint: undefined,
    settings: {
      get config() {
        return { otlp };
      },
      onChange: listener => {
        report = listener;
        return () => undefined;
      },
    },
  });
  const running = telemetry.run(stop.signal);
  return {
    clock,
    notices,
    status: () => telemetry.status,
    get raised() {
      return raised;
    },
    change: (changed: Partial<OtlpConfig>) => {
      otlp = { ...otlp, ...changed };
      report();
    },
    /** That long, and until what comes over a real socket has come. */
    pass: async (ms: number, isThere: () => boolean) => {
      await clock.advance(ms);
      await until(isThere, AbortSignal.timeout(30_000));
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
};
