import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/event.ts';
import { nodeId } from '../../src/core/ids.ts';
import { HISTORY_SECONDS, LiveHistory, SERIES_PER_NODE_MAX } from '../../src/core/live-history.ts';
import { type Unknown, unknown } from '../../src/core/unknown.ts';

const atlas = nodeId('a'.repeat(26));

describe('the live history', () => {
  it('ends with the second that contains now and has a gap where nothing was reported', () => {
    const history = new LiveHistory();
    history.record(load(10_200, 0.1));
    history.record(load(12_900, 0.3));
    expect(history.series(atlas, 13_500).series['cpuUse']).toEqual([f32(0.1), null, f32(0.3), null]);
  });

  it('keeps the last value of a second, and never lets an older second overwrite a newer one', () => {
    const history = new LiveHistory();
    history.record(load(10_100, 0.1));
    history.record(load(10_900, 0.2));
    history.record(load(10_000 - HISTORY_SECONDS * 1_000, 0.9));
    expect(history.series(atlas, 10_950).series['cpuUse']).toEqual([f32(0.2)]);
  });

  it('places a value at the time it was true, not at the time it arrived', () => {
    const history = new LiveHistory();
    history.record({ ...load(20_000, 0.5), ageMs: 3_000 });
    expect(history.series(atlas, 20_000).series['cpuUse']).toEqual([f32(0.5), null, null, null]);
  });

  it('forgets what is older than a quarter of an hour', () => {
    const history = new LiveHistory();
    history.record(load(0, 0.5));
    expect(history.series(atlas, (HISTORY_SECONDS - 1) * 1_000).series['cpuUse']).toHaveLength(
      HISTORY_SECONDS,
    );
    expect(history.series(atlas, HISTORY_SECONDS * 1_000).series['cpuUse']).toEqual([]);
  });

  it('gives no point for an unknown figure', () => {
    const history = new LiveHistory();
    history.record(load(1_000, unknown('no sensor')));
    expect(history.series(atlas, 1_000).series).toEqual({ loadAverage1: [1] });
  });

  it('hands itself over to another clock', () => {
    const history = new LiveHistory();
    history.record(load(5_000, 0.25));
    history.record(load(6_000, 0.5));
    const copy = new LiveHistory();
    copy.load(atlas, history.series(atlas, 6_400), 1_006_700);
    expect(copy.series(atlas, 1_007_000).series['cpuUse']).toEqual([0.25, 0.5, null]);
  });

  it('keeps a bounded number of series a node', () => {
    const history = new LiveHistory();
    const devices = Array.from({ length: 100 }, (_, index) => ({
      deviceId: `gpu-${index}`,
      use: 0.5,
      memoryUsedBytes: 1,
      temperatureCelsius: 40,
      powerWatts: 100,
      clockMhz: 1_000,
      pcieNow: unknown('not reported'),
      throttleReasons: [],
    }));
    history.record({
      ...head(1_000),
      key: 'nvidia',
      kind: 'gpuLoads.gathered',
      payload: { source: 'nvidia-smi', intervalMs: 1_000, value: { vendor: 'nvidia', devices } },
    });
    expect(Object.keys(history.series(atlas, 1_000).series)).toHaveLength(SERIES_PER_NODE_MAX);
  });
});

const f32 = (value: number): number => Math.fround(value);

const head = (receivedAtMs: number) =>
  ({ origin: atlas, epoch: 1, class: 'live', seq: 1, key: '', ageMs: 0, receivedAtMs }) as const;

const load = (receivedAtMs: number, cpuUse: number | Unknown): Event => ({
  ...head(receivedAtMs),
  kind: 'system.gathered',
  payload: {
    source: 'procfs',
    intervalMs: 1_000,
    value: {
      cpuUse,
      cpuTemperatureCelsius: unknown('no sensor'),
      cpuPowerWatts: unknown('no sensor'),
      systemPowerWatts: unknown('no sensor'),
      loadAverage1: 1,
      uptimeSeconds: 60,
      cpuClusters: [],
    },
  },
});
