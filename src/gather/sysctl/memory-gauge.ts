// Memory pressure and swap, which neither macmon nor vm_stat report (macmon reports swap): one short sysctl every few
// seconds, cached in between, because pressure changes slowly and a process each second is too much for it.

import { type ReasonCode, type Reported, unknown } from '../../core/unknown.ts';
import type { GatherSession } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { toolText } from '../tool-output.ts';
import { parseSysctl, type SysctlValues } from './parse-sysctl.ts';

export interface MemoryGauge {
  readonly pressure: Reported<'normal' | 'warning' | 'critical'>;
  readonly swap: SwapUsage;
}

/** The last reading of the gauge, for all memory gatherers. */
export class MemoryGauges {
  readonly #machine: MachineAccess;
  #last: MemoryGauge = gaugeUnknown('not read yet');

  constructor(machine: MachineAccess) {
    this.#machine = machine;
  }

  get last(): MemoryGauge {
    return this.#last;
  }

  /** Reads it until the signal aborts. */
  async run(session: Pick<GatherSession, 'clock' | 'signal'>): Promise<void> {
    const { tools, intervals, timeouts } = this.#machine;
    await poll(session, intervals.memoryGaugeMs, async signal => {
      const names = ['vm.swapusage', 'kern.memorystatus_vm_pressure_level'];
      const text = await toolText('sysctl', ['-i', ...names], { tools, signal, timeoutMs: timeouts.toolMs });
      this.#last =
        text.kind === 'unanswered' ? gaugeUnknown(text.reason, text.code) : gaugeIn(parseSysctl(text.value));
    });
  }
}

const gaugeIn = (values: SysctlValues): MemoryGauge => ({
  pressure: pressureLevelIn(values),
  swap: swapUsageIn(values),
});

const gaugeUnknown = (reason: string, code?: ReasonCode): MemoryGauge => {
  const why = unknown(reason, code);
  return { pressure: why, swap: { totalBytes: why, usedBytes: why } };
};

interface SwapUsage {
  readonly totalBytes: Reported<number>;
  readonly usedBytes: Reported<number>;
}

/** vm.swapusage: "total = 10240.00M  used = 9689.94M  free = 550.06M  (encrypted)". M is 2^20 (Apple, sysctl.c). */
export const swapUsageIn = (values: SysctlValues): SwapUsage => {
  const text = values.get('vm.swapusage') ?? '';
  return { totalBytes: swapPart(text, 'total'), usedBytes: swapPart(text, 'used') };
};

/** kern.memorystatus_vm_pressure_level: 1, 2 or 4 (Apple, sys/event.h NOTE_MEMORYSTATUS_PRESSURE_…). */
export const pressureLevelIn = (values: SysctlValues): Reported<'normal' | 'warning' | 'critical'> => {
  switch (values.get('kern.memorystatus_vm_pressure_level')) {
    case '1':
      return 'normal';
    case '2':
      return 'warning';
    case '4':
      return 'critical';
    default:
      return unknown('sysctl does not report the pressure level');
  }
};

const swapPart = (text: string, name: 'total' | 'used'): Reported<number> => {
  // Locales other than C print a comma.
  const match = new RegExp(`\\b${name} = (\\d{1,12})[.,](\\d{1,6})([KMG])`).exec(text);
  const unitBytes = UNIT_BYTES.get(match?.[3] ?? '');
  if (match === null || unitBytes === undefined) return unknown('sysctl does not report the swap usage');
  const bytes = Math.round(Number(`${match[1]}.${match[2]}`) * unitBytes);
  return Number.isSafeInteger(bytes) ? bytes : unknown('sysctl reports more swap than a machine can have');
};

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['K', 1024],
  ['M', 1024 ** 2],
  ['G', 1024 ** 3],
]);
