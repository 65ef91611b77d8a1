// Machines for tests: what gatherers are given, with figures of a host that is not this one and times scaled down.

import {
  type MachineAccess,
  type MachineAccessOptions,
  machineAccess,
} from '../../src/gather/machine-access.ts';
import { type MachineHost, nodeHost } from '../../src/gather/machine-host.ts';
import { type MachinePath, OWN_TREE } from '../../src/gather/machine-path.ts';
import type { StandInTools } from './stand-in-tools.ts';

export const machineForTest = (over: Partial<MachineAccessOptions> = {}): MachineAccess =>
  machineAccess({ root: '/nowhere', env: {}, plimsollVersion: '1.2.3', ...over });

/** A folder as if it were the root of a machine. */
export const rootAt = (path: string): MachinePath => ({ tree: OWN_TREE, path });

export const macHost: MachineHost = {
  hostName: () => 'studio.local',
  architecture: () => 'arm64',
  memoryTotalBytes: () => 549_755_813_888,
  loadAverage1: () => 2.5,
  uptimeSeconds: () => 3_600,
  processorTimes: () => ({ busyMs: 0, totalMs: 0 }),
  networkInterfaces: () => ({}),
  kernelLog: 'followed',
  volumeSpace: nodeHost.volumeSpace,
};

export const macForTest = (tools: StandInTools, over: Partial<MachineAccessOptions> = {}): MachineAccess =>
  machineForTest({ env: tools.env, host: macHost, ...over });
