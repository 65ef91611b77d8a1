// How a probe of a connection ended: why it failed, with the code that programs compare, and the output of the source's
// child process, checked like anything from another process.

import * as v from 'valibot';
import { linkFigures } from '../core/link/link-profile.ts';
import { errorCode, ProblemError, shortReason } from '../core/problem.ts';
import { bytes, count, list, nonNegative, reported, text } from '../core/schema.ts';
import type { LinkLoad } from './link-engine.ts';
import type { FailedProbe, LinkMeasurement, ProbeFailureCode, ProbeOutcome } from './probe.ts';

export const failedProbe = (reason: string, code?: ProbeFailureCode): FailedProbe => ({
  kind: 'failed',
  reason,
  ...(code === undefined ? {} : { code }),
  bytesUsed: 0,
});

/** Failed by a thrown value. */
export const probeFailedBy = (error: unknown, bytesUsed: number): FailedProbe => {
  const code = error instanceof ProblemError ? error.code : errorCode(error);
  return { kind: 'failed', reason: shortReason(error), ...(code === undefined ? {} : { code }), bytesUsed };
};

const outcomeSchema = <T>(
  measurement: v.GenericSchema<unknown, T>,
): v.GenericSchema<unknown, ProbeOutcome<T>> =>
  v.variant('kind', [
    v.object({ kind: v.literal('measured'), measurement }),
    v.object({
      kind: v.literal('failed'),
      reason: v.string(),
      code: v.exactOptional(v.string()),
      bytesUsed: count,
    }),
  ]);

export const linkOutcomeSchema: v.GenericSchema<unknown, ProbeOutcome<LinkMeasurement>> = outcomeSchema(
  v.object({
    ...linkFigures(nonNegative),
    bytesUsed: bytes,
    extrasBytes: reported(nonNegative),
    engine: text,
    method: text,
  }),
);

export const loadOutcomeSchema: v.GenericSchema<unknown, ProbeOutcome<LinkLoad>> = outcomeSchema(
  v.object({
    runs: list(v.object({ startedAgoMs: nonNegative, endedAgoMs: nonNegative, bitsPerSecond: nonNegative })),
    retransmits: reported(count),
    bytesUsed: bytes,
  }),
);
