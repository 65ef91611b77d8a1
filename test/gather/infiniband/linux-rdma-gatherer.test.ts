// RDMA devices as sysfs shows them on nodes with InfiniBand, RoCE and drivers with habits of their own.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RdmaDevice, RdmaPort } from '../../../src/core/node/rdma-devices.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { linuxRdmaGatherer, readSysfsRdma } from '../../../src/gather/infiniband/linux-rdma-gatherer.ts';
import {
  parseGuid,
  parseLinkLayer,
  parsePhysicalState,
  parsePortState,
  parseRate,
  parseSubnetPrefix,
} from '../../../src/gather/infiniband/parse-port.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { plant, recordedTree } from '../recorded-tree.ts';

const TREES = [
  recordedTree('sysfs/infiniband-mixed.json'),
  recordedTree('sysfs/class-net-two-port-hca.json'),
];

describe('RDMA devices', () => {
  it('are listed in the order of their numbers', async () => {
    const { isEnabled, devices } = await readSysfsRdma(recordedFiles(TREES));
    expect(isEnabled).toBe(true);
    expect(devices.map(({ name }) => name)).toEqual([
      'hfi1_0',
      'mlx4_0',
      'mlx5_2',
      'mlx5_3',
      'mlx5_10',
      'rocep1s0f0',
      'rocep1s0f1',
      'roceP2p1s0f0',
    ]);
  });

  it('report an InfiniBand port with its rate, subnet and interface', async () => {
    expect(await deviceNamed('mlx5_2')).toEqual({
      name: 'mlx5_2',
      nodeGuid: '0211220300440200',
      systemImageGuid: '0211220300440200',
      firmware: '28.41.1000',
      ports: [
        {
          number: 1,
          state: 'active',
          physicalState: 'LinkUp',
          linkLayer: 'infiniband',
          rateBitsPerSecond: 400e9,
          activeMtuBytes: { kind: 'unknown', reason: 'sysfs does not report it' },
          interfaceName: 'ibp42s0',
          subnetPrefix: 'fe80:0000:0000:0001',
        },
      ],
    });
  });

  it('that are halves of one RoCE port share their system image', async () => {
    const halves = [await deviceNamed('rocep1s0f0'), await deviceNamed('roceP2p1s0f0')];
    expect(halves.map(half => half.systemImageGuid)).toEqual(['0211220300551230', '0211220300551230']);
    expect(halves.map(half => half.ports[0]?.interfaceName)).toEqual(['enp1s0f0np0', 'enP2p1s0f0np0']);
    expect(halves[0]?.ports[0]?.linkLayer).toBe('ethernet');
    expect(isUnknown(halves[0]?.ports[0]?.subnetPrefix)).toBe(true);
  });

  it('report no rate of a port that is down, for any text in its file', async () => {
    for (const name of ['mlx5_10', 'rocep1s0f1']) {
      expect((await portOf(name)).rateBitsPerSecond).toEqual({ kind: 'unknown', reason: 'the port is down' });
    }
  });

  it('report that a port waits for its subnet manager, and has no subnet yet', async () => {
    expect(await portOf('mlx5_3')).toMatchObject({
      state: 'initializing',
      subnetPrefix: { kind: 'unknown', reason: 'GID 0 is not set' },
    });
  });

  it('have no GUID that is only zeros', async () => {
    expect((await deviceNamed('rocep1s0f1')).nodeGuid).toEqual({ kind: 'unknown', reason: 'not set' });
  });

  it('leave unknown what an odd driver leaves out, and keep the rest', async () => {
    expect(await portOf('hfi1_0')).toMatchObject({
      state: { kind: 'unknown', reason: 'port state 5: ACTIVE_DEFER' },
      physicalState: { kind: 'unknown' },
      linkLayer: { kind: 'unknown' },
      rateBitsPerSecond: 100e9,
    });
    const device = await deviceNamed('mlx4_0');
    expect(device.firmware).toMatchObject({ kind: 'unknown' });
    expect(device.ports).toMatchObject([
      { number: 1, state: 'armed', linkLayer: 'infiniband', rateBitsPerSecond: 2.5e9, interfaceName: 'ib0' },
      { number: 2, state: 'active', rateBitsPerSecond: 56e9, interfaceName: 'ib1' },
    ]);
  });

  it('crash no parser, for any text', () => {
    forAnyOutput(['4: ACTIVE', '5: LinkUp', '200 Gb/sec (4X NDR)', '0200:0003:00f9:4230'], text => {
      const state = parsePortState(text);
      parsePhysicalState(text);
      parseLinkLayer(text);
      parseGuid(text);
      parseSubnetPrefix(text, 'infiniband');
      const rate = parseRate(text, state);
      expect(isUnknown(rate) || (rate > 0 && Number.isSafeInteger(rate))).toBe(true);
    });
  });
});

describe('the RDMA gatherer', () => {
  it('reports once that there is nothing, and later what a driver adds', async () => {
    using root = temporaryDirectory();
    await using run = runForTest([
      linuxRdmaGatherer(machineForTest({ root: root.path, intervals: { rdmaMs: 10 } })),
    ]);
    expect(await run.waitUntil(reported => reported.kind === 'absence', 'from start')).toMatchObject({
      about: 'rdmaDevices',
      reason: 'the kernel has no RDMA devices',
    });
    mkdirSync(join(root.path, '/sys/class/infiniband'), { recursive: true });
    const empty = await run.waitFor(isReading('rdmaDevices'));
    expect(empty.reading.value).toEqual({ isEnabled: false, devices: [] });
    expect(run.reported.filter(reported => reported.kind === 'absence')).toHaveLength(1);

    plant(root.path, TREES);
    await run.waitUntil(
      reported => isReading('rdmaDevices')(reported) && reported.reading.value.devices.length === 8,
    );
    rmSync(join(root.path, '/sys/class/infiniband'), { recursive: true });
    await run.waitUntil(reported => reported.kind === 'absence');
  });
});

const deviceNamed = async (name: string): Promise<RdmaDevice> => {
  const { devices } = await readSysfsRdma(recordedFiles(TREES));
  const found = devices.find(device => device.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

const portOf = async (name: string): Promise<RdmaPort> => {
  const port = (await deviceNamed(name)).ports[0];
  if (port === undefined) throw new Error(`${name} has no port`);
  return port;
};
