// The bit mask of clock event reasons (nvml.h, nvmlClocksEventReason*) in NVIDIA's words. Idle, bit 0, is left out:
// a clock that is low because nothing runs is not held down.

import type { Reported } from '../../core/unknown.ts';
import { isUnknown, unknown } from '../../core/unknown.ts';

/** `mask` as nvidia-smi prints it: "0x0000000000000004". */
export const throttleReasons = (mask: Reported<string>): Reported<readonly string[]> => {
  if (isUnknown(mask)) return mask;
  if (!/^0x[0-9a-f]{1,16}$/i.test(mask)) return unknown(`not a bit mask: ${mask.slice(0, 40)}`);
  let rest = BigInt(mask) & ~IDLE;
  const reasons: string[] = [];
  for (const [bit, reason] of REASONS) {
    if ((rest & bit) !== 0n) reasons.push(reason);
    rest &= ~bit;
  }
  if (rest !== 0n) reasons.push(`unnamed reason 0x${rest.toString(16)}`);
  return reasons;
};

const IDLE = 0x1n;
const REASONS: readonly (readonly [bit: bigint, reason: string])[] = [
  [0x2n, 'applications clocks setting'],
  [0x4n, 'SW power cap'],
  [0x8n, 'HW slowdown'],
  [0x10n, 'sync boost'],
  [0x20n, 'SW thermal slowdown'],
  [0x40n, 'HW thermal slowdown'],
  [0x80n, 'HW power brake slowdown'],
  [0x100n, 'display clock setting'],
];
