// Thunderbolt on Linux: a peer on a cable, a dock with a peer behind it, an empty port, and machines without any.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  linuxThunderboltGatherer,
  readThunderbolt,
} from '../../../src/gather/thunderbolt/linux-thunderbolt-gatherer.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { recordedFiles } from '../../support/recorded-files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { isReading, runForTest } from '../gatherer-run.ts';
import { machineForTest } from '../machine-for-test.ts';
import { filesAt, plant, recordedTree } from '../recorded-tree.ts';

const TREE = recordedTree('sysfs/thunderbolt-peer-and-dock.json');

describe('Thunderbolt ports on Linux', () => {
  const ports = readThunderbolt(recordedFiles([TREE]))?.ports ?? [];

  it('are those of each controller, with and without something on them', () => {
    expect(ports.map(({ busName, status }) => [busName, status])).toEqual([
      ['domain0 port 1', 'connected'],
      ['domain0 port 3', 'empty'],
      ['domain1 port 1', 'connected'],
      ['domain1 port 3', 'connected'],
    ]);
  });

  it('report the peer on a cable, the rate of all its lanes and its interface', () => {
    expect(ports[0]).toMatchObject({
      domainUuid: 'A1B2C3D4-0001-8000-FFFF-FFFFFFFFFFFF',
      interfaceName: 'thunderbolt0',
      negotiatedBitsPerSecond: 40e9,
      capabilityBitsPerSecond: {
        kind: 'unknown',
        reason: 'controllers of both USB4 versions look the same here',
      },
      peers: [
        {
          domainUuid: 'A1B2C3D4-0002-8000-FFFF-FFFFFFFFFFFF',
          name: 'Linux node-b',
          isBehindHub: false,
          offersRdma: false,
        },
      ],
      devices: [],
    });
  });

  it('report a peer behind a dock as behind a hub, and the dock as a device', () => {
    expect(ports[2]).toMatchObject({
      capabilityBitsPerSecond: 40e9,
      negotiatedBitsPerSecond: 40e9,
      peers: [{ name: 'Apple Inc. Mac-e', isBehindHub: true, offersRdma: true }],
      devices: ['Dockmaker Dock Pro'],
    });
  });

  it('do not make a peer of a cable whose other end has not reported who it is', () => {
    expect(ports[3]).toMatchObject({
      status: 'connected',
      peers: [],
      negotiatedBitsPerSecond: { kind: 'unknown' },
    });
  });

  it('report nothing of a rate or a peer where nothing is connected', () => {
    expect(ports[1]).toMatchObject({
      peers: [],
      negotiatedBitsPerSecond: { kind: 'unknown', reason: 'nothing is connected' },
      interfaceName: { kind: 'unknown' },
    });
  });

  it('are one for an old controller that lists none', () => {
    const files = recordedFiles([filesAt({ '/sys/bus/thunderbolt/devices/domain0/security': 'user\n' })]);
    expect(readThunderbolt(files)?.ports).toMatchObject([{ busName: 'domain0', status: 'empty' }]);
  });

  it('crash no reader, for any attributes', () => {
    forAnyOutput(
      ['20.0 Gb/s', '2', 'a1b2c3d4-0001-8000-ffff-ffffffffffff', 'DEVTYPE=thunderbolt_xdomain'],
      text => {
        const files = Object.fromEntries(Object.keys(TREE.files).map(path => [path, text]));
        for (const { negotiatedBitsPerSecond: rate } of readThunderbolt(recordedFiles([{ ...TREE, files }]))
          ?.ports ?? []) {
          expect(typeof rate === 'number' ? rate > 0 : rate.reason).toBeTruthy();
        }
      },
    );
  });
});

describe('the Thunderbolt gatherer', () => {
  it('reports once that there is no controller', async () => {
    using root = temporaryDirectory();
    await using run = runForTest([
      linuxThunderboltGatherer(machineForTest({ root: root.path, intervals: { thunderboltMs: 5 } })),
    ]);
    expect(await run.waitUntil(reported => reported.kind === 'absence', 'from start')).toMatchObject({
      about: 'thunderbolt',
      reason: 'no Thunderbolt controller',
    });
    plant(root.path, [TREE]);
    await run.waitUntil(
      reported => isReading('thunderbolt')(reported) && reported.reading.value.ports.length === 4,
    );
    expect(run.reported.filter(reported => reported.kind === 'absence')).toHaveLength(1);
  });

  it('sees a cable pulled', async () => {
    using root = temporaryDirectory();
    plant(root.path, [TREE]);
    await using run = runForTest([
      linuxThunderboltGatherer(machineForTest({ root: root.path, intervals: { thunderboltMs: 5 } })),
    ]);
    await run.waitFor(isReading('thunderbolt'), 'from start');
    for (const name of ['0-1', '0-1.0'])
      rmSync(join(root.path, '/sys/bus/thunderbolt/devices', name), { recursive: true });
    await run.waitUntil(
      reported => isReading('thunderbolt')(reported) && reported.reading.value.ports[0]?.status === 'empty',
    );
  });
});
