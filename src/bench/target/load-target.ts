// Where requests go, the content of their heads, and their timeouts: everything that a client needs of its target.

import type { TlsPlan } from './tls-plan.ts';

export interface TargetServer {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** A socket of this machine's file system instead of host and port. */
  readonly socketPath?: string;
  /** Value of the `host:` header, with brackets and port if they are needed. */
  readonly hostHeader: string;
  readonly tls: TlsPlan | undefined;
}

export interface LoadTarget extends TargetServer {
  /** Addresses of the name `host`, if it has several: connections go to each in rotation. */
  readonly addresses?: readonly string[];
  /** Path of the POST: "/v1/chat/completions". */
  readonly path: string;
}

/** Several targets of one load. */
export interface TargetSpread {
  readonly targets: readonly LoadTarget[];
  /** Each target's share of all requests or sessions: above 0, with the sum 1. */
  readonly shares: readonly number[];
  /** Which target each measured request goes to, or each session with all of its turns, cyclically. */
  readonly order: readonly number[];
}

/** @param number of the request or session in the measured phase */
export const targetIndex = (spread: TargetSpread | undefined, number: number): number =>
  spread === undefined ? 0 : (spread.order[number % spread.order.length] ?? 0);

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}
