// Where requests go, what stands in their heads, and how long is waited: what a client knows of its target.

export interface TargetServer {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** A socket of this machine's file system in place of host and port. */
  readonly socketPath?: string;
  /** What stands in `host:`, with brackets and port where they belong. */
  readonly hostHeader: string;
  readonly tls: TlsPlan | undefined;
}

export interface LoadTarget extends TargetServer {
  /** Of the name `host`, if it has several: connections go to each in turn. */
  readonly addresses?: readonly string[];
  /** Of the POST: "/v1/chat/completions". */
  readonly path: string;
}

/** Several targets of one load. */
export interface TargetSpread {
  readonly targets: readonly LoadTarget[];
  /** Of all requests or sessions, each target's share: above 0, 1 together. */
  readonly shares: readonly number[];
  /** Which target each measured request goes to, or each session with all of its turns, one after the other and again. */
  readonly order: readonly number[];
}

/** @param number of the request or session in the measured phase */
export const spreadPlace = (spread: TargetSpread | undefined, number: number): number =>
  spread === undefined ? 0 : (spread.order[number % spread.order.length] ?? 0);

interface TlsPlan {
  /** SNI and the name that the certificate must have; '' where the host is an address. */
  readonly serverName: string;
  /** PEM; undefined: the system's. */
  readonly authorities: string | undefined;
  readonly isInsecure: boolean;
}

export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

export interface LoadTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}
