// GPUs of a machine that cannot be used: one that fell off the bus, or whose driver waits for a reset. They
// are listed apart from the devices, so that no sum, probe or expectation counts them, not even in a version
// without this list.

import * as v from 'valibot';
import { count, type Infer, openObject, reported, text } from '../schema.ts';
import { isKnown, knownOr } from '../unknown.ts';

export const FAILED_GPU_STATES = ['lost', 'needs-reset'] as const;

export const failedGpuSchema = openObject({
  /**
   * As before the failure, if its UUID is known; else its PCI address, or "unlisted-0" if that is not
   * reported either.
   */
  deviceId: text,
  name: text,
  /** As its tool numbers it. */
  index: reported(count),
  /** "0000:34:00.0" */
  pciAddress: reported(text),
  state: v.picklist(FAILED_GPU_STATES),
  /** What its driver or tool reports: "Unknown Error". */
  reason: text,
});

/** A type alias, so that it is assignable to `Reported`'s index signature. */
export type FailedGpu = Infer<typeof failedGpuSchema>;

export type FailedGpuState = (typeof FAILED_GPU_STATES)[number];

/** "GPU 1 (0000:34:00.0) is lost". */
export const failedGpuTitle = (gpu: FailedGpu): string => `${failedGpuLabel(gpu)} ${STATES[gpu.state].text}`;

/** "GPU 1 (0000:34:00.0)", or what is known of it. */
export const failedGpuLabel = ({ index, pciAddress, name }: FailedGpu): string => {
  const address = knownOr(pciAddress, '');
  if (isKnown(index)) return address === '' ? `GPU ${index}` : `GPU ${index} (${address})`;
  return address === '' ? name : `GPU ${address}`;
};

/** Text after the name of a device: "is lost". */
export const failedGpuText = ({ state }: Pick<FailedGpu, 'state'>): string => STATES[state].text;

/** Text without a name: "lost". */
export const failedGpuState = ({ state }: Pick<FailedGpu, 'state'>): string => STATES[state].short;

/** What a person can do about it. */
export const failedGpuAdvice = ({ state }: Pick<FailedGpu, 'state'>): string => STATES[state].advice;

const STATES: Readonly<
  Record<FailedGpuState, { readonly text: string; readonly short: string; readonly advice: string }>
> = {
  lost: {
    short: 'lost',
    text: 'is lost',
    advice:
      'What ran on it has failed. The kernel log names the cause (sudo dmesg -T | grep NVRM). Restart the machine; if it is lost again, check its power, slot and riser, or replace it.',
  },
  'needs-reset': {
    short: 'must be reset',
    text: 'must be reset',
    advice:
      'It computes nothing until then. Stop the programs that use it and reset it; if that fails, restart the machine.',
  },
};
