import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../../src/core/unknown.ts';
import { parseSysctl } from '../../../src/gather/sysctl/parse-sysctl.ts';
import { macosIdentity } from '../../../src/gather/system-profiler/macos-identity-gatherer.ts';
import {
  parseDisplays,
  parseHardware,
  parseSwVers,
} from '../../../src/gather/system-profiler/parse-identity.ts';
import { answered, unanswered } from '../../../src/gather/tool-output.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { fixture } from '../../support/fixture.ts';

const identityOf = (hardware: string, sysctl: string, architecture = 'arm64') =>
  macosIdentity({
    configuredName: undefined,
    computerName: 'Studio',
    hostName: 'studio.local',
    architecture,
    plimsollVersion: '1.2.3',
    hardware: parseHardware(hardware),
    sysctl: answered(parseSysctl(sysctl)),
    version: answered(parseSwVers(fixture('sw_vers/macos-27.txt'))),
  });

describe('the identity of a Mac', () => {
  it('is reported whole by a Mac Studio', () => {
    const hardware = fixture('system_profiler-hardware/m3-ultra-mac-studio.json');
    expect(identityOf(hardware, fixture('sysctl/m3-ultra-mac-studio.txt'))).toEqual({
      friendlyName: 'Studio',
      hostName: 'studio.local',
      model: 'Mac Studio',
      chip: 'Apple M3 Ultra',
      architecture: 'arm64',
      cpuCount: 32,
      operatingSystem: { platform: 'macos', name: 'macOS', version: '27.0', build: '26A428' },
      memoryIsUnified: true,
      virtualisation: 'none',
      plimsollVersion: '1.2.3',
      isSimulated: false,
    });
  });

  it('takes only the total of "proc 18:6:0:12"', () => {
    const identity = identityOf(fixture('system_profiler-hardware/m5-max-macbook-pro.json'), '');
    expect(identity).toMatchObject({ cpuCount: 18, chip: 'Apple M5 Max', memoryIsUnified: true });
  });

  it('names no chip when Rosetta hides it, and is arm64 all the same', () => {
    const sysctl = 'hw.optional.arm64: 1\nmachdep.cpu.brand_string: VirtualApple @ 2.50GHz processor\n';
    const identity = identityOf(
      fixture('system_profiler-hardware/m1-macbook-air-under-rosetta.json'),
      sysctl,
      'x64',
    );
    expect(identity).toMatchObject({
      model: 'MacBook Air',
      architecture: 'arm64',
      cpuCount: 8,
      memoryIsUnified: true,
    });
    expect(identity.chip).toEqual({
      kind: 'unknown',
      reason: 'Node runs translated by Rosetta: install Node for arm64',
    });
  });

  it('reports that a virtual machine is one', () => {
    const identity = identityOf(fixture('system_profiler-hardware/virtual-machine.json'), '');
    expect(identity).toMatchObject({
      virtualisation: 'virtual machine',
      cpuCount: 3,
      chip: 'Apple M1 (Virtual)',
    });
  });

  it('is partly known when every tool fails, with reasons', () => {
    const failed = unanswered('no such tool');
    const identity = macosIdentity({
      configuredName: 'mine',
      computerName: undefined,
      hostName: 'studio.local',
      architecture: 'arm64',
      plimsollVersion: '1.2.3',
      hardware: failed,
      sysctl: failed,
      version: failed,
    });
    expect(identity.friendlyName).toBe('mine');
    expect(identity.model).toEqual({ kind: 'unknown', reason: 'no such tool' });
    expect(isUnknown(identity.memoryIsUnified)).toBe(true);
  });

  it('distinguishes an Intel Mac from Apple silicon', () => {
    const identity = identityOf('{}', 'machdep.cpu.brand_string: Intel(R) Core(TM) i9', 'x64');
    expect(identity).toMatchObject({ memoryIsUnified: false, architecture: 'x64' });
  });

  it('reads the GPU of the chip', () => {
    expect(parseDisplays(fixture('system_profiler-displays/m3-ultra-mac-studio.json'))).toEqual(
      answered({ name: 'Apple M3 Ultra', coreCount: 80, metal: 'Metal 4' }),
    );
    expect(parseDisplays('{"SPDisplaysDataType":[]}').kind).toBe('unanswered');
  });

  it('never throws', () => {
    const sample = fixture('system_profiler-hardware/m3-ultra-mac-studio.json');
    forAnyOutput([sample, fixture('system_profiler-displays/m3-ultra-mac-studio.json')], text => {
      expect(['answered', 'unanswered']).toContain(parseHardware(text).kind);
      expect(['answered', 'unanswered']).toContain(parseDisplays(text).kind);
    });
  });
});
