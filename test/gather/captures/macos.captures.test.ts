// Every recorded output of the Mac's tools in CAPTURES_DIR, through its parser. The recordings are not part of
// this repository; what they taught is in the fixtures of the other tests.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKnown, isUnknown } from '../../../src/core/unknown.ts';
import { parseRdmaCtlStatus } from '../../../src/gather/ibverbs/macos-rdma-gatherer.ts';
import { parseIbvDevices, parseIbvDevinfo } from '../../../src/gather/ibverbs/parse-ibv.ts';
import { parseIfconfig } from '../../../src/gather/ifconfig/parse-ifconfig.ts';
import { parseMacmonLine } from '../../../src/gather/macmon/parse-macmon.ts';
import {
  parseHardwarePorts,
  parseServiceOrder,
} from '../../../src/gather/networksetup/parse-networksetup.ts';
import { parseSysctl } from '../../../src/gather/sysctl/parse-sysctl.ts';
import {
  parseComputerName,
  parseHardware,
  parseSwVers,
} from '../../../src/gather/system-profiler/parse-identity.ts';
import { parseThunderbolt } from '../../../src/gather/system-profiler/parse-thunderbolt.ts';
import { parseVmStat, usedBytesOf, VmStatReader } from '../../../src/gather/vm-stat/parse-vm-stat.ts';

/** Folder of a tool → what a good parse of the file means, by its name. */
const CHECKS: Readonly<Record<string, (text: string, file: string) => void>> = {
  macmon: (text, file) => {
    const lines = text.split('\n').filter(line => line !== '');
    const samples = lines.map(parseMacmonLine);
    const expected = file.includes('cut-line') ? lines.length - 1 : lines.length;
    expect(samples.filter(sample => sample.kind === 'answered')).toHaveLength(expected);
    for (const sample of samples) {
      if (sample.kind !== 'answered') continue;
      expect(isKnown(sample.value.memoryTotalBytes)).toBe(true);
      expect(isKnown(sample.value.gpu.use)).toBe(true);
      expect(isKnown(sample.value.cpuTemperatureCelsius)).toBe(true);
      expect(isUnknown(sample.value.systemPowerWatts)).toBe(file.includes('no-power-sensor'));
    }
  },
  'system_profiler-thunderbolt': (text, file) => {
    const hardware = parseThunderbolt(text);
    expect(hardware.kind).toBe(file.endsWith('.txt') ? 'unanswered' : 'answered');
    if (hardware.kind !== 'answered') return;
    expect(hardware.value.kind).toBe(file.startsWith('virtual-machine') ? 'none' : 'buses');
    if (hardware.value.kind !== 'buses') return;
    const peers = hardware.value.buses.flatMap(bus => bus.peers);
    const expected = /hub-between/.test(file) ? 2 : /peer-/.test(file) && !/no-peer/.test(file) ? 1 : 0;
    expect(peers).toHaveLength(expected);
    for (const bus of hardware.value.buses) {
      expect(isKnown(bus.domainUuid)).toBe(true);
      expect(isKnown(bus.negotiatedBitsPerSecond)).toBe(bus.status === 'connected');
    }
  },
  'system_profiler-hardware': (text, file) => {
    const hardware = parseHardware(text);
    expect(hardware.kind).toBe(file.endsWith('.txt') ? 'unanswered' : 'answered');
    if (hardware.kind !== 'answered') return;
    expect(hardware.value.modelName).toBeDefined();
    expect(hardware.value.processorCount).toBeGreaterThan(0);
    expect(hardware.value.chip === undefined).toBe(file.includes('rosetta'));
  },
  networksetup: (text, file) => {
    if (file.startsWith('service-order')) expect(parseServiceOrder(text).length).toBeGreaterThan(0);
    else expect(parseHardwarePorts(text).length > 0).toBe(!file.includes('only-vlan-section'));
  },
  ifconfig: (text, file) => {
    const interfaces = parseIfconfig(text);
    expect(interfaces.length > 0).toBe(!file.includes('missing'));
    if (file.startsWith('bridge0-'))
      expect(interfaces[0]?.members.length ?? 0).not.toBe(file.includes('missing') ? 1 : 0);
  },
  scutil: (text, file) => {
    expect(parseComputerName(text) === undefined).toBe(file.includes('not-set'));
  },
  sw_vers: text => {
    expect(Object.values(parseSwVers(text))).not.toContain(undefined);
  },
  sysctl: text => {
    expect(parseSysctl(text).size).toBeGreaterThan(0);
  },
  rdma_ctl: (text, file) => {
    expect(isKnown(parseRdmaCtlStatus(text))).toBe(!file.includes('partially'));
  },
  ibv_devices: (text, file) => {
    expect(parseIbvDevices(text).length > 0).toBe(!/rdma-off|no-kernel/.test(file));
  },
  ibv_devinfo: text => {
    const ports = parseIbvDevinfo(text).flatMap(device => device.ports);
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) {
      expect(isKnown(port.state)).toBe(true);
      expect(isKnown(port.linkLayer)).toBe(true);
    }
  },
  vm_stat: (text, file) => {
    const pages = parseVmStat(text);
    expect(pages?.pageBytes).toBe(16_384);
    if (pages !== undefined) expect(isKnown(usedBytesOf(pages))).toBe(!file.includes('trimmed'));
    // The stream has another form, and its reader takes no figure from this one.
    const reader = new VmStatReader();
    expect(text.split('\n').flatMap(line => reader.read(line) ?? [])).toEqual([]);
  },
};

describe('recorded output of the tools of a Mac', () => {
  const folder = process.env['CAPTURES_DIR'];
  for (const [tool, check] of Object.entries(CHECKS)) {
    it(`is parsed: every recording of ${tool}`, context => {
      if (folder === undefined) return context.skip('CAPTURES_DIR is not set: no recordings to parse');
      const path = join(folder, tool);
      if (!existsSync(path)) return context.skip(`CAPTURES_DIR has no recordings of ${tool}`);
      const files = readdirSync(path);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        try {
          check(readFileSync(join(path, file), 'utf8'), file);
        } catch (error) {
          throw new Error(`${tool}/${file}`, { cause: error });
        }
      }
    });
  }
});
