// One probe of a connection from its source: its own interface, then the sink's, by lease; then the measurement; then
// both are returned. A refusal is not a failure: another probe has its turn.

import type { Clock } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import { nodeName } from '../../core/node/node-view.ts';
import type { State } from '../../core/state.ts';
import type { LinkEngine, LinkEngines, MeasureRequest } from '../link-engine.ts';
import { failedProbe } from '../link-outcome.ts';
import type { PeerRequests } from '../peer-requests.ts';
import { type ProbeFailureCode, type ProbeOutcome, withDeadline } from '../probe.ts';
import { refusalWaitMs } from '../schedule/backoff.ts';
import { portText, sourcePorts } from '../schedule/link-ports.ts';
import type { PortLocks } from '../schedule/port-locks.ts';
import type { ProbeLog, ProbeLogEntry } from '../schedule/probe-log.ts';
import { DEADLINE_MS } from '../schedule/probe-settings.ts';
import type { Spending, SpendLedger } from '../schedule/spend-ledger.ts';
import type { WantedLink } from '../schedule/wanted-probes.ts';
import {
  decodeAnswer,
  LEASE_TOPIC,
  type LeaseAnswer,
  type LeaseGrant,
  leaseWayOf,
  type ProbeCause,
  RELEASE_TOPIC,
} from './lease-message.ts';

export interface LinkAttemptParts {
  readonly self: NodeId;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly state: () => State;
  readonly requests: PeerRequests;
  readonly engines: LinkEngines;
  readonly locks: PortLocks;
  readonly ledger: SpendLedger;
  readonly log: ProbeLog;
}

export type AttemptEnding<T> =
  /** Nothing was measured, but nothing is wrong. */
  | { readonly kind: 'postponed'; readonly reason: string; readonly retryInMs: number }
  | { readonly kind: 'ended'; readonly outcome: ProbeOutcome<T> };

type AttemptedLink = Pick<WantedLink, 'kind' | 'subject' | 'connection'>;

interface LinkAttempt<T> {
  readonly why: ProbeCause;
  /** Of a load: it shares its interfaces with others that have the same. */
  readonly together?: string;
  readonly signal: AbortSignal;
  readonly onMeasuring: () => void;
  readonly work: (engine: LinkEngine, request: Omit<MeasureRequest, 'budget'>) => Promise<ProbeOutcome<T>>;
  /** What it used of its interface; undefined: all of its time. */
  readonly spendingOf: (measurement: T) => Spending | undefined;
}

/**
 * Its caller has found no blocker at this end, in the same turn; the sink checks its own.
 * @throws only the signal's reason, when it aborts
 */
export const attemptLink = async <T extends { readonly bytesUsed: number }>(
  parts: LinkAttemptParts,
  want: AttemptedLink,
  attempt: LinkAttempt<T>,
): Promise<AttemptEnding<T>> => {
  const { self, locks, state } = parts;
  const ports = sourcePorts(state(), self, want.connection);
  using _lock = locks.take(ports, portText(ports), attempt.together);
  const answer = await requestLease(parts, want, attempt);
  if (answer.kind === 'postponed' || answer.kind === 'ended') return answer;
  attempt.onMeasuring();
  let spent: Spending | undefined;
  const release = new AbortController(); // even if this node stops, the sink is notified, within a second
  try {
    const { outcome, spending } = await measure(parts, want, { ...attempt, grant: answer, ports });
    spent = spending;
    return { kind: 'ended', outcome };
  } finally {
    await giveBack(parts, want, { grant: answer, spent, signal: release.signal });
  }
};

const requestLease = async (
  parts: LinkAttemptParts,
  { subject: { sink }, connection }: AttemptedLink,
  { why, together, signal }: Pick<LinkAttempt<unknown>, 'why' | 'together' | 'signal'>,
): Promise<AttemptEnding<never> | LeaseGrant> => {
  const name = nodeName(parts.state(), sink);
  const body = { way: leaseWayOf(connection), why, ...(together === undefined ? {} : { together }) };
  const reply = await parts.requests.request(sink, LEASE_TOPIC, body, {
    timeoutMs: REQUEST_INTERVAL_MS,
    signal,
  });
  switch (reply.kind) {
    case 'answer': {
      const answer: LeaseAnswer | undefined = decodeAnswer(reply.body);
      if (answer === undefined)
        return failed(`${name} replies in a way that this version does not understand`, 'not-understood');
      if (answer.kind === 'failed') return failed(answer.reason, 'sink-failed');
      return answer.kind === 'granted' ? answer : postponed(parts, answer.reason, answer.retryInMs);
    }
    case 'unreachable':
      return postponed(parts, `no link to ${name}: ${reply.reason}`, NO_LINK_RETRY_MS);
    case 'refused':
      return failed(`${name} refuses: ${reply.reason}`, 'refused');
    case 'timeout':
      return failed(`${name} was requested to start its end of the probe, but ${reply.reason}`, 'timeout');
    default:
      return reply satisfies never;
  }
};

