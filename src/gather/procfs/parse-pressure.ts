// /proc/pressure/memory (Documentation/accounting/psi.rst): the share of time in which tasks waited for memory.

import { type Reported, unknown } from '../../core/unknown.ts';

/** "some avg10" as a share, 0..1. */
export const parseStalledShare = (text: string): Reported<number> => {
  const percent = /^some avg10=(\d{1,3}(?:\.\d{1,6})?)(?:\s|$)/m.exec(text)?.[1];
  if (percent === undefined) return unknown('no "some avg10" in /proc/pressure/memory');
  return Math.min(1, Number(percent) / 100);
};
