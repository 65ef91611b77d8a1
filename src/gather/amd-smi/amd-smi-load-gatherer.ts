// Load of AMD devices where sysfs does not report it (a device passed to a virtual machine): one long-running amd-smi.
// If sysfs reports it, or the tool does not answer, this gatherer has nothing to report.

import { findAmdCards } from '../amdgpu/amd-card.ts';
import { isMute, readAmdLoad } from '../amdgpu/read-amd-load.ts';
import type { Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { parseAmdSmiMetric, parseAmdSmiStatic } from './parse-amd-smi.ts';
import { JsonSplitter, jsonDocuments } from './tool-json.ts';

export const amdSmiLoadGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'amd-smi',
  reports: [KIND],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    const loads = await Promise.all((await findAmdCards(machine.root)).map(readAmdLoad));
    if (loads.length === 0 || !loads.every(isMute)) return;
    const addresses = await amdSmiAddresses(machine, session.signal);
    if (addresses.length > 0) await streamAmdSmi(addresses, machine, session);
  },
});

const streamAmdSmi = async (
  addresses: readonly string[],
  { tools, intervals, timeouts }: MachineAccess,
  session: GatherSession,
): Promise<void> => {
  const seconds = String(Math.max(1, Math.round(intervals.gpuMs / 1000)));
  const splitter = new JsonSplitter();
  let reportedAtMs = session.clock.nowMs();
  for await (const line of tools.lines('amd-smi', ['metric', '-w', seconds, '--json'], {
    // It is a Python program, and Python buffers output to a pipe up to 8 KiB.
    variables: { PYTHONUNBUFFERED: '1' },
    signal: session.signal,
    idleTimeoutMs: timeouts.gpuSilentMs,
    linesPerSecondMax: LINES_PER_SECOND_MAX,
  })) {
    for (const document of splitter.add(line)) {
      const devices = parseAmdSmiMetric(document, addresses);
      if (devices.length === 0) continue;
      reportedAtMs = session.clock.nowMs();
      session.emit(AMD_SMI, { kind: 'gpuLoads', value: { vendor: 'amd', devices } });
    }
    // Lines that never become figures do not count as activity.
    if (session.clock.nowMs() - reportedAtMs > timeouts.gpuSilentMs)
      throw new Error('amd-smi prints no figures');
  }
};

/** PCI addresses in amd-smi's own order, in which its loads are numbered; none if it does not answer. */
const amdSmiAddresses = async (
  { tools, timeouts }: MachineAccess,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const result = await tools.run('amd-smi', ['static', '--json'], {
    signal,
    timeoutMs: timeouts.gpuToolMs,
  });
  if (result.kind !== 'exited') return [];
  const devices = jsonDocuments(result.stdout).flatMap(parseAmdSmiStatic);
  return devices.map((device, index) => device.address ?? `amd-${index}`);
};

const AMD_SMI = 'amd-smi';
/** Some 300 lines of JSON a device; 256 devices. */
const LINES_PER_SECOND_MAX = 100_000;
const KIND = { reading: 'gpuLoads', vendor: 'amd' } as const;
