// What a source requests from a sink before it measures, and the sink's reply. Bodies of another shape are refused.

import * as v from 'valibot';
import type { Connection } from '../../core/link/connection.ts';
import { togetherSchema } from '../../core/probe/load.ts';
import { count, type Infer, nonNegative, text } from '../../core/schema.ts';
import type { JsonValue } from '../../wire/request-message.ts';

export const LEASE_TOPIC = 'probe.lease';
export const RELEASE_TOPIC = 'probe.release';

/** 'first' for its connection, or 'by-hand' (requested by a person): not limited by the budget. */
export type ProbeCause = 'due' | 'first' | 'by-hand';

export interface LeaseGrant {
  readonly kind: 'granted';
  readonly leaseId: number;
  /** Where the sink's child listens. */
  readonly port: number;
  readonly ticket: string;
}

export interface LeaseRefusal {
  readonly kind: 'refused';
  /** For people: "en3 of juno is being measured". */
  readonly reason: string;
  /** When to request again, ms; 0 if unknown to the sink. */
  readonly retryInMs: number;
}

export const leaseWayOf = (connection: Connection): LeaseRequest['way'] =>
  connection.kind === 'socket'
    ? { kind: 'socket', sinkAddress: connection.sinkAddress }
    : {
        kind: 'rdma',
        sourceInterface: connection.sourceInterface,
        sinkInterface: connection.sinkInterface,
      };

export const decodeLeaseRequest = (body: JsonValue): LeaseRequest | undefined => outputOf(REQUEST, body);
export const decodeAnswer = (body: JsonValue): LeaseAnswer | undefined => outputOf(ANSWER, body);
export const decodeReturn = (body: JsonValue): LeaseReturn | undefined => outputOf(RETURN, body);

const outputOf = <T>(schema: v.GenericSchema<unknown, T>, body: JsonValue): T | undefined => {
  const result = v.safeParse(schema, body);
  return result.success ? result.output : undefined;
};

const port = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(65_535));
const REQUEST = v.object({
  way: v.variant('kind', [
    v.object({ kind: v.literal('socket'), sinkAddress: text }),
    v.object({ kind: v.literal('rdma'), sourceInterface: text, sinkInterface: text }),
  ]),
  why: v.picklist(['due', 'first', 'by-hand']),
  /** Loads with one of these share an interface; a version before refuses them where it is in use. */
  together: v.exactOptional(togetherSchema),
});

export type LeaseRequest = Infer<typeof REQUEST>;

const ANSWER = v.variant('kind', [
  v.object({ kind: v.literal('granted'), leaseId: count, port, ticket: text }),
  v.object({ kind: v.literal('refused'), reason: text, retryInMs: nonNegative }),
  v.object({ kind: v.literal('failed'), reason: text }),
]);

export type LeaseAnswer = Infer<typeof ANSWER>;

const RETURN = v.object({
  leaseId: count,
  /** How long the interface carried the probe's payload. */
  busyMs: nonNegative,
  bytesUsed: nonNegative,
});

type LeaseReturn = Infer<typeof RETURN>;
