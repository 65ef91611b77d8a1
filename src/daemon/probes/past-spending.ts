// What bandwidth probes from before the restart have spent, from the profiles in the journal: otherwise a daemon that
// restarts often would have a full account each time. It only reads and reports.

import type { Clock } from '../../clock/clock.ts';
import { ageMsOf } from '../../core/entry-maps.ts';
import { maximumOf } from '../../core/extremes.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import type { State } from '../../core/state.ts';
import { type HistoryRow, JournalError, type PastQuery } from '../../journal/journal.ts';
import { BACKOFF_MS_MIN } from '../../probe/schedule/backoff.ts';
import { sinkPorts, sourcePorts } from '../../probe/schedule/link-ports.ts';
import { believableSpending, spendingOf } from '../../probe/schedule/probe-interval.ts';
import { LEDGER_REACH_MS, type Spending } from '../../probe/schedule/spend-ledger.ts';
import { decodeRecordBody } from '../../wire/durable-record.ts';

interface PastSpendingParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly past: (query: PastQuery) => readonly HistoryRow[];
}

interface PastProbe {
  /** What this node has measured itself; undefined where it was the sink. */
  readonly subject: ProbeSubject | undefined;
  /** This node's; none where they are not known any more. */
  readonly ports: readonly string[];
  readonly spending: Spending;
  /** On this process's monotonic clock, before its start most often. */
  readonly atMs: number;
}

/** Ascending by time. */
export const pastSpending = (parts: PastSpendingParts): readonly PastProbe[] =>
  oneAtATime(
    [...current(parts), ...superseded(parts)]
      .filter(({ atMs }) => parts.clock.nowMs() - atMs <= LEDGER_REACH_MS)
      .sort((a, b) => a.atMs - b.atMs),
  );

/**
 * An interface carries one probe at a time, so what peers have recorded as its sources is counted for no more time than has
 * passed since the previous one: however many profiles a peer writes, they cost what that time can cost.
 */
const oneAtATime = (probes: readonly PastProbe[]): readonly PastProbe[] => {
  const endedAtMs = new Map<string, number>();
  return probes.map(probe => {
    const { subject, ports, spending, atMs } = probe;
    const sinceMs = atMs - maximumOf(ports.map(port => endedAtMs.get(port) ?? Number.NEGATIVE_INFINITY));
    for (const port of ports) endedAtMs.set(port, atMs);
    // A failed probe has no time of its own; it is repeated after its backoff at the earliest.
    const tookMs = spending.busyMs > 0 ? spending.busyMs : BACKOFF_MS_MIN;
    if (subject !== undefined || !(sinceMs < tookMs)) return probe;
    const part = sinceMs / tookMs;
    return {
      ...probe,
      spending: { busyMs: spending.busyMs * part, bytesUsed: spending.bytesUsed * part },
    };
  });
};

/** The newest of each connection, which state holds. */
function* current({ nodeId, clock, state }: PastSpendingParts): Iterable<PastProbe> {
  const now = state();
  const nowMs = clock.nowMs();
  for (const [source, sinks] of Object.entries(now.linkProfiles)) {
    if (!isNodeId(source)) continue;
    for (const [sink, profiles] of Object.entries(sinks)) {
      if (source !== nodeId && sink !== nodeId) continue;
      for (const entry of Object.values(profiles))
        yield pastProbe(now, nodeId, { source, profile: entry.value, atMs: nowMs - ageMsOf(entry, nowMs) });
    }
  }
}

function* superseded({ nodeId, clock, state, past }: PastSpendingParts): Iterable<PastProbe> {
  const wallMs = clock.wallMs();
  for (const { origin, body, atWallMs } of rowsOf(past, nodeId, wallMs - LEDGER_REACH_MS)) {
    const decoded = decodeRecordBody(body, { ageMs: 0, receivedAtMs: 0 });
    if (decoded.kind !== 'event' || decoded.event.kind !== 'link.profiled') continue;
    // If the wall clock was set back meanwhile, nothing lands in the future.
    const atMs = clock.nowMs() - Math.max(0, wallMs - atWallMs);
    yield pastProbe(state(), nodeId, { source: origin, profile: decoded.event.payload, atMs });
  }
}

/** An unreadable journal is reported elsewhere; here it only means a full account. */
const rowsOf = (
  past: PastSpendingParts['past'],
  node: NodeId,
  sinceWallMs: number,
): readonly HistoryRow[] => {
  try {
    return past({ node, slot: 'link', sinceWallMs, limit: PAST_PROBES_MAX });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return [];
  }
};

const pastProbe = (
  state: State,
  self: NodeId,
  {
    source,
    profile,
    atMs,
  }: { readonly source: NodeId; readonly profile: LinkProfile; readonly atMs: number },
): PastProbe => {
  const { sink, connectionKey, bytesUsed } = profile;
  // How long a failed one held the wire is not written down.
  const spending = spendingOf(profile) ?? believableSpending({ busyMs: 0, bytesUsed });
  const connection = state.connections[source]?.[sink]?.[connectionKey]?.value;
  const subject = source === self ? { kind: 'link' as const, sink, connectionKey } : undefined;
  return { subject, ports: portsOf(state, self, { source, connection }), spending, atMs };
};

/** The interface of a connection that has closed since is not known. */
const portsOf = (
  state: State,
  self: NodeId,
  { source, connection }: { readonly source: NodeId; readonly connection: Connection | undefined },
): readonly string[] => {
  if (connection === undefined) return [];
  return source === self ? sourcePorts(state, self, connection) : sinkPorts(state, connection);
};

/** Two thousand connections, five times each: past that the oldest are left out. */
const PAST_PROBES_MAX = 10_000;
