// The plan that load threads receive, and the few messages between them and the main thread. The run makes the plan,
// and structured clone copies it to the threads, so it is plain data; measurements and the bodies of requests are in
// shared memory, which is not copied.

import { createHash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { Sentences } from '../../core/problem.ts';
import type { ArrivalStamps } from '../../core/run/arrival-stamps.ts';
import type { LoadTimeouts } from '../../core/run/load-request.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import type { ConcurrencyUnit } from '../../core/run/run-shape.ts';
import type { TurnResult } from '../arena/load-record.ts';
import type { MarkSource } from '../arena/mark.ts';
import type { RingMemory } from '../arena/ring.ts';
import type { ThreadBoardMemory } from '../arena/thread-board.ts';
import type { ReplayPlan } from '../replay/feed-message.ts';
import { type Share, shareWithin } from '../schedule/arrivals.ts';
import type { LoadProfile } from '../schedule/load-profile.ts';
import type { CheckedAnswers } from '../target/answer-check.ts';
import type { HttpConnection } from '../target/http1/http-connection.ts';
import { requestHead } from '../target/http1/request-writer.ts';
import { type HeaderField, type LoadTarget, type TargetSpread, targetIndex } from '../target/load-target.ts';
import { bodiesDigest, type RequestBodies } from '../target/request-bodies.ts';
import type { SessionBodies } from '../target/session-bodies.ts';

export interface RequestedMix {
  readonly models: readonly string[];
  readonly order: readonly number[];
}

export interface LoadPlan {
  readonly target: LoadTarget;
  /** For several targets, of which `target` is the first. */
  readonly spread?: TargetSpread;
  /** Sent with each request in addition to those that the client writes itself. No CR, LF or NUL: checked. */
  readonly headers: readonly HeaderField[];
  /** Name of a row of server-apis.ts, which reads the replies. */
  readonly api: string;
  /** The model that the bodies request. */
  readonly model: string;
  /** For several models: which one each measured body requests, by its index. */
  readonly mix?: RequestedMix;
  /** Constraints that answers are checked against. */
  readonly check?: CheckedAnswers;
  /** The text of each answer is passed on with its sample. */
  readonly keepsAnswers?: boolean;
  /** Bodies of single requests; with sessions, those of the warm-up only. */
  readonly bodies: RequestBodies;
  /** undefined: requests are independent. */
  readonly sessions?: PlannedSessions | undefined;
  readonly isStreaming: boolean;
  readonly pattern: RunPattern;
  /** For a recorded trace, which determines the requests and their times. */
  readonly replay?: ReplayPlan | undefined;
  /** How its level varies; undefined: it is constant. */
  readonly course: LoadProfile | undefined;
  /** Open loop: an arrival above it waits for a slot. */
  readonly inFlightCap: number | undefined;
  /** Of sessions, for one load thread: longest time without a request in flight. */
  readonly idleNsMax?: number | undefined;
  /** The share of this machine; every other figure here describes the whole load. */
  readonly share: Share;
  /** Seed of the arrival schedule; equal seeds give equal schedules with any number of threads. */
  readonly seed: number;
  /**
   * Limits of the measured window; for sessions, of their number. The load ends when the first is reached; requests
   * in flight then are followed to their end.
   */
  readonly limits: { readonly samplesMax: number | undefined; readonly durationNs: number | undefined };
  readonly timeouts: LoadTimeouts;
  /** For consecutive measured requests, cyclically: ms after which each is cancelled; -1: never. */
  readonly cancelAfterMs?: readonly number[];
  /** Sent before the measured phase, as many at a time as there are connections; 0: none. */
  readonly warmupRequests: number;
  readonly threads: { readonly load: number; readonly parse: number };
  readonly connections: {
    /** Opened, TLS done, before the measured phase. Max throughput keeps all of them busy. */
    readonly opened: number;
    /** Open loop: an arrival that would need more on this machine fails as `client`. */
    readonly max: number;
    /** Limit of an agent: no more are open at any moment, including those kept ready. */
    readonly limit?: number;
  };
  /** spin: busy for the last 0.3 ms before each arrival; needs a core for each load thread. */
  readonly pacing: 'sleep' | 'spin';
  /** A thread that did not return to its event loop for this long is given up. */
  readonly heartbeatMsMax: number;
}

interface PlannedSessions {
  readonly bodies: SessionBodies;
  readonly concurrencyOf: ConcurrencyUnit;
}

export const targetsOf = ({ target, spread }: Pick<LoadPlan, 'target' | 'spread'>): readonly LoadTarget[] =>
  spread?.targets ?? [target];

/**
 * For requests to each target, everything up to the figure of content-length.
 * @throws HeaderError for a field that no client may send.
 */
export const requestHeads = (plan: LoadPlan): readonly string[] =>
  targetsOf(plan).map(target => requestHead(target, plan.headers, plan.isStreaming));

/** Which target an independent request goes to; warm-up requests go to each in rotation. */
export const targetOfSample = (
  { spread, warmupRequests }: Pick<LoadPlan, 'spread' | 'warmupRequests'>,
  sampleId: number,
): number =>
  spread === undefined || sampleId >= warmupRequests
    ? targetIndex(spread, sampleId - warmupRequests)
    : sampleId % spread.targets.length;

/** Share of each thread of this machine. */
export const threadShare = ({ share, threads }: Pick<LoadPlan, 'share' | 'threads'>, thread: number): Share =>
  shareWithin(share, { index: thread, of: threads.load });

/** For a measured sample; -1: never. */
export const cancelAfterMs = (
  { cancelAfterMs: all = [], warmupRequests }: Pick<LoadPlan, 'cancelAfterMs' | 'warmupRequests'>,
  sampleId: number,
): number => all[Math.max(0, sampleId - warmupRequests) % Math.max(1, all.length)] ?? -1;

export interface LoadWorkerData {
  readonly thread: number;
  readonly plan: LoadPlan;
  readonly ring: RingMemory;
  readonly board: ThreadBoardMemory;
  /** CLOCK_MONOTONIC at the run's zero. */
  readonly runZeroNs: bigint;
  /** To the parse thread that reads its ring. */
  readonly parser: MessagePort;
  /** Source of the requests of a trace; undefined without one. */
  readonly feed: MessagePort | undefined;
}

export type ToLoadWorker =
  | { readonly kind: 'open' }
  | { readonly kind: 'marks'; readonly source: MarkSource }
  | { readonly kind: 'warm-up' }
  | { readonly kind: 'start'; readonly atNs: number }
  | { readonly kind: 'end-issuing' }
  | { readonly kind: 'cut-off' }
  /** Whether everything that has ended in the run so far has failed, by the content of its replies. */
  | { readonly kind: 'failing'; readonly isFailing: boolean }
  | { readonly kind: 'stop' };

export type FromLoadWorker =
  | { readonly kind: 'opened'; readonly connections: OpenedConnections }
  | { readonly kind: 'ended' };

export interface OpenedConnections {
  readonly opened: number;
  readonly failed: number;
  /** Addresses of the target's name that accepted no connection. */
  readonly dead?: readonly string[];
  /** Who takes the timestamps of replies. */
  readonly stamps?: ArrivalStamps;
  /** The reason of the first failure. */
  readonly problem: Sentences | undefined;
}

/** Digest of all requests, and of their order in sessions: equal digests mean that two machines send the same. */
export const loadDigest = ({ bodies, sessions }: Pick<LoadPlan, 'bodies' | 'sessions'>): string => {
  const ofBodies = bodiesDigest(bodies);
  if (sessions === undefined) return ofBodies;
  const { turns, bytes, pieceStarts, cells, own, history, noncePrefix } = sessions.bodies;
  const hash = createHash('sha256').update(`${ofBodies} ${history} ${noncePrefix}\n`);
  for (const part of [...Object.values(turns), bytes, pieceStarts, cells, own])
    hash.update(new Uint8Array(part));
  return hash.digest('hex');
};

export const unopened = (problem: string): OpenedConnections => ({
  opened: 0,
  failed: 0,
  problem: { problem, advice: '' },
});

export const sumOpened = (all: readonly OpenedConnections[]): OpenedConnections => ({
  opened: all.reduce((sum, { opened }) => sum + opened, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
  dead: [...new Set(all.flatMap(({ dead = [] }) => dead))],
  ...stampsOfAll(all.flatMap(({ stamps = [] }) => stamps)),
  problem: all.find(({ problem }) => problem !== undefined)?.problem,
});

/** Those of a thread that lacks the kernel's, if there is one. */
const stampsOfAll = (all: readonly ArrivalStamps[]): Pick<OpenedConnections, 'stamps'> => {
  const stamps = all.find(({ by }) => by === 'read') ?? all[0];
  return stamps === undefined ? {} : { stamps };
};

// The port for the sending pattern of a load thread: closed loop, open loop or sessions.

/** Decides which connection sends when. */
export interface LoadPattern {
  readonly isWarmup: boolean;
  readonly hasIssuedAll: boolean;
  start(): void;
  stop(): void;
  /** It was opened, and is idle. */
  connectionFree(connection: HttpConnection): void;
  /** It is idle again, or closed after its sample. */
  sampleEnded(connection: HttpConnection): void;
  /** An idle one was closed, or one could not be opened. */
  connectionLost(connection: HttpConnection): void;
  tick(nowNs: number): void;
  /** Number of its arrivals that are due and held back. */
  waiting(nowNs: number): number;
  /** Called if its requests are turns of sessions. */
  turnEnded?(result: TurnResult): void;
  /** Called if requests are generated while they are sent: the queue was empty, and no longer is. */
  requestsCame?(): void;
}
