// Memory and system of a Mac without macmon: `vm_stat <interval>` streams the page counts, and the rest comes from the
// system's own counters, so only the streaming process is started. A broken sensor tool thus never hides how full a
// machine is; values that only macmon reports are unknown with that reason.

import type { Reading } from '../../core/node/reading.ts';
import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { ToolError } from '../../process/child.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { type MachineHost, ProcessorMeter } from '../machine-host.ts';
import { macosMemory } from '../macmon/macmon-readings.ts';
import { poll, runConcurrently } from '../poll.ts';
import type { MemoryGauge, MemoryGauges } from '../sysctl/memory-gauge.ts';
import { toolText } from '../tool-output.ts';
import { parseVmStat, usedBytesOf, VmStatReader } from './parse-vm-stat.ts';

export const vmStatGatherer = (machine: MachineAccess, gauges: MemoryGauges): Gatherer => ({
  name: 'vm_stat',
  reports: [MEMORY, SYSTEM],
  intervalMs: machine.intervals.systemMs,
  gather: session => {
    const { host, intervals } = machine;
    const meter = new ProcessorMeter(() => host.processorTimes());
    return runConcurrently(
      session.signal,
      signal => gatherMemory({ ...session, signal }, machine, () => gauges.last),
      signal =>
        Promise.all([
          gauges.run({ clock: session.clock, signal }),
          poll({ clock: session.clock, signal }, intervals.systemMs, () => {
            session.emit(
              'macOS',
              fallbackSystem(host, meter.use(), session.fallbackReason() ?? NOT_REPORTED),
            );
          }),
        ]),
    );
  },
});

export const fallbackMemory = (usedBytes: Reported<number>, host: MachineHost, gauge: MemoryGauge): Reading =>
  macosMemory({
    totalBytes: host.memoryTotalBytes(),
    usedBytes,
    swapTotalBytes: gauge.swap.totalBytes,
    swapUsedBytes: gauge.swap.usedBytes,
    gauge,
  });

const fallbackSystem = (host: MachineHost, processorUse: Reported<number>, why: Unknown): Reading => ({
  kind: 'system',
  value: {
    cpuUse: processorUse,
    cpuTemperatureCelsius: why,
    cpuPowerWatts: why,
    systemPowerWatts: why,
    loadAverage1: host.loadAverage1(),
    uptimeSeconds: host.uptimeSeconds(),
    cpuClusters: [],
  },
});

const gatherMemory = async (
  session: GatherSession,
  machine: MachineAccess,
  gauge: () => MemoryGauge,
): Promise<void> => {
  const { tools, host, intervals, timeouts } = machine;
  const why = await streamMemory(session, machine, gauge);
  if (session.signal.aborted) return;
  // Without the stream, single reads remain, rare enough for one process each.
  await poll(session, 2 * intervals.systemMs, async signal => {
    const text = await toolText('vm_stat', [], { tools, signal, timeoutMs: timeouts.toolMs });
    const pages = text.kind === 'answered' ? parseVmStat(text.value) : undefined;
    const used = pages === undefined ? why : usedBytesOf(pages);
    session.emit('vm_stat', fallbackMemory(used, host, gauge()));
  });
};

/** Until vm_stat exits; returns why. */
const streamMemory = async (
  session: GatherSession,
  { tools, host, intervals, timeouts }: MachineAccess,
  gauge: () => MemoryGauge,
): Promise<Unknown> => {
  const seconds = Math.max(1, Math.round(intervals.systemMs / 1_000));
  const reader = new VmStatReader();
  let badInARow = 0;
  try {
    const lines = tools.lines('vm_stat', [String(seconds)], {
      signal: session.signal,
      idleTimeoutMs: timeouts.silentMs,
      lineBytesMax: LINE_BYTES_MAX,
    });
    for await (const line of lines) {
      const pages = reader.read(line);
      if (pages === undefined) {
        if (++badInARow >= BAD_LINES_MAX)
          return unknown('vm_stat printed something this version cannot read');
        continue;
      }
      badInARow = 0;
      session.emit('vm_stat', fallbackMemory(usedBytesOf(pages), host, gauge()));
    }
    return unknown('vm_stat exited');
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return unknown(error.message, error.code);
  }
};

const MEMORY: GatheredKind = { reading: 'memory', vendor: 'none' };
const SYSTEM: GatheredKind = { reading: 'system', vendor: 'none' };
const NOT_REPORTED = unknown('only macmon reports it');
/** Title and names are two lines without figures. */
const BAD_LINES_MAX = 6;
const LINE_BYTES_MAX = 16 * 1024;
