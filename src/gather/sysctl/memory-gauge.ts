// Memory pressure and swap, which neither macmon nor vm_stat tell (macmon tells swap): one short sysctl every few
// seconds, remembered in between, because pressure moves slowly and a process a second is too much for it.

import { type Reported, unknown } from '../../core/unknown.ts';
import { type ToolContext, toolText } from '../tool-text.ts';
import { parseSysctl, pressureLevelIn, type SwapUsage, swapUsageIn } from './parse-sysctl.ts';

export interface MemoryGauge {
  readonly pressure: Reported<'normal' | 'warning' | 'critical'>;
  readonly swap: SwapUsage;
}

export const readMemoryGauge = async (context: ToolContext): Promise<MemoryGauge> => {
  const text = await toolText(
    'sysctl',
    ['-i', 'vm.swapusage', 'kern.memorystatus_vm_pressure_level'],
    context,
  );
  if (text.kind === 'unreadable') return memoryGaugeUnknown(text.reason);
  const values = parseSysctl(text.value);
  return { pressure: pressureLevelIn(values), swap: swapUsageIn(values) };
};

export const memoryGaugeUnknown = (reason: string): MemoryGauge => ({
  pressure: unknown(reason),
  swap: { totalBytes: unknown(reason), usedBytes: unknown(reason) },
});
