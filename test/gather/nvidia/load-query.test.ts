import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuLoad } from '../../../src/core/node/gpu.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { LOAD_FIELDS, parseLoadRow, withoutField } from '../../../src/gather/nvidia/load-query.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

const MIB = 1024 * 1024;

describe('a row of nvidia-smi', () => {
  it('gives load, memory in bytes, heat, power, clock, link and why the clock is held down', () => {
    expect(loadsOf('loads-h100-pair.csv')[1]).toEqual({
      deviceId: 'GPU-aaaaaaaa-0000-4000-8000-000000000002',
      use: 1,
      memoryUsedBytes: 74_521 * MIB,
      memoryReservedUsedBytes: 0,
      temperatureCelsius: 84,
      powerWatts: 698.77,
      clockMhz: 1620,
      pcieNow: { generation: 5, width: 16 },
      encoderUse: 0,
      decoderUse: 0.12,
      throttleReasons: ['SW power cap', 'SW thermal slowdown'],
    });
  });

  it('does not call an idle card held down', () => {
    expect(loadsOf('loads-rtx-4090-idle.csv')[0]).toMatchObject({
      use: 0,
      clockMhz: 210,
      pcieNow: { generation: 1, width: 16 },
      throttleReasons: [],
    });
  });

  it('gives no memory and no link for a chip with unified memory', () => {
    expect(loadsOf('loads-gb10.csv')[0]).toMatchObject({
      use: 0.96,
      memoryUsedBytes: unknown('unified memory'),
      pcieNow: unknown('on the chip, no PCIe link'),
    });
  });

  it('gives the memory of a card with MIG and why its load is not reported', () => {
    expect(loadsOf('loads-a100-mig.csv')[0]).toMatchObject({
      use: unknown('not reported while MIG is on'),
      memoryUsedBytes: 38 * MIB,
      pcieNow: { generation: 4, width: 16 },
    });
  });

  it('takes a text in brackets, and a bare N/A, for unknown with its reason, and every figure of a lost card', () => {
    const [small, faulty] = loadsOf('loads-unsupported-and-errors.csv');
    const lost = unknown('the GPU is lost', 'device-failed');
    expect(small).toMatchObject({
      use: unknown('not supported by this device'),
      memoryUsedBytes: 410 * MIB,
      temperatureCelsius: 47,
      throttleReasons: unknown('not supported by this device'),
    });
    expect(faulty).toMatchObject({
      memoryUsedBytes: lost,
      use: lost,
      temperatureCelsius: lost,
      powerWatts: lost,
      pcieNow: lost,
    });
  });

  it('takes no message and no row cut off for a row', () => {
    const row = fixtureText('nvidia-smi/loads-gb10.csv').trim();
    for (const line of [
      fixtureText('nvidia-smi/message-no-driver.txt'),
      fixtureText('nvidia-smi/message-gpu-lost.txt'),
      row.slice(0, row.lastIndexOf(',')),
      row.replace('GPU-aaaaaaaa', '[Unknown Error]'),
      '',
      ',,,,,,,,,,,,,,,,',
    ]) {
      expect(parseLoadRow(LOAD_FIELDS, line)).toBeUndefined();
    }
  });

  it('reads the older name of the throttle reasons, and goes on without fields that the tool refuses', () => {
    const older = withoutField(LOAD_FIELDS, 'clocks_event_reasons.active');
    expect(older).toContain('clocks_throttle_reasons.active');
    expect(older).toHaveLength(LOAD_FIELDS.length);
    const none = withoutField(older ?? [], 'clocks_throttle_reasons.active') ?? [];
    expect(none).toHaveLength(LOAD_FIELDS.length - 1);
    const row = fixtureText('nvidia-smi/loads-rtx-4090-idle.csv').trim().replace(' 0x0000000000000001,', '');
    expect(parseLoadRow(none, row)?.load).toMatchObject({
      throttleReasons: unknown('not reported by this driver'),
      clockMhz: 210,
    });
  });

  it('has no way on without the device id or when the tool refuses what was not asked', () => {
    expect(withoutField(LOAD_FIELDS, 'uuid')).toBeUndefined();
    expect(withoutField(LOAD_FIELDS, 'fan.speed')).toBeUndefined();
  });

  it('takes no fraction for a number of lanes, and gives whole bytes: other nodes refuse a reading with either', () => {
    const row = Object.fromEntries(LOAD_FIELDS.map(field => [field, '1']));
    const load = (fields: Readonly<Record<string, string>>) =>
      parseLoadRow(
        LOAD_FIELDS,
        LOAD_FIELDS.map(field => ({ ...row, uuid: 'GPU-00000000-1', ...fields })[field]).join(','),
      )?.load;
    expect(load({ 'memory.used': '1.1' })?.memoryUsedBytes).toBe(1_153_434);
    expect(load({ 'memory.used': '999999999999999' })?.memoryUsedBytes).toEqual(
      unknown('not a size: 999999999999999 MiB'),
    );
    expect(load({ 'pcie.link.width.current': '8.5' })?.pcieNow).toEqual(unknown('not a whole number: 8.5'));
  });

  it('never gives a figure that is not finite, or a share outside 0 to 1', () => {
    const cell = fc.oneof(
      fc.constantFrom('[N/A]', 'N/A', '[Unknown Error]', '-1', '101', '1e400', 'NaN', '', ' 5 ', '0x'),
      fc.string(),
      fc.nat().map(String),
    );
    const cells = fc.array(cell, { minLength: LOAD_FIELDS.length - 1, maxLength: LOAD_FIELDS.length + 2 });
    fc.assert(
      fc.property(cells, texts => {
        const load = parseLoadRow(LOAD_FIELDS, ['GPU-00000000-1', ...texts].join(','))?.load;
        if (load === undefined) return;
        for (const figure of Object.values(load)) {
          if (typeof figure === 'number') expect(Number.isFinite(figure) && figure >= 0).toBe(true);
        }
        if (typeof load.use === 'number') expect(load.use).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const loadsOf = (fixture: string): readonly GpuLoad[] =>
  fixtureText(`nvidia-smi/${fixture}`)
    .trim()
    .split('\n')
    .map(line => {
      const row = parseLoadRow(LOAD_FIELDS, line);
      if (row === undefined) throw new Error(`no row: ${line}`);
      return row.load;
    });
