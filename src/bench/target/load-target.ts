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
  /** Of the POST: "/v1/chat/completions". */
  readonly path: string;
}

export interface TlsPlan {
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
