import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { type MacmonSample, parseMacmonLine } from '../../../src/gather/macmon/parse-macmon.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';

const samplesOf = (path: string): readonly MacmonSample[] =>
  fixture(path)
    .split('\n')
    .map(parseMacmonLine)
    .flatMap(line => (line.kind === 'answered' ? [line.value] : []));

describe('a line of macmon pipe', () => {
  it('is read in the form of 0.5, where use is [MHz, ratio]', () => {
    const [sample] = samplesOf('macmon/v0.5-m4-pro-24gb.txt');
    expect(sample).toMatchObject({
      memoryTotalBytes: 25_769_803_776,
      memoryUsedBytes: 15_032_385_536,
      swapUsedBytes: 4_294_967_296,
      efficiencyCores: { use: 0.0825, clockMhz: 1210 },
      gpu: { use: 0.0135, clockMhz: 338 },
      cpuTemperatureCelsius: 41.25,
      systemPowerWatts: 10.25,
    });
    expect(isUnknown(sample?.cpuUse)).toBe(true);
  });

  it('distinguishes a zero that means "no sensor" from a zero that is a figure', () => {
    const [, sample] = samplesOf('macmon/v0.5-m4-pro-24gb.txt');
    expect(sample?.gpuTemperatureCelsius).toEqual({ kind: 'unknown', reason: 'macmon finds no sensor' });
    expect(sample?.swapTotalBytes).toBe(0);
    expect(sample?.gpu.use).toBe(0);
    expect(sample?.gpuPowerWatts).toBe(0);
    const busy = parseMacmonLine('{"gpu_power":0.0,"gpu_active_ratio":0.4}');
    expect(busy).toMatchObject({ value: { gpuPowerWatts: { reason: 'macmon finds no sensor' } } });
  });

  it('takes cpu_usage_pct as the ratio it is', () => {
    expect(samplesOf('macmon/v0.7-busy-16gb.txt')[0]).toMatchObject({ cpuUse: 0.995, cpuPowerWatts: 14 });
  });

  it.each(['macmon/v0.8.0-m1-max.txt', 'macmon/v0.8.2-m3-ultra.txt'])(
    'prefers the new names to the old in %s',
    path => {
      expect(samplesOf(path)).toEqual([
        expect.objectContaining({
          cpuUse: 0.19,
          gpu: { use: 0.6875, clockMhz: 388 },
          performanceCores: { use: 0.183, clockMhz: 1829 },
          systemPowerWatts: 18.5,
        }),
      ]);
    },
  );

  it('loses a cut line and keeps the whole one before it', () => {
    const path = 'macmon/v0.8.2-no-power-sensor-and-cut-line.txt';
    const [sample, ...rest] = samplesOf(path);
    expect(rest).toEqual([]);
    expect(sample?.systemPowerWatts).toEqual({ kind: 'unknown', reason: 'macmon finds no sensor' });
    expect(sample?.memoryTotalBytes).toBe(549_755_813_888);
  });

  it('keeps what is there of a partial object', () => {
    const line = parseMacmonLine('{"memory":{"ram_total":1024},"temp":null,"gpu_usage":"half"}');
    expect(line).toMatchObject({ kind: 'answered', value: { memoryTotalBytes: 1024 } });
    if (line.kind !== 'answered') return;
    expect(isUnknown(line.value.memoryUsedBytes)).toBe(true);
    expect(isUnknown(line.value.gpu.use)).toBe(true);
  });

  it.each([
    [
      'memory: 0 GB, as 0.7.0 reported for large Macs',
      '{"memory":{"ram_total":0,"ram_usage":0}}',
      'memoryTotalBytes',
    ],
    ['more used than there is', '{"memory":{"ram_total":5,"ram_usage":6}}', 'memoryUsedBytes'],
    ['a percentage where a ratio should be', '{"cpu_power":1,"cpu_active_ratio":97}', 'cpuUse'],
    ['a negative power', '{"sys_power":-3}', 'systemPowerWatts'],
  ] as const)('does not believe %s', (_what, text, field) => {
    const line = parseMacmonLine(text);
    expect(line.kind).toBe('answered');
    if (line.kind === 'answered') expect(isUnknown(line.value[field])).toBe(true);
  });

  it('refuses an object of another program', () => {
    expect(parseMacmonLine('{"cpu":{"load":1}}').kind).toBe('unanswered');
    expect(parseMacmonLine('[]').kind).toBe('unanswered');
  });

  it('never throws and never gives a figure that is not finite', () => {
    forAnyOutput([fixture('macmon/v0.8.2-m3-ultra.txt')], text => {
      const line = parseMacmonLine(text);
      expect(figuresIn(line).every(Number.isFinite)).toBe(true);
    });
  });
});