const measure = async <T extends { readonly bytesUsed: number }>(
  parts: LinkAttemptParts,
  { connection, kind, subject: { sink, connectionKey } }: AttemptedLink,
  given: LinkAttempt<T> & { readonly grant: LeaseGrant; readonly ports: readonly string[] },
): Promise<{ readonly outcome: ProbeOutcome<T>; readonly spending: Spending }> => {
  const { self, clock, engines, ledger, log } = parts;
  const { grant, ports, signal, work, spendingOf } = given;
  const what = `${sink} ${connectionKey}`;
  const entry: Omit<ProbeLogEntry, 'kind' | 'atMs'> = {
    role: 'source',
    probe: kind,
    node: self,
    what,
    ports,
  };
  const startedAtMs = clock.nowMs();
  log({ ...entry, kind: 'started', atMs: startedAtMs });
  let outcome: ProbeOutcome<T> = failedProbe('it was stopped before it had measured anything');
  let spending: Spending = { busyMs: 0, bytesUsed: 0 };
  try {
    const timed = await withDeadline(clock, DEADLINE_MS[kind], signal, async limit => {
      const engine = engines[kind];
      if (engine === undefined) return failedProbe('no tool here measures RDMA', 'no-engine');
      const { port, ticket } = grant;
      return await work(engine, { connection, port, ticket, signal: limit });
    });
    outcome =
      timed.kind === 'done'
        ? timed.value
        : failedProbe(`it took longer than ${DEADLINE_MS[kind] / 1_000} s and was stopped`, 'deadline');
  } finally {
    // How long a failed probe used the wire is unknown: all of its time counts.
    const waitedMs = clock.nowMs() - startedAtMs;
    const { bytesUsed } = outcome.kind === 'measured' ? outcome.measurement : outcome;
    const counted = outcome.kind === 'measured' ? spendingOf(outcome.measurement) : undefined;
    // The rates of uploads are what the sink has returned: they make no probe longer than it was.
    spending = { busyMs: Math.min(waitedMs, counted?.busyMs ?? waitedMs), bytesUsed };
    ledger.charge(ports, spending);
    log({ ...entry, kind: 'ended', atMs: clock.nowMs() });
  }
  return { outcome, spending };
};

/** The lease would expire by itself, but others wait for the interface. */
const giveBack = async (
  { requests }: LinkAttemptParts,
  { subject: { sink } }: AttemptedLink,
  {
    grant,
    spent,
    signal,
  }: { readonly grant: LeaseGrant; readonly spent: Spending | undefined; readonly signal: AbortSignal },
): Promise<void> => {
  const { leaseId } = grant;
  const { busyMs, bytesUsed } = spent ?? { busyMs: LEASE_MS_ALL, bytesUsed: 0 };
  await requests.request(
    sink,
    RELEASE_TOPIC,
    { leaseId, busyMs, bytesUsed },
    { timeoutMs: GIVE_BACK_MS, signal },
  );
};

const postponed = (
  { random }: LinkAttemptParts,
  reason: string,
  retryInMs: number,
): AttemptEnding<never> => ({
  kind: 'postponed',
  reason,
  retryInMs: Math.min(RETRY_MS_MAX, Math.max(0, retryInMs)) + refusalWaitMs(random()),
});

const failed = (reason: string, code: ProbeFailureCode): AttemptEnding<never> => ({
  kind: 'ended',
  outcome: failedProbe(reason, code),
});

/** Starting the sink's child takes some tenths of a second. */
const REQUEST_INTERVAL_MS = 10_000;
const GIVE_BACK_MS = 1_000;
const NO_LINK_RETRY_MS = 15_000;
/** The limit, regardless of the sink's reply. */
const RETRY_MS_MAX = 600_000;
/** More than any lease: the sink counts the whole of it. */
const LEASE_MS_ALL = 3_600_000;
