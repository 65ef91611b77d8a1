// Memory, system and GPU load of a Mac from one streaming child, `macmon pipe`. If it is missing, breaks or reports
// nothing, vm-stat replaces it for what the system itself reports; the GPU's load stops, with the reason.

import { ToolError } from '../../process/child.ts';
import { type GatheredKind, type Gatherer, type GatherSession, sourceFailed } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { ProcessorMeter } from '../machine-host.ts';
import { runConcurrently } from '../poll.ts';
import type { MemoryGauges } from '../sysctl/memory-gauge.ts';
import { macmonGpuLoads, macmonMemory, macmonSystem } from './macmon-readings.ts';
import { parseMacmonLine } from './parse-macmon.ts';

export const macmonGatherer = (machine: MachineAccess, gauges: MemoryGauges): Gatherer => ({
  name: 'macmon',
  reports: [MEMORY, SYSTEM, GPU_LOADS],
  // Not memory's half a second: macmon reads every power and temperature sensor for each line, so that would cost twice
  // as much.
  intervalMs: machine.intervals.systemMs,
  gather: session =>
    runConcurrently(
      session.signal,
      signal => streamMacmon({ ...session, signal }, machine, gauges),
      signal => gauges.run({ clock: session.clock, signal }),
    ),
});

/** @throws Error with the reason when macmon is missing, exits, falls silent or prints something else. */
const streamMacmon = async (
  session: GatherSession,
  { tools, host, intervals, timeouts }: MachineAccess,
  gauges: MemoryGauges,
): Promise<void> => {
  const meter = new ProcessorMeter(() => host.processorTimes());
  let badInARow = 0;
  try {
    const lines = tools.lines('macmon', ['pipe', '--interval', String(intervals.systemMs)], {
      signal: session.signal,
      idleTimeoutMs: timeouts.silentMs,
      lineBytesMax: LINE_BYTES_MAX,
      linesPerSecondMax: LINES_PER_SECOND_MAX,
    });
    for await (const line of lines) {
      const sample = parseMacmonLine(line);
      if (sample.kind === 'unanswered') {
        // One bad line is a hiccup; several are another program or a version this one does not know.
        if (++badInARow >= BAD_LINES_MAX) throw new Error(sample.reason);
        continue;
      }
      badInARow = 0;
      session.emit('macmon', macmonMemory(sample.value, host, gauges.last));
      session.emit('macmon', macmonSystem(sample.value, host, meter.use()));
      session.emit('macmon', macmonGpuLoads(sample.value));
    }
  } catch (error) {
    if (error instanceof ToolError && error.code === 'tool-missing')
      throw sourceFailed(MACMON_MISSING, 'macmon-missing', { cause: error });
    throw error;
  }
};

const MEMORY: GatheredKind = { reading: 'memory', vendor: 'none' };
const SYSTEM: GatheredKind = { reading: 'system', vendor: 'none' };
const GPU_LOADS: GatheredKind = { reading: 'gpuLoads', vendor: 'apple' };
const MACMON_MISSING = 'macmon is not installed: brew install macmon';
const BAD_LINES_MAX = 5;
/** A line of 0.8 on the largest chips has some 6 KB. */
const LINE_BYTES_MAX = 256 * 1024;
/** It prints one per interval, of at least 10 ms. */
const LINES_PER_SECOND_MAX = 1_000;
