// Memory, system and GPU load from one streaming child, `macmon pipe`. When it is missing, breaks or falls silent,
// memory comes from `vm_stat <interval>` (also streaming) and processor use from the system's own counters, so that a
// broken sensor tool never hides how full a machine is; what only macmon knows says why it is unknown.

import { streamLines, ToolError } from '../../process/child.ts';
import type { GatheredKind, Gatherer, GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { ProcessorMeter } from '../macos-host.ts';
import { poll, runBeside } from '../poll.ts';
import { type MemoryGauge, memoryGaugeUnknown, readMemoryGauge } from '../sysctl/memory-gauge.ts';
import { gatherWithoutMacmon } from '../vm-stat/without-macmon.ts';
import { macmonGpuLoads, macmonMemory, macmonSystem } from './macmon-readings.ts';
import { parseMacmonLine } from './parse-macmon.ts';

export const macmonGatherer = (machine: MachineAccess): Gatherer => ({
  name: 'macmon',
  tells: [MEMORY, SYSTEM, GPU_LOADS],
  // Not memory's half a second: macmon reads every power and temperature sensor for each line, so that it would cost twice.
  intervalMs: machine.intervals.systemMs,
  gather: session => {
    let gauge = memoryGaugeUnknown('not read yet');
    return runBeside(
      session.signal,
      signal => gatherTelemetry({ ...session, signal }, machine, () => gauge),
      signal =>
        poll({ ...session, signal }, machine.intervals.memoryGaugeMs, async () => {
          gauge = await readMemoryGauge({ env: machine.env, signal, timeoutMs: machine.timeouts.toolMs });
        }),
    );
  },
});

const gatherTelemetry = async (
  session: GatherSession,
  machine: MachineAccess,
  gauge: () => MemoryGauge,
): Promise<void> => {
  const { macmonRetryMs, macmonRetryMsMax } = machine.timeouts;
  let retryMs = macmonRetryMs;
  while (!session.signal.aborted) {
    const ending = await streamMacmon(session, machine, gauge);
    if (session.signal.aborted) return;
    if (ending.sampleCount >= SAMPLES_OF_A_GOOD_RUN) retryMs = macmonRetryMs;
    const pauseMs = ending.isMissing ? macmonRetryMsMax : retryMs;
    // The system reading goes on with what is left; the GPU's stops here, with the reason.
    session.fail(GPU_LOADS, 'macmon', ending.reason);
    await gatherWithoutMacmon(session, machine, { reason: ending.reason, durationMs: pauseMs, gauge });
    retryMs = Math.min(retryMs * 2, macmonRetryMsMax);
  }
};

interface MacmonEnding {
  readonly reason: string;
  readonly isMissing: boolean;
  readonly sampleCount: number;
}

/** Until macmon ends, for whatever reason. */
const streamMacmon = async (
  session: GatherSession,
  { env, host, intervals, timeouts }: MachineAccess,
  gauge: () => MemoryGauge,
): Promise<MacmonEnding> => {
  const meter = new ProcessorMeter(() => host.processorTimes());
  let sampleCount = 0;
  let badInARow = 0;
  try {
    const lines = streamLines('macmon', ['pipe', '--interval', String(intervals.systemMs)], {
      env,
      signal: session.signal,
      idleTimeoutMs: timeouts.silentMs,
      lineBytesMax: LINE_BYTES_MAX,
      linesPerSecondMax: LINES_PER_SECOND_MAX,
    });
    for await (const line of lines) {
      const sample = parseMacmonLine(line);
      if (sample.kind === 'unanswered') {
        // One bad line is a hiccup; several are another program or a version this one does not know.
        if (++badInARow >= BAD_LINES_MAX) return { reason: sample.reason, isMissing: false, sampleCount };
        continue;
      }
      badInARow = 0;
      sampleCount++;
      session.emit('macmon', macmonMemory(sample.value, host, gauge()));
      session.emit('macmon', macmonSystem(sample.value, host, meter.use()));
      session.emit('macmon', macmonGpuLoads(sample.value));
    }
    return { reason: 'macmon ended', isMissing: false, sampleCount };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const isMissing = error.code === 'missing';
    return { reason: isMissing ? MACMON_MISSING : error.message, isMissing, sampleCount };
  }
};

const MEMORY: GatheredKind = { reading: 'memory', vendor: 'none' };
const SYSTEM: GatheredKind = { reading: 'system', vendor: 'none' };
const GPU_LOADS: GatheredKind = { reading: 'gpuLoads', vendor: 'apple' };
const MACMON_MISSING = 'macmon is not installed: brew install macmon';
const BAD_LINES_MAX = 5;
/** macmon that lived this long was well: its next failure is retried soon again. */
const SAMPLES_OF_A_GOOD_RUN = 30;
/** A line of 0.8 on the largest chips has some 6 KB. */
const LINE_BYTES_MAX = 256 * 1024;
/** It prints one each interval, of 10 ms at the least. */
const LINES_PER_SECOND_MAX = 1_000;
