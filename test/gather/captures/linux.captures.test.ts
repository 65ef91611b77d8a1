// Every recording of /proc, /sys and ip in CAPTURES_DIR, through its parser. The recordings are not part of
// this repository; what they taught is in the fixtures of the other tests.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isKnown } from '../../../src/core/unknown.ts';
import { readSysfsRdma } from '../../../src/gather/infiniband/linux-rdma-gatherer.ts';
import { parseIpAddr } from '../../../src/gather/ip/parse-ip-addr.ts';
import { readInterfaces } from '../../../src/gather/ip/read-interfaces.ts';
import { parseStalledShare } from '../../../src/gather/procfs/linux-memory-gatherer.ts';
import { parseCpuinfo } from '../../../src/gather/procfs/parse-cpuinfo.ts';
import { parseMeminfo } from '../../../src/gather/procfs/parse-meminfo.ts';
import { parseStat } from '../../../src/gather/procfs/parse-stat.ts';
import { type RecordedTree, recordedFiles } from '../../support/recorded-files.ts';

const CHECKS: Readonly<Record<string, (text: string, file: string) => Promise<void> | void>> = {
  procfs: (text, file) => {
    const [kind] = file.split('-');
    if (kind === 'meminfo') {
      const { totalBytes, availableBytes } = parseMeminfo(text);
      expect(isKnown(totalBytes) && isKnown(availableBytes) && availableBytes < totalBytes).toBe(true);
    } else if (kind === 'cpuinfo') {
      expect(parseCpuinfo(text).chip).toBe(
        file.includes('gb10') ? '1 × Cortex-X925, 1 × Cortex-A725' : 'AMD EPYC',
      );
    } else if (kind === 'pressure') {
      expect(parseStalledShare(text)).toBeCloseTo(file.includes('starved') ? 0.3806 : 0, 6);
    } else {
      expect(kind).toBe('stat');
      expect(parseStat(text)?.each.size).toBe(2);
    }
  },
  sysfs: async (text, file) => {
    const tree: RecordedTree = JSON.parse(text);
    const files = recordedFiles([tree]);
    if (file.startsWith('infiniband')) {
      const { devices } = await readSysfsRdma(files);
      const states = devices.flatMap(device => device.ports).map(port => port.state);
      expect(states).toEqual(RDMA_STATES[file]);
      return;
    }
    const names = files.namesNow('/sys/class/net');
    if ('kind' in names) throw new Error(names.reason);
    const interfaces = await readInterfaces(files, names, new Map());
    expect(interfaces.length).toBe(names.length);
    for (const item of interfaces) expect(isKnown(item.type)).toBe(true);
    const speeds = interfaces.flatMap(item =>
      isKnown(item.speedBitsPerSecond) ? [[item.name, item.speedBitsPerSecond / 1e9]] : [],
    );
    expect(Object.fromEntries(speeds)).toEqual(GIGABITS[file]);
  },
  ip: (text, file) => {
    const table = parseIpAddr(text);
    expect(table.kind).toBe(file.endsWith('.json') ? 'answered' : 'unanswered');
    if (file !== 'addr.json' || table.kind !== 'answered') return;
    expect(Object.fromEntries([...table.value].map(([name, list]) => [name, list.length]))).toEqual({
      lo: 2,
      eno1: 3,
      thunderbolt0: 2,
      thunderbolt1: 0,
      enp1s0f0np0: 2,
      usb0: 0,
    });
  },
};

const RDMA_STATES: Readonly<Record<string, readonly unknown[]>> = {
  'infiniband-gb10-roce.json': ['active', 'down', 'active', 'down'],
  'infiniband-h100-node-mlx5.json': ['active', 'active', 'down', 'initializing', 'down'],
  'infiniband-procfs-oddities.json': [
    'active',
    'active',
    { kind: 'unknown', reason: 'no /sys/class/infiniband/mlx5_0/ports/1/state' },
  ],
};

const GIGABITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'class-net-mixed-node.json': { eno1: 10, enp1s0f0np0: 200, bond0: 20 },
  'class-net-thunderbolt-new-kernel.json': { thunderbolt0: 80, thunderbolt1: 20 },
  'class-net-virtio-vm.json': {},
};

/** Their facts are read from sysfs, without a process; nothing here parses these tools. */
const UNUSED = ['ibstat', 'ibdev2netdev', 'rdma'];

describe('recorded files and tools of Linux', () => {
  const folder = process.env['CAPTURES_DIR'];
  for (const [tool, check] of Object.entries(CHECKS)) {
    it(`are parsed: every recording of ${tool}`, async context => {
      if (folder === undefined) return context.skip('CAPTURES_DIR is not set: no recordings to parse');
      const path = join(folder, tool);
      if (!existsSync(path)) return context.skip(`CAPTURES_DIR has no recordings of ${tool}`);
      const files = readdirSync(path);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        try {
          await check(readFileSync(join(path, file), 'utf8'), file);
        } catch (error) {
          throw new Error(`${tool}/${file}`, { cause: error });
        }
      }
    });
  }

  it('agree with what ibstat reports of the same devices', async context => {
    if (folder === undefined) return context.skip('CAPTURES_DIR is not set: no recordings to parse');
    for (const [sysfs, ibstat] of [
      ['infiniband-gb10-roce.json', 'gb10-roce.txt'],
      ['infiniband-h100-node-mlx5.json', 'h100-ndr.txt'],
    ]) {
      const tree: RecordedTree = JSON.parse(readFileSync(join(folder, 'sysfs', `${sysfs}`), 'utf8'));
      const { devices } = await readSysfsRdma(recordedFiles([tree]));
      const blocks = readFileSync(join(folder, 'ibstat', `${ibstat}`), 'utf8')
        .split(/^CA '/m)
        .slice(1);
      for (const block of blocks) {
        const device = devices.find(({ name }) => block.startsWith(`${name}'`));
        expect(block).toContain(`Node GUID: 0x${device?.nodeGuid}`);
        expect(block).toContain(`System image GUID: 0x${device?.systemImageGuid}`);
        expect(block.toLowerCase()).toContain(`\t\tstate: ${device?.ports[0]?.state}`);
        expect(block).toContain(`Physical state: ${device?.ports[0]?.physicalState}`);
      }
    }
  });

  it('of tools that are not used are named', context => {
    context.skip(`no parser for recordings of ${UNUSED.join(', ')}: sysfs has the same`);
  });
});
