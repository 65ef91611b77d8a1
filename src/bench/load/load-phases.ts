// The phases of one load thread, as the main thread commands them: connections, warm-up, the measured load, its end.

import { isOpenLoop, type SchedulePattern } from '../../core/run/run-pattern.ts';
import { type Arrivals, arrivals, recordedArrivals, shareOf } from '../schedule/arrivals.ts';
import { OwnArrivals } from '../schedule/own-arrivals.ts';
import { TurnWriter } from '../target/http1/turn-writer.ts';
import { ClosedLoop } from './closed-loop.ts';
import {
  type FromLoadWorker,
  type LoadPattern,
  type LoadPlan,
  type OpenedConnections,
  requestHeads,
  type ToLoadWorker,
  threadShare,
} from './load-plan.ts';
import type { LoadThread } from './load-thread.ts';
import { OpenLoop } from './open-loop.ts';
import { Pacer } from './pacing.ts';
import { SessionLoop } from './session-loop.ts';

interface LoadPhasesParts {
  readonly load: LoadThread;
  readonly report: (message: FromLoadWorker) => void;
  /** For a trace: resolves when its first requests are available. */
  readonly primed: Promise<void> | undefined;
}

export class LoadPhases {
  readonly #load: LoadThread;
  readonly #report: (message: FromLoadWorker) => void;
  readonly #primed: Promise<void> | undefined;

  constructor({ load, report, primed }: LoadPhasesParts) {
    this.#load = load;
    this.#report = report;
    this.#primed = primed;
  }

  async handle(message: ToLoadWorker): Promise<void> {
    const load = this.#load;
    switch (message.kind) {
      case 'open':
        this.#report({ kind: 'opened', connections: await this.#open() });
        return;
      case 'marks':
        load.readMarks(message.source);
        return;
      case 'warm-up':
        if (!load.isStopped) await load.run(warmUp(load));
        if (!load.isStopped) await load.reportWarmedUp();
        return;
      case 'start':
        if (load.isStopped) return;
        await load.run(patternFrom(load, message.atNs));
        if (!load.isStopped) await this.#end();
        return;
      case 'end-issuing':
        load.endIssuing();
        return;
      case 'failing':
        load.isFailing = message.isFailing;
        return;
      case 'cut-off':
        load.cutOff();
        return;
      case 'stop':
        if (load.isStopped) return;
        load.stop();
        await this.#end();
    }
  }

  /** Of a trace a load thread also waits for its first requests. */
  async #open(): Promise<OpenedConnections> {
    const connections = await this.#load.open(targetsToOpen(this.#load));
    await this.#primed;
    return connections;
  }

  async #end(): Promise<void> {
    await this.#load.finish();
    this.#report({ kind: 'ended' });
  }
}

const patternFrom = (load: LoadThread, startNs: number): LoadPattern => {
  const { plan, thread, nowNs, timers } = load;
  const { pattern, course, limits, warmupRequests } = plan;
  const share = threadShare(plan, thread);
  const pacer = new Pacer({
    nowNs,
    timers,
    spins: plan.pacing === 'spin',
    polledSince: ns => load.polledSince(ns),
  });
  const measuredFromNs = startNs + (course?.measuredFromNs ?? 0);
  const endNs = measuredFromNs + (limits.durationNs ?? Number.POSITIVE_INFINITY);
  const samplesMax = limits.samplesMax ?? Number.POSITIVE_INFINITY;
  const own = { share, startNs, endNs, measuredFromNs, samplesMax };
  const inFlightCap = plan.inFlightCap === undefined ? undefined : shareOf(plan.inFlightCap, share);
  const connectionsMax = shareOf(plan.connections.max, { index: thread, of: plan.threads.load });
  if (plan.sessions !== undefined) {
    const { bodies, concurrencyOf } = plan.sessions;
    return new SessionLoop(load, pacer, {
      writer: new TurnWriter(requestHeads(plan), bodies),
      arriving: isOpenLoop(pattern)
        ? {
            kind: 'open',
            own: new OwnArrivals({ ...own, arrivals: scheduled(plan, pattern) }),
            inFlightCap,
          }
        : {
            kind: 'closed',
            concurrencyOf,
            slots: shareOf(plan.connections.opened, share),
            sessionsMax: samplesMax,
            course:
              course === undefined
                ? undefined
                : { course, measuredFromNs, samplesMax: shareOf(samplesMax, plan.share) },
          },
      startNs,
      endNs,
      firstSampleId: warmupRequests,
      connectionsMax,
      idleNsMax: plan.idleNsMax,
    });
  }
  switch (pattern.kind) {
    case 'concurrency':
    case 'max-throughput':
      return new ClosedLoop(load, pacer, {
        isWarmup: false,
        startNs,
        endNs,
        sampleIdEnd: course === undefined ? warmupRequests + samplesMax : Number.POSITIVE_INFINITY,
        course:
          course === undefined
            ? undefined
            : { course, measuredFromNs, samplesMax: shareOf(samplesMax, plan.share) },
      });
    default:
      return new OpenLoop(load, pacer, {
        arrivals: () => scheduled(plan, pattern),
        own,
        firstSampleId: warmupRequests,
        inFlightCap,
        connectionsMax,
        spareConnections: Math.ceil(plan.connections.opened / share.of / SPARE_DIVISOR),
      });
  }
};

const scheduled = ({ replay, seed, course }: LoadPlan, pattern: SchedulePattern): Arrivals =>
  replay === undefined ? arrivals(pattern, seed, course) : recordedArrivals(replay.trace.timesNs);

const warmUp = (load: LoadThread): LoadPattern => {
  const { plan, nowNs, timers } = load;
  return new ClosedLoop(load, new Pacer({ nowNs, timers, spins: false }), {
    isWarmup: true,
    startNs: nowNs(),
    endNs: Number.POSITIVE_INFINITY,
    sampleIdEnd: plan.warmupRequests,
    course: undefined,
  });
};

const connectionsToOpen = ({ plan, thread }: LoadThread): number => {
  const { pattern, course, connections, limits } = plan;
  const share = threadShare(plan, thread);
  // One for each agent at least, however low the rate.
  if (pattern.kind !== 'concurrency') return shareOf(Math.max(connections.opened, plan.share.of), share);
  // A user who never gets a sample needs no connection; before the measured window there is no limit on samples.
  const useful = course === undefined ? limits.samplesMax : undefined;
  return shareOf(Math.min(pattern.concurrency, useful ?? pattern.concurrency), share);
};

/**
 * The target of each connection. In closed loop a user may send to any target next; for arrivals each target has its
 * share.
 */
const targetsToOpen = (load: LoadThread): readonly number[] => {
  const { spread, pattern } = load.plan;
  const count = connectionsToOpen(load);
  if (spread === undefined) return Array.from({ length: count }, () => 0);
  return spread.shares.flatMap((share, target) =>
    Array.from({ length: isOpenLoop(pattern) ? Math.ceil(count * share) : count }, () => target),
  );
};

/** This fraction of the connections opened at first stays ready for arrivals. */
const SPARE_DIVISOR = 4;
