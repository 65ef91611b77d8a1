// Memory and system while macmon is not to be had: `vm_stat <interval>` streams the page counts, and the rest comes
// from the system's own counters, so that no process is started but the one that streams.

import { unknown } from '../../core/unknown.ts';
import { streamLines, ToolError } from '../../process/child.ts';
import type { GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { fallbackMemory, fallbackSystem } from '../macmon/macmon-readings.ts';
import { ProcessorMeter } from '../macos-host.ts';
import { poll, runBeside } from '../poll.ts';
import type { MemoryGauge } from '../sysctl/memory-gauge.ts';
import { toolText } from '../tool-output.ts';
import { parseVmStat, usedBytesOf, VmStatReader } from './parse-vm-stat.ts';

export interface WithoutMacmon {
  /** Why macmon is not to be had. */
  readonly reason: string;
  /** Until it is tried again. */
  readonly durationMs: number;
  readonly gauge: () => MemoryGauge;
}

/** Returns after `durationMs`, or when the session aborts. */
export const gatherWithoutMacmon = async (
  session: GatherSession,
  machine: MachineAccess,
  without: WithoutMacmon,
): Promise<void> => {
  const meter = new ProcessorMeter(() => machine.host.processorTimes());
  await runBeside(
    session.signal,
    signal => session.clock.sleep(without.durationMs, signal),
    signal => {
      const own: GatherSession = { ...session, signal };
      return Promise.all([
        gatherMemory(own, machine, without),
        poll(own, machine.intervals.systemMs, () => {
          own.emit('macOS', fallbackSystem(machine.host, meter.use(), without.reason));
        }),
      ]);
    },
  );
};

const gatherMemory = async (
  session: GatherSession,
  machine: MachineAccess,
  without: WithoutMacmon,
): Promise<void> => {
  const { env, host, intervals, timeouts } = machine;
  const reason = await streamMemory(session, machine, without);
  if (session.signal.aborted) return;
  // Without the stream single looks are left, seldom enough for a process each.
  await poll(session, 2 * intervals.systemMs, async signal => {
    const text = await toolText('vm_stat', [], { env, signal, timeoutMs: timeouts.toolMs });
    const pages = text.kind === 'answered' ? parseVmStat(text.value) : undefined;
    const used = pages === undefined ? unknown(reason) : usedBytesOf(pages);
    session.emit('vm_stat', fallbackMemory(used, host, without.gauge()));
  });
};

/** Until vm_stat ends; why it did. */
const streamMemory = async (
  session: GatherSession,
  { env, host, intervals, timeouts }: MachineAccess,
  without: WithoutMacmon,
): Promise<string> => {
  const seconds = Math.max(1, Math.round(intervals.systemMs / 1_000));
  const reader = new VmStatReader();
  let badInARow = 0;
  try {
    const lines = streamLines('vm_stat', [String(seconds)], {
      env,
      signal: session.signal,
      idleTimeoutMs: timeouts.silentMs,
      lineBytesMax: LINE_BYTES_MAX,
    });
    for await (const line of lines) {
      const pages = reader.read(line);
      if (pages === undefined) {
        if (++badInARow >= BAD_LINES_MAX) return 'vm_stat printed what this version cannot read';
        continue;
      }
      badInARow = 0;
      session.emit('vm_stat', fallbackMemory(usedBytesOf(pages), host, without.gauge()));
    }
    return 'vm_stat ended';
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return error.message;
  }
};

/** Title and names are two lines without figures. */
const BAD_LINES_MAX = 6;
const LINE_BYTES_MAX = 16 * 1024;
