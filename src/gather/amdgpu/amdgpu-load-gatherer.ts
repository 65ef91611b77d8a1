// What the AMD devices do: sysfs, without a process. Where the driver tells nothing there (a device lent to a virtual
// machine), one amd-smi that stays is read instead.

import type { GpuLoad } from '../../core/node/gpu.ts';
import { isKnown } from '../../core/unknown.ts';
import { runTool, streamLines } from '../../process/child.ts';
import { parseAmdSmiMetric, parseAmdSmiStatic } from '../amd-smi/parse-amd-smi.ts';
import { JsonSplitter, jsonDocuments } from '../amd-smi/tool-json.ts';
import { ASLEEP, PCI_VENDORS } from '../drm/drm-cards.ts';
import { whyNoCard } from '../drm/pci-bus.ts';
import type { Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import type { AmdCard } from './amd-card.ts';
import { findAmdCards } from './amd-card.ts';
import { AMD_NAMES } from './amdgpu-inventory-gatherer.ts';
import { readAmdLoad } from './read-amd-load.ts';

export const amdgpuLoadGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'amd-loads',
  tells: [KIND],
  intervalMs: machine.intervals.gpuMs,
  gather: async session => {
    const cards = await findAmdCards(machine.root);
    if (cards.length === 0) {
      const reason = await whyNoCard(machine.root, PCI_VENDORS.amd, AMD_NAMES);
      if (reason !== undefined) throw new Error(reason);
      session.absent(KIND, SYSFS, 'no AMD GPU');
      return;
    }
    const first = await Promise.all(cards.map(readAmdLoad));
    const addresses = first.every(isMute) ? await amdSmiAddresses(machine, session.signal) : [];
    if (addresses.length > 0) await streamAmdSmi(addresses, machine, session);
    else await pollSysfs(machine, session);
  },
});

const pollSysfs = async (machine: MachineAccess, session: GatherSession): Promise<void> => {
  let cards: readonly AmdCard[] = [];
  let foundAtMs = Number.NEGATIVE_INFINITY;
  await poll(session, machine.intervals.gpuMs, async () => {
    if (session.clock.nowMs() - foundAtMs >= machine.intervals.identityMs) {
      cards = await findAmdCards(machine.root);
      foundAtMs = session.clock.nowMs();
    }
    const devices = await Promise.all(cards.map(readAmdLoad));
    if (devices.some(isMute)) foundAtMs = Number.NEGATIVE_INFINITY; // perhaps gone: look again before the next tick
    session.emit(SYSFS, { kind: 'gpuLoads', value: { vendor: 'amd', devices } });
  });
};

const streamAmdSmi = async (
  addresses: readonly string[],
  { env, intervals, timeouts }: MachineAccess,
  session: GatherSession,
): Promise<void> => {
  const seconds = String(Math.max(1, Math.round(intervals.gpuMs / 1000)));
  const splitter = new JsonSplitter();
  let toldAtMs = session.clock.nowMs();
  for await (const line of streamLines('amd-smi', ['metric', '-w', seconds, '--json'], {
    // It is a Python program, and those keep what they print to a pipe until they have 8 KiB of it.
    env: { ...env, PYTHONUNBUFFERED: '1' },
    signal: session.signal,
    idleTimeoutMs: timeouts.gpuSilentMs,
    linesPerSecondMax: LINES_PER_SECOND_MAX,
  })) {
    for (const document of splitter.add(line)) {
      const devices = parseAmdSmiMetric(document, addresses);
      if (devices.length === 0) continue;
      toldAtMs = session.clock.nowMs();
      session.emit(AMD_SMI, { kind: 'gpuLoads', value: { vendor: 'amd', devices } });
    }
    // Lines that never become figures are no life sign.
    if (session.clock.nowMs() - toldAtMs > timeouts.gpuSilentMs) throw new Error('amd-smi prints no figures');
  }
};

/** Nothing of what matters is told, and the card does not merely sleep. */
const isMute = (load: GpuLoad): boolean =>
  !isKnown(load.use) &&
  load.use.reason !== ASLEEP &&
  !isKnown(load.powerWatts) &&
  !isKnown(load.temperatureCelsius);

/** PCI addresses in amd-smi's own order, in which its loads are numbered; none where it does not answer. */
const amdSmiAddresses = async (
  { env, timeouts }: MachineAccess,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const result = await runTool('amd-smi', ['static', '--json'], {
    env,
    signal,
    timeoutMs: timeouts.gpuToolMs,
  });
  if (result.kind !== 'exited') return [];
  const devices = jsonDocuments(result.stdout).flatMap(parseAmdSmiStatic);
  return devices.map((device, index) => device.address ?? `amd-${index}`);
};

const SYSFS = 'sysfs amdgpu';
const AMD_SMI = 'amd-smi';
/** Some 300 lines of JSON a device; 256 devices. */
const LINES_PER_SECOND_MAX = 100_000;
const KIND = { reading: 'gpuLoads', vendor: 'amd' } as const;
