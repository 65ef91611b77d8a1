// A file of pressure stall information (Documentation/accounting/psi.rst): /proc/pressure/cpu, or cpu.pressure of a control
// group. Two lines, "some" and "full"; before Linux 5.13 the processor's file has only the first.

import type { Pressure, StalledTime } from '../../core/node/pressure.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { digitsIn, type FileText, isUnreadable, notRead } from '../machine-files.ts';

export const parsePressure = (text: FileText): Reported<Pressure> => {
  if (isUnreadable(text)) return notRead(text);
  const some = stalledTime(text, 'some');
  if (some === undefined) return unknown('not a pressure file: no line "some avg10=…"');
  return { some, full: stalledTime(text, 'full') ?? unknown('this kernel reports only "some"') };
};

const stalledTime = (text: string, which: 'some' | 'full'): StalledTime | undefined => {
  const [, ten, sixty, threeHundred, total] =
    new RegExp(
      `^${which} avg10=(${PERCENT}) avg60=(${PERCENT}) avg300=(${PERCENT}) total=(\\d{1,16})$`,
      'm',
    ).exec(text) ?? [];
  const totalMicroseconds = digitsIn(total);
  if (ten === undefined || sixty === undefined || threeHundred === undefined) return undefined;
  if (totalMicroseconds === undefined) return undefined;
  return {
    share10s: shareOf(ten),
    share60s: shareOf(sixty),
    share300s: shareOf(threeHundred),
    totalMicroseconds,
  };
};

/** Two decimals, as the kernel prints them. */
const shareOf = (percent: string): number => Math.min(1, Math.round(Number(percent) * 100) / 10_000);

const PERCENT = '\\d{1,3}\\.\\d{1,6}';
