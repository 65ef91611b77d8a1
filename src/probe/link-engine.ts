// The port of what measures a connection: one engine for sockets, one for RDMA. Each end runs in its own child process;
// the sink's requires a one-time ticket and ends by itself at its deadline.

import type { NodeId } from '../core/ids.ts';
import type { Connection } from '../core/link/connection.ts';
import type { Reported } from '../core/unknown.ts';
import type { LinkMeasurement, ProbeOutcome } from './probe.ts';

export interface ProbeBudget {
  readonly bytesMax: number;
  readonly durationMsMax: number;
  /** Also the all-reduces, and what a queue adds under load. */
  readonly measuresExtras: boolean;
}

export interface SinkRequest {
  readonly source: NodeId;
  /** As its source has it. */
  readonly connection: Connection;
  /** The sink's own interface, if known: the scope of a link-local address. */
  readonly sinkInterface: string | undefined;
  readonly ticket: string;
  /** Addresses of the source, as far as it has reported them. */
  readonly sourceAddresses: readonly string[];
  readonly signal: AbortSignal;
}

export interface OpenSink extends AsyncDisposable {
  readonly port: number;
  /** Resolves when nothing of it is left, however it ended. Never rejects. */
  readonly ended: Promise<SinkPayload>;
}

/**
 * The payload of both directions that this end counted itself, regardless of what the source returns with its
 * lease.
 */
export interface SinkPayload {
  readonly bytes: number;
  /** False: a foreign tool moved it, and this is the most that it can have been. */
  readonly isExact: boolean;
}

export interface MeasureRequest {
  readonly connection: Connection;
  readonly port: number;
  readonly ticket: string;
  readonly budget: ProbeBudget;
  readonly signal: AbortSignal;
}

export interface LinkLoadRequest extends Omit<MeasureRequest, 'budget'> {
  readonly durationMs: number;
  /** As many as reach the most, by the last probe. */
  readonly streams: number;
  /** Median of the connection when idle. */
  readonly roundTripMs: number;
}

/** What a connection carried in one direction, run after run. */
export interface LinkLoad {
  /** Ms before it ended. */
  readonly runs: readonly {
    readonly startedAgoMs: number;
    readonly endedAgoMs: number;
    readonly bitsPerSecond: number;
  }[];
  readonly retransmits: Reported<number>;
  readonly bytesUsed: number;
}

export interface LinkEngine {
  /** Rejects with an Error whose message is for people if it cannot listen. */
  openSink(request: SinkRequest): Promise<OpenSink>;
  /** Rejects only on an abort. */
  measure(request: MeasureRequest): Promise<ProbeOutcome<LinkMeasurement>>;
  /** Sends for all of its time. Undefined: it can only measure. Rejects only on an abort. */
  readonly load?: ((request: LinkLoadRequest) => Promise<ProbeOutcome<LinkLoad>>) | undefined;
}

export interface LinkEngines {
  readonly socket: LinkEngine;
  /** Undefined if nothing here can measure RDMA: then no RDMA probe is requested. */
  readonly rdma: LinkEngine | undefined;
}
