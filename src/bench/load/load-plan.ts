// What load threads are told, and the few messages between them and the main thread. The run makes the plan, and the threads
// get it by structured clone, so that everything in it is plain data; what is measured and the bodies of requests are shared
// memory, which nobody copies.

import { createHash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { Sentences } from '../../core/problem.ts';
import type { RunPattern } from '../../core/run/run-pattern.ts';
import type { SessionPlaces } from '../../core/run/run-shape.ts';
import type { MarkSource } from '../arena/mark.ts';
import type { RingMemory } from '../arena/ring.ts';
import type { ThreadBoardMemory } from '../arena/thread-board.ts';
import type { ReplayPlan } from '../replay/feed-message.ts';
import { type Share, shareWithin } from '../schedule/arrivals.ts';
import type { LoadProfile } from '../schedule/load-profile.ts';
import type { CheckedAnswers } from '../target/answer-check.ts';
import { requestHead } from '../target/http1/request-writer.ts';
import {
  type HeaderField,
  type LoadTarget,
  type LoadTimeouts,
  spreadPlace,
  type TargetSpread,
} from '../target/load-target.ts';
import { bodiesDigest, type RequestBodies } from '../target/request-bodies.ts';
import type { SessionBodies } from '../target/session-bodies.ts';

export interface RequestedMix {
  readonly models: readonly string[];
  readonly order: readonly number[];
}

export interface LoadPlan {
  readonly target: LoadTarget;
  /** Of several, of which `target` is the first. */
  readonly spread?: TargetSpread;
  /** Sent with each request beside those that the client writes itself. No CR, LF or NUL: checked. */
  readonly headers: readonly HeaderField[];
  /** Name of a row of server-apis.ts: it reads the replies. */
  readonly api: string;
  /** That the bodies ask for. */
  readonly model: string;
  /** Of several models: which each measured body asks for, by its place among them. */
  readonly mix?: RequestedMix;
  /** What answers are checked by. */
  readonly check?: CheckedAnswers;
  /** The text of each answer is told beside its sample. */
  readonly keepsAnswers?: boolean;
  /** Of single requests; where there are sessions the warm-up's alone. */
  readonly bodies: RequestBodies;
  /** undefined: each request stands for itself. */
  readonly sessions?: PlannedSessions | undefined;
  readonly isStreaming: boolean;
  readonly pattern: RunPattern;
  /** Of a recorded trace: it says when each request is sent, and which. */
  readonly replay?: ReplayPlan | undefined;
  /** How its level moves; undefined: it does not. */
  readonly course: LoadProfile | undefined;
  /** Open loop: an arrival beyond waits for a place. */
  readonly inFlightCap: number | undefined;
  /** What this machine sends of it; every other figure here is of the whole load. */
  readonly share: Share;
  /** Of the arrival schedule; equal seeds give equal schedules, however many threads there are. */
  readonly seed: number;
  /** Of the measured window; of sessions their number. The load ends when the first of them is reached; what is in flight then is followed to its end. */
  readonly limits: { readonly samplesMax: number | undefined; readonly durationNs: number | undefined };
  readonly timeouts: LoadTimeouts;
  /** Of one measured request after the other, cyclically: when it is broken off, in ms; -1: never. */
  readonly cancelAfterMs?: readonly number[];
  /** Sent before the measured phase, as many at a time as there are connections; 0: none at all. */
  readonly warmupRequests: number;
  readonly threads: { readonly load: number; readonly parse: number };
  readonly connections: {
    /** Opened, TLS done, before the measured phase. Max throughput keeps all of them busy. */
    readonly opened: number;
    /** Open loop: an arrival that would need more of this machine fails as `client`. */
    readonly max: number;
    /** Of an agent: no more are open at any moment, those that are kept ready among them. */
    readonly limit?: number;
  };
  /** spin: busy for the last 0.3 ms before each arrival; wants a core for each load thread. */
  readonly pacing: 'sleep' | 'spin';
  /** A thread that did not return to its event loop for so long is given up. */
  readonly heartbeatMsMax: number;
}

interface PlannedSessions {
  readonly bodies: SessionBodies;
  readonly placesOf: SessionPlaces;
}

export const targetsOf = ({ target, spread }: Pick<LoadPlan, 'target' | 'spread'>): readonly LoadTarget[] =>
  spread?.targets ?? [target];

/**
 * Of requests to each target, everything up to the figure of content-length.
 * @throws HeaderError for a field that no client may send.
 */
export const requestHeads = (plan: LoadPlan): readonly string[] =>
  targetsOf(plan).map(target => requestHead(target, plan.headers, plan.isStreaming));

/** Which target a request that stands for itself goes to; what warms up goes to each in turn. */
export const targetOfSample = (
  { spread, warmupRequests }: Pick<LoadPlan, 'spread' | 'warmupRequests'>,
  sampleId: number,
): number =>
  spread === undefined || sampleId >= warmupRequests
    ? spreadPlace(spread, sampleId - warmupRequests)
    : sampleId % spread.targets.length;

/** Of each thread of this machine. */
export const threadShare = ({ share, threads }: Pick<LoadPlan, 'share' | 'threads'>, thread: number): Share =>
  shareWithin(share, { index: thread, of: threads.load });

/** Of a measured sample; -1: never. */
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
  /** Where it is told how turns ended, by whoever reads their replies; undefined without sessions. */
  readonly turns: MessagePort | undefined;
  /** Where the requests of a trace come from; undefined without one. */
  readonly feed: MessagePort | undefined;
}

export type ToLoadWorker =
  | { readonly kind: 'open' }
  | { readonly kind: 'marks'; readonly source: MarkSource }
  | { readonly kind: 'warm-up' }
  | { readonly kind: 'start'; readonly atNs: number }
  | { readonly kind: 'end-issuing' }
  | { readonly kind: 'cut-off' }
  /** Whether all that has ended in the run so far has failed, by what its replies contain. */
  | { readonly kind: 'failing'; readonly isFailing: boolean }
  | { readonly kind: 'stop' };

export type FromLoadWorker =
  | { readonly kind: 'opened'; readonly connections: OpenedConnections }
  | { readonly kind: 'ended' };

export interface OpenedConnections {
  readonly opened: number;
  readonly failed: number;
  /** Addresses of the target's name that took no connection. */
  readonly dead?: readonly string[];
  /** Why the first one that failed did. */
  readonly problem: Sentences | undefined;
}

/** All that is sent, and in sessions when: of two equal digests two machines send the same. */
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
  problem: all.find(({ problem }) => problem !== undefined)?.problem,
});
