import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { type AmdMemoryEvidence, amdMemory, sharedMemory } from '../../../src/gather/amdgpu/amd-memory.ts';

const NOTHING: AmdMemoryEvidence = {
  device: 0x15bf,
  metricsFormat: undefined,
  hasNorthBridge: false,
  hasReplayCount: false,
  isAsleep: false,
};

describe('the memory of a GPU of AMD', () => {
  it.each<[string, Partial<AmdMemoryEvidence>, ReturnType<typeof amdMemory>]>([
    ['its own by the metrics of a card', { metricsFormat: 1 }, 'own'],
    ['shared by the metrics of a processor', { metricsFormat: 2 }, 'shared'],
    ['shared by those of newer ones', { metricsFormat: 3 }, 'shared'],
    [
      'shared in an MI300A, whose metrics are those of a card',
      { device: 0x74a0, metricsFormat: 1 },
      'shared',
    ],
    ['shared in an MI300A without metrics', { device: 0x74a0 }, 'shared'],
    ['its own in an MI300X', { device: 0x74a1, metricsFormat: 1 }, 'own'],
    [
      'shared in an older processor, by its north bridge',
      { hasNorthBridge: true, hasReplayCount: true },
      'shared',
    ],
    ['its own in an older card, by its link', { hasReplayCount: true }, 'own'],
    ['its own if it is asleep', { isAsleep: true, hasNorthBridge: true }, 'own'],
    ['not known without any of these', {}, 'undetermined'],
    ['not known by metrics of no known format', { metricsFormat: 0xff }, 'undetermined'],
  ])('is %s', (_, evidence, expected) => {
    expect(amdMemory({ ...NOTHING, ...evidence })).toBe(expected);
  });
});

describe('what graphics in a processor can use', () => {
  it('is what is set aside and what the driver allows of the host', () => {
    expect(sharedMemory(4, 28, 30)).toEqual({ totalBytes: 32, reservedBytes: 4, isReservedOnly: false });
  });

  it('is no more of the host than it has', () => {
    expect(sharedMemory(4, 90, 28).totalBytes).toBe(32);
  });

  it('is what is set aside alone if that is more than the host can give', () => {
    expect(sharedMemory(96, 105, 31)).toEqual({ totalBytes: 96, reservedBytes: 96, isReservedOnly: true });
    expect(sharedMemory(64, 31, 62)).toMatchObject({ totalBytes: 64, isReservedOnly: true });
  });

  it('is what the driver allows if the host’s memory cannot be read', () => {
    expect(sharedMemory(4, 28, unknown('no /proc/meminfo')).totalBytes).toBe(32);
  });

  it('is not known if the driver reports no limit', () => {
    expect(sharedMemory(4, unknown('not reported'), 30)).toEqual({
      totalBytes: unknown('unified memory'),
      reservedBytes: 4,
      isReservedOnly: false,
    });
  });
});
