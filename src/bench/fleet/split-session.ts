// The load phase on several machines: one zero for all, stops that reach each of them, and the same phases as a
// single run. A phase of the whole run begins when all agents have reached it.

import { type Clock, pause, untilAborted } from '../../clock/clock.ts';
import { maximumOf } from '../../core/extremes.ts';
import type { AgentPhase } from '../../wire/agent-message.ts';
import type { BenchParts } from '../run/bench-parts.ts';
import { type AgentLink, AgentLostError, type AgentReplyOf } from './agent-link.ts';
import { type ClockOffset, startLeadNs } from './clock-offset.ts';
import type { PreparedAgent } from './prepare-agents.ts';

interface SplitSession {
  readonly parts: Pick<BenchParts, 'clock' | 'settings' | 'stop' | 'stopNow' | 'early' | 'observer'>;
  readonly agents: readonly PreparedAgent[];
  /** ns since the run's zero. */
  readonly nowNs: () => number;
  /** Duration of ramp and warm-up after the zero of the schedule. */
  readonly unmeasuredNs: number;
  readonly phases: SplitPhases;
  /** The zero of the measured phase, ns since the run's zero. */
  readonly onStart: (measuredFromNs: number) => void;
}

/** One for each agent in their order; undefined if it was lost. */
type SplitEnd = readonly (AgentReplyOf<'ended'> | undefined)[];

/** Never rejects because of agents. */
export const runSplitSession = async (session: SplitSession): Promise<SplitEnd> => {
  const { parts, agents, unmeasuredNs, phases } = session;
  const over = new AbortController();
  const reportAll = (how: 'drain' | 'cancel' | 'abort'): void => {
    for (const { link } of agents) void link.send({ kind: 'stop', how });
  };
  whenAborted(parts.stop, over.signal, () => {
    parts.observer.phase('stopping');
    reportAll('abort');
  });
  if (parts.early !== undefined) {
    whenAborted(parts.early.drain, over.signal, () => reportAll('drain'));
    whenAborted(parts.early.cancel, over.signal, () => reportAll('cancel'));
  }
  const startNs = await startAll(session);
  session.onStart(startNs + unmeasuredNs);
  const reporting = reportPhases({ session, startNs, over: over.signal });
  phases.onDraining(() => {
    if (!parts.stop.aborted) parts.observer.phase('draining');
  });
  const abandoned = untilAborted(AbortSignal.any([parts.stopNow, over.signal])).then(
    (): undefined => undefined,
  );
  const ends = await Promise.all(agents.map(({ link }) => endOf(link, abandoned)));
  over.abort();
  await reporting;
  return ends;
};

/** T0 is far enough ahead that every agent has received it by then. */
const startAll = async ({ parts, agents, nowNs }: SplitSession): Promise<number> => {
  const worst = maximumOf([0, ...agents.map(({ clock }) => clock.worstRoundTripNs)]);
  const startNs = nowNs() + startLeadNs(worst, parts.settings.startLeadMs);
  if (parts.stop.aborted) return startNs;
  parts.observer.phase('waiting');
  await Promise.all(
    agents.map(({ link, clock }) => link.send({ kind: 'start', atNs: agentTime(clock, startNs) })),
  );
  return startNs;
};

const agentTime = ({ offsetNs }: ClockOffset, coordinatorNs: number): number =>
  Math.round(coordinatorNs + offsetNs);

const reportPhases = async ({
  session: { parts, nowNs, unmeasuredNs },
  startNs,
  over,
}: {
  readonly session: SplitSession;
  readonly startNs: number;
  readonly over: AbortSignal;
}): Promise<void> => {
  const ending = AbortSignal.any([over, parts.stop]);
  await until(parts.clock, (startNs - nowNs()) / 1e6, ending);
  if (unmeasuredNs > 0 && !ending.aborted) {
    parts.observer.phase('ramping');
    await until(parts.clock, (startNs + unmeasuredNs - nowNs()) / 1e6, ending);
  }
  if (!ending.aborted) parts.observer.phase('measuring');
};

const until = (clock: Clock, ms: number, over: AbortSignal): Promise<void> =>
  pause(clock, Math.max(0, ms), over);

/** A lost agent sends no end: the race detects it, and `link.loss` has the reason. */
const endOf = async (
  link: AgentLink,
  abandoned: Promise<undefined>,
): Promise<AgentReplyOf<'ended'> | undefined> => {
  try {
    return await Promise.race([link.receive('ended'), abandoned]);
  } catch (error) {
    if (error instanceof AgentLostError) return undefined;
    throw error;
  }
};

/** Tracks which agents have issued all their requests, or are out of the run. */
export class SplitPhases {
  readonly #draining = new Set<number>();
  readonly #of: number;
  #listener: (() => void) | undefined;

  constructor(agents: number) {
    this.#of = agents;
  }

  phase(agent: number, phase: AgentPhase): void {
    if (phase !== 'draining' && phase !== 'ended') return;
    this.#draining.add(agent);
    this.#check();
  }

  /** Called once, also if it has already happened. */
  onDraining(listener: () => void): void {
    this.#listener = listener;
    this.#check();
  }

  #check(): void {
    if (this.#draining.size < this.#of) return;
    this.#listener?.();
    this.#listener = undefined;
  }
}

const whenAborted = (signal: AbortSignal, over: AbortSignal, act: () => void): void => {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true, signal: over });
};
