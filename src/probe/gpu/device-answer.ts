// The boundary to the children that measure devices: their output is checked, because a failing driver can produce
// numbers of any size.

import * as v from 'valibot';
import { deviceFigures } from '../../core/node/gpu-profile.ts';
import { type Infer, type Schema, text } from '../../core/schema.ts';
import type { Env } from '../../process/child.ts';
import type { DeviceMeasurement, ProbeDevice, ProbeOutcome } from '../probe.ts';
import type { ProbeAnswer } from '../probe-child.ts';

/** A measurement without what the parent already has. */
type DeviceFigures = Omit<DeviceMeasurement, 'deviceId' | 'deviceKind' | 'engine'>;

type KnownOfDevice = Pick<DeviceMeasurement, 'deviceId' | 'deviceKind' | 'engine'>;

export const outcomeOf = (answer: ProbeAnswer, known: KnownOfDevice): ProbeOutcome<DeviceMeasurement> => {
  if (answer.kind === 'failed') return failed(answer.reason);
  const checked = v.safeParse(answerSchema, answer.answer);
  if (!checked.success) return failed(`${known.engine} printed something unreadable`);
  if (checked.output.kind === 'failed') return failed(checked.output.reason);
  return { kind: 'measured', measurement: { ...known, ...checked.output.figures } };
};

export const failed = (reason: string): ProbeOutcome<DeviceMeasurement> => ({
  kind: 'failed',
  reason: reason.length > REASON_LENGTH_MAX ? `${reason.slice(0, REASON_LENGTH_MAX - 1)}…` : reason,
  bytesUsed: 0,
});

/**
 * From a kiloflop to an exaflop, from a kilobyte to a petabyte a second: above them something is broken, not
 * fast.
 */
const rate = (maximum: number): Schema<number> =>
  v.pipe(v.number(), v.finite(), v.minValue(1e3), v.maxValue(maximum));

const figuresSchema: v.GenericSchema<unknown, DeviceFigures> = v.object({
  deviceName: text,
  ...deviceFigures(rate(1e18), rate(1e15)),
  isLowerBound: v.boolean(),
  method: text,
});

const answerSchema = v.variant('kind', [
  v.object({ kind: v.literal('measured'), figures: figuresSchema }),
  v.object({ kind: v.literal('failed'), reason: v.string() }),
]);

/** A child's result: figures, or why there are none. */
export type DeviceAnswer = Infer<typeof answerSchema>;

const REASON_LENGTH_MAX = 900;

// The port of everything that measures a device. An engine measures in a child process; if it cannot, it
// returns the reason, and another one is tried.
export interface DeviceEngine {
  /** As profiles name it: "cuda". */
  readonly name: string;
  /** Whether it supports such a device at all. */
  suits(device: ProbeDevice): boolean;
  /** Rejects only on an abort. */
  measure(device: ProbeDevice, signal: AbortSignal): Promise<ProbeOutcome<DeviceMeasurement>>;
}

export interface EngineOptions {
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
}
