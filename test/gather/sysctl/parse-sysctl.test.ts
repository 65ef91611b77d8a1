import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { pressureLevelIn, swapUsageIn } from '../../../src/gather/sysctl/memory-gauge.ts';
import { parseSysctl, sysctlNumber } from '../../../src/gather/sysctl/parse-sysctl.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';

describe('sysctl', () => {
  it('gives swap in bytes and the pressure level', () => {
    const values = parseSysctl(fixture('sysctl/memory-swapping.txt'));
    expect(swapUsageIn(values)).toEqual({ totalBytes: 10_737_418_240, usedBytes: 10_160_638_525 });
    expect(pressureLevelIn(values)).toBe('warning');
  });

  it('reads decimal commas', () => {
    const values = parseSysctl('vm.swapusage: total = 1024,50M  used = 0,00M  free = 1024,50M');
    expect(swapUsageIn(values)).toEqual({ totalBytes: 1_074_266_112, usedBytes: 0 });
  });

  it('takes what is not printed for unknown', () => {
    const values = parseSysctl('');
    expect(isUnknown(swapUsageIn(values).totalBytes)).toBe(true);
    expect(isUnknown(pressureLevelIn(values))).toBe(true);
    expect(sysctlNumber(values, 'hw.logicalcpu')).toBeUndefined();
  });

  it('does not guess a pressure level it does not know', () => {
    expect(isUnknown(pressureLevelIn(parseSysctl('kern.memorystatus_vm_pressure_level: 3')))).toBe(true);
  });

  it('never throws', () => {
    const samples = [fixture('sysctl/memory-swapping.txt'), fixture('sysctl/m3-ultra-mac-studio.txt')];
    forAnyOutput(samples, text => {
      const values = parseSysctl(text);
      expect(figuresIn([swapUsageIn(values), pressureLevelIn(values)]).every(Number.isFinite)).toBe(true);
    });
  });
});
