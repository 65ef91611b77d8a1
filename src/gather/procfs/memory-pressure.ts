// How short of memory a machine is, in three levels. Stalls count first, because full memory that no task waits for is
// healthy; free memory counts too, because the last few percent go within seconds.

import type { MemoryPressure } from '../../core/node/memory.ts';
import { isUnknown, type Reported, unknown } from '../../core/unknown.ts';

interface PressureFacts {
  readonly stalledShare: Reported<number>;
  readonly totalBytes: number;
  readonly availableBytes: Reported<number>;
}

export const memoryPressure = ({
  stalledShare,
  totalBytes,
  availableBytes,
}: PressureFacts): MemoryPressure => ({
  level: levelOf(stalledShare, totalBytes, availableBytes),
  stalledShare,
});

/** Of the last 10 s. systemd-oomd acts from 60 % over 30 s; a person needs a warning long before. */
export const STALLED_SHARE_WARNING = 0.05;

export const STALLED_SHARE_CRITICAL = 0.2;

/** Of the total. */
export const AVAILABLE_SHARE_WARNING = 0.1;

export const AVAILABLE_SHARE_CRITICAL = 0.03;

const levelOf = (
  stalledShare: Reported<number>,
  totalBytes: number,
  availableBytes: Reported<number>,
): MemoryPressure['level'] => {
  if (isUnknown(stalledShare) && isUnknown(availableBytes)) return unknown(availableBytes.reason);
  const stalled = isUnknown(stalledShare) ? 0 : stalledShare;
  const available = isUnknown(availableBytes) || totalBytes === 0 ? 1 : availableBytes / totalBytes;
  if (stalled >= STALLED_SHARE_CRITICAL || available < AVAILABLE_SHARE_CRITICAL) return 'critical';
  if (stalled >= STALLED_SHARE_WARNING || available < AVAILABLE_SHARE_WARNING) return 'warning';
  return 'normal';
};

// /proc/pressure/memory (Documentation/accounting/psi.rst): the share of time in which tasks waited for memory.

/** "some avg10" as a share, 0..1. */
export const parseStalledShare = (text: string): Reported<number> => {
  const percent = /^some avg10=(\d{1,3}(?:\.\d{1,6})?)(?:\s|$)/m.exec(text)?.[1];
  if (percent === undefined) return unknown('no "some avg10" in /proc/pressure/memory');
  return Math.min(1, Number(percent) / 100);
};
