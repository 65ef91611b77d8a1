// The arguments of the two processes of a probe, and their final output.

import * as v from 'valibot';
import type { Env } from '../../process/child.ts';
import { parallelismHere } from '../parallelism.ts';
import type { SinkEnding } from './sink.ts';

/** One-time; in the environment and not an argument, which any user of the machine can read. */
export const TICKET_VARIABLE = 'PLIMSOLL_PROBE_TICKET';

/** @throws if there is none, or it is too easy to guess: an end without a ticket would be open to anyone. */
export const ticketOf = (env: Env): string => {
  const ticket = env[TICKET_VARIABLE] ?? '';
  if (ticket.length < TICKET_LENGTH_MIN) throw new Error(`${TICKET_VARIABLE} has no ticket`);
  return ticket;
};

/** More would not fit an argument; sources from other addresses share the general slots. */
export const SOURCE_ADDRESSES_MAX = 256;
/** Twelve characters of 5 bits, like the shortest one created here. */
const TICKET_LENGTH_MIN = 12;
const ROUND_TRIPS_MAX = 100_000;
const PORT = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const sourceArgumentSchema = v.object({
  address: v.string(),
  port: PORT,
  sourceInterface: v.nullable(v.string()),
  budget: v.object({ bytesMax: COUNT, durationMsMax: COUNT, measuresExtras: v.boolean() }),
  roundTrips: v.pipe(COUNT, v.maxValue(ROUND_TRIPS_MAX)),
  /** null: as many as the processors can drive. */
  streamsMax: v.nullable(v.pipe(COUNT, v.minValue(1))),
  /** It sends for this long instead of measuring. */
  load: v.exactOptional(v.object({ durationMs: v.number(), streams: COUNT, roundTripMs: v.number() })),
});

export const sinkArgumentSchema = v.object({
  host: v.string(),
  port: PORT,
  sourceAddresses: v.pipe(v.array(v.string()), v.maxLength(SOURCE_ADDRESSES_MAX)),
  /** null: no end. */
  waitMsMax: v.nullable(COUNT),
  durationMsMax: COUNT,
});

export const sinkReadySchema = v.variant('kind', [
  v.object({ kind: v.literal('listening'), port: PORT }),
  v.object({ kind: v.literal('cannot-listen'), isTaken: v.boolean(), reason: v.string() }),
]);

/** Sent by the sink while it waits or serves: how many it has refused so far. */
export const strangersSchema: v.GenericSchema<
  unknown,
  { readonly kind: 'strangers'; readonly count: number }
> = v.object({ kind: v.literal('strangers'), count: COUNT });

export const sinkEndingSchema: v.GenericSchema<unknown, SinkEnding> = v.variant('kind', [
  v.object({
    kind: v.literal('served'),
    from: v.string(),
    bytesReceived: COUNT,
    bytesSent: COUNT,
    strangers: COUNT,
  }),
  v.object({ kind: v.literal('unused'), reason: v.string(), strangers: COUNT }),
  v.object({ kind: v.literal('failed'), reason: v.string(), strangers: COUNT, bytesUsed: COUNT }),
]);

/** Sent by both ends while they measure: the payload so far, in case the process is killed. */
export const spentSchema: v.GenericSchema<unknown, { readonly kind: 'spent'; readonly bytesUsed: number }> =
  v.object({ kind: v.literal('spent'), bytesUsed: COUNT });

/** A stream takes a core of its own; up to two are tried on any machine. */
export const streamsOfProcessor = (): number => Math.max(2, parallelismHere());
