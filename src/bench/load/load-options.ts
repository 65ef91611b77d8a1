// What a load generator is told, and what it tells. The session makes the plan, the load threads get it by structured
// clone, so that everything in it is plain data; prompts are shared memory, which no thread copies.

import type { RunPattern } from '../../core/run/report.ts';

export interface LoadPlan {
  readonly target: LoadTarget;
  /** Sent with each request beside those that the client writes itself. No CR, LF or NUL: checked. */
  readonly headers: readonly HeaderField[];
  readonly prompts: PromptSet;
  readonly isStreaming: boolean;
  readonly pattern: RunPattern;
  /** Of the arrival schedule; equal seeds give equal schedules, however many threads there are. */
  readonly seed: number;
  /** The load ends when the first of them is reached; what is in flight then is followed to its end. */
  readonly limits: LoadLimits;
  readonly timeouts: LoadTimeouts;
  /** Sent before the measured phase, as many at a time as there are connections; 0: none at all. */
  readonly warmupRequests: number;
  readonly threads: { readonly load: number; readonly parse: number };
  readonly connections: {
    /** Opened, TLS done, before the measured phase. Max throughput keeps all of them busy. */
    readonly opened: number;
    /** Open loop: an arrival that would need more fails as `client`. */
    readonly max: number;
  };
  /** spin: busy for the last 0.3 ms before each arrival; wants a core for each load thread. */
  readonly pacing: 'sleep' | 'spin';
  /** A thread that did not return to its event loop for so long is given up. */
  readonly heartbeatMsMax: number;
}

export interface LoadTarget {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Of the POST: "/v1/chat/completions". */
  readonly path: string;
  /** What stands in `host:`, with brackets and port where they belong. */
  readonly hostHeader: string;
  readonly tls: TlsPlan | undefined;
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

/** JSON bodies, one behind the other. Body i is `bytes[starts[i]] … bytes[starts[i + 1]]`; sample n sends body n mod count. */
export interface PromptSet {
  readonly bytes: SharedArrayBuffer;
  /** Float64, count + 1 of them. */
  readonly starts: SharedArrayBuffer;
  /**
   * Float64, count of them: where in the body NONCE_BYTES are overwritten to make a prompt unique; -1: nowhere.
   * Counted from the body's start.
   */
  readonly nonceAts: SharedArrayBuffer;
  /** First half of each nonce, 8 characters of hex: two runs never share one. */
  readonly noncePrefix: string;
}

/** 8 of the run and 8 of the sample. */
export const NONCE_BYTES = 16;

export interface LoadLimits {
  readonly samplesMax: number | undefined;
  readonly durationNs: number | undefined;
}

export interface LoadTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/**
 * Where a load generator puts what it measures, on the main thread, in order: a sample's records come in the order of
 * METRICS §1, and all records of the load before `issuingEnded` or `ended` resolve.
 */
export interface LoadSink {
  /** A batch of event records in the format of wire/event-batch.ts. The bytes are the receiver's. */
  batch(records: Uint8Array): void;
  /** Whole lines of samples.jsonl. The bytes are the receiver's. */
  sampleLines(lines: Uint8Array): void;
}

export interface LoadGenerator extends AsyncDisposable {
  /** Starts the threads and opens the connections. Resolves also where none could be opened. */
  open(): Promise<OpenedConnections>;
  /** Resolves when every warm-up request ended and its records are with the sink. */
  warmUp(): Promise<void>;
  /** Starts the measured phase. @returns its zero in ns since the run's zero, a few ms ahead. */
  start(): number;
  /** Resolves, with the time, when the last sample was issued. */
  readonly issuingEnded: Promise<number>;
  /** Resolves when every sample has ended and its records are with the sink. Never rejects. */
  readonly ended: Promise<LoadResult>;
  /** Ends what is in flight as cancelled and issues no more. Idempotent; `ended` tells when all is told. */
  stop(): void;
  readonly counts: LoadCounts;
}

export interface OpenedConnections {
  readonly opened: number;
  readonly failed: number;
  /** Why the first one that failed did. */
  readonly problem: string | undefined;
}

/** As the threads see it now. */
export interface LoadCounts {
  readonly issued: number;
  readonly ended: number;
}

export interface LoadResult {
  readonly kind: 'complete' | 'stopped' | 'incomplete';
  /** Of an incomplete one: which thread was lost and why. */
  readonly reasons: readonly string[];
  /** Ended, ns since the run's zero. */
  readonly atNs: number;
  /** Records that found no room on their way to the parse threads; anything but 0 is not trustworthy. */
  readonly droppedEvents: number;
  /** Samples failed as `client` because their bytes found no room. */
  readonly arenaFullCount: number;
}
