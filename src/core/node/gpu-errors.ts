// Errors of GPUs in the kernel's log: what NVIDIA's driver calls Xid and SXid, by number and device, and
// resets of AMD's and Intel's GPUs. The log of this start of the machine, as far back as the kernel stores
// it.

import * as v from 'valibot';
import { count, figure, type Infer, list, openObject, reportedBySome, text } from '../schema.ts';
import { knownOr } from '../unknown.ts';
import { gathered } from './gathered.ts';

export const GPU_ERROR_CLASSES = ['xid', 'sxid', 'reset', 'reset-failed'] as const;

/** An error of a GPU by NVIDIA's driver, one of an NVSwitch, a reset of an AMD or Intel GPU, and one that did not succeed. */
export type GpuErrorKind = (typeof GPU_ERROR_CLASSES)[number];

const gpuErrorSchema = openObject({
  /** PCI address as the driver writes it: "0000:1b:00". */
  address: text,
  /** The number of an Xid or SXid; 0 if there is none. */
  xid: count,
  kind: reportedBySome(v.picklist(GPU_ERROR_CLASSES)),
  count,
  /** Age of the newest of them at the reading. */
  newestAgeMs: figure,
  /** What the driver wrote after the number, in the newest one. */
  text,
});

export type GpuError = Infer<typeof gpuErrorSchema>;

const gpuErrorsSchema = openObject({
  /** One per device and number, newest first. */
  errors: list(gpuErrorSchema),
});

export type NodeGpuErrors = Infer<typeof gpuErrorsSchema>;

export const gpuErrorKind = ({ kind }: Pick<GpuError, 'kind'>): GpuErrorKind =>
  kind === undefined ? 'xid' : knownOr(kind, 'xid');

/** "Xid 79", "SXid 20034", "GPU reset". */
export const gpuErrorName = (error: Pick<GpuError, 'xid' | 'kind'>): string => {
  switch (gpuErrorKind(error)) {
    case 'xid':
      return `Xid ${error.xid}`;
    case 'sxid':
      return `SXid ${error.xid}`;
    case 'reset':
    case 'reset-failed':
      return 'GPU reset';
  }
};

/** The meaning of a number, and what caused the error. */
interface XidMeaning {
  readonly text: string;
  /**
   * `program`: a program on the device made an error. `device`: the device, its memory or its links. `note`:
   * no fault.
   */
  readonly fault: 'program' | 'device' | 'note';
  readonly level: 'danger' | 'caution' | 'note';
}

/**
 * https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, shortened. A number that is not
 * listed is a caution.
 */
export const xidMeaning = ({ xid, text, kind }: Pick<GpuError, 'xid' | 'text' | 'kind'>): XidMeaning => {
  const sort = gpuErrorKind(kind === undefined ? {} : { kind });
  if (sort === 'sxid')
    return FATAL.test(text)
      ? { text: 'a fatal error of an NVSwitch', level: 'danger', fault: 'device' }
      : { text: 'an error of an NVSwitch', level: 'caution', fault: 'device' };
  if (sort === 'reset') return { text: 'the GPU hung and was reset', level: 'caution', fault: 'device' };
  if (sort === 'reset-failed')
    return { text: 'the GPU could not be reset', level: 'danger', fault: 'device' };
  if (xid === RECOVERY_ACTION && NO_ACTION.test(text))
    return { text: 'the driver no longer requests a recovery action', level: 'note', fault: 'note' };
  const [faultText, level] = DEVICE_FAULTS[xid] ?? [];
  if (faultText !== undefined && level !== undefined) return { text: faultText, level, fault: 'device' };
  const program = PROGRAM_FAULTS[xid];
  if (program !== undefined) return { text: program, level: 'note', fault: 'program' };
  return { text: 'an unknown error number', level: 'caution', fault: 'device' };
};

/** "Xid 79: the GPU has fallen off the bus". */
export const xidText = (error: Pick<GpuError, 'xid' | 'text' | 'kind'>): string =>
  `${gpuErrorName(error)}: ${xidMeaning(error).text}`;

/** Its row of the table of kinds. */
export const GPU_ERROR_KINDS = {
  'gpuErrors.gathered': {
    class: 'live',
    field: 'nodeGpuErrors',
    shape: 'node',
    entriesMax: 1,
    schema: gathered(gpuErrorsSchema),
    title: 'GPU errors',
    absentOn: { macos: 'macOS has no NVIDIA GPU' },
    isSteady: true,
    isSignOfLife: true,
    texts: { source: 'plain', address: 'plain', text: 'free', kind: 'plain' },
  },
} as const;

/**
 * Logged at each change, also back to none: "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0
 * (None)".
 */
const RECOVERY_ACTION = 154;
const NO_ACTION = / to 0x0\b/;
/** The text of an SXid starts with "Fatal" or "Non-fatal". */
const FATAL = /^fatal\b/i;

const DEVICE_FAULTS: Readonly<Record<number, readonly [text: string, level: 'danger' | 'caution']>> = {
  46: ['the GPU stopped processing', 'danger'],
  48: ['an uncorrectable memory error (double bit)', 'danger'],
  54: ['auxiliary power is not connected', 'danger'],
  61: ['the internal controller stopped at a breakpoint', 'caution'],
  62: ['the internal controller halted', 'danger'],
  63: ['bad memory was marked for repair', 'caution'],
  64: ['bad memory could not be marked for repair', 'danger'],
  74: ['an NVLink error', 'caution'],
  79: ['the GPU has fallen off the bus', 'danger'],
  92: ['many corrected memory errors', 'caution'],
  94: ['a memory error that only ended its program (contained)', 'caution'],
  95: ['a memory error that reached other programs (uncontained)', 'danger'],
  110: ['a security fault', 'danger'],
  119: ['the GPU system processor did not answer', 'danger'],
  120: ['an error of the GPU system processor', 'danger'],
  121: ['an error on the link between chips (C2C)', 'caution'],
  136: ['link training failed', 'danger'],
  140: ['an unrecovered memory error', 'danger'],
  143: ['the GPU could not be started', 'danger'],
  ...Object.fromEntries(
    [144, 145, 146, 147, 148, 149, 150].map(xid => [xid, ['an NVLink error', 'caution'] as const]),
  ),
  [RECOVERY_ACTION]: ['the driver requests a recovery action', 'danger'],
  171: ['an uncorrectable memory error (DRAM)', 'danger'],
  172: ['an uncorrectable memory error (SRAM)', 'danger'],
};

const PROGRAM_FAULTS: Readonly<Record<number, string>> = {
  8: 'a program stopped the GPU',
  11: 'a program sent an invalid stream of commands',
  13: 'an exception of the graphics engine, mostly of a program',
  31: 'a program accessed memory that is not its own (page fault)',
  32: 'a program sent an invalid stream of commands',
  43: 'a program had an error and was reset',
  45: 'programs were cleaned up after another error',
  68: 'an exception of the video decoder',
  69: 'an error of the graphics engine class',
  109: 'a program did not release the GPU in time',
};
