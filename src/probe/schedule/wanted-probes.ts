// What should be measured, and when: derived from state each time, so a replayed journal starts nothing and a restart
// forgets nothing.

import { ageMsOf } from '../../core/entry-maps.ts';
import { minimumOf } from '../../core/extremes.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import type { PathMeasurement, PathProfiles } from '../../core/link/link-path.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import type { Entry, State } from '../../core/state.ts';
import { isKnown, isUnknown, type Reported } from '../../core/unknown.ts';
import type { ProbeDevice } from '../probe.ts';
import { type CurrentPath, currentPaths, type OpenConnection } from './current-paths.ts';
import { linkIntervalMs, type PortLoads } from './probe-interval.ts';
import type { ProbeSettings } from './probe-settings.ts';

export type WantedProbe = WantedDevice | WantedLink;

interface Wanted {
  /** 0 or less: due. */
  readonly dueInMs: number;
  readonly intervalMs: number;
  /** Nothing was measured or tried, ever or since the path opened. */
  readonly isFirst: boolean;
  /** The profile that it follows; changes after each attempt. */
  readonly after: string;
}

export interface WantedDevice extends Wanted {
  readonly kind: 'gpu';
  readonly subject: Extract<ProbeSubject, { kind: 'gpu' }>;
  readonly device: ProbeDevice;
}

export interface WantedLink extends Wanted {
  readonly kind: 'socket' | 'rdma';
  readonly subject: LinkSubject;
  /** This end is the one that measures the path, as long as it does. */
  readonly isOwnTurn: boolean;
  /** The same path by its other addresses. */
  readonly others: readonly LinkSubject[];
  readonly connection: Connection;
  /** Newest profile of the path, from either end. */
  readonly newest: PathMeasurement | undefined;
  readonly tried: PathMeasurement | undefined;
}

type LinkSubject = Extract<ProbeSubject, { kind: 'link' }>;

interface WantedAt {
  readonly self: NodeId;
  readonly settings: ProbeSettings;
  readonly nowMs: number;
}

export const wantedDevices = (
  state: State,
  devices: readonly ProbeDevice[],
  { self, settings, nowMs }: WantedAt,
): readonly WantedDevice[] =>
  devices.map(device => {
    const entry = state.nodeGpuProfiles[self]?.[device.deviceId];
    const subject = { kind: 'gpu' as const, deviceId: device.deviceId };
    return { kind: 'gpu', subject, device, ...dueOf(entry, settings.gpuTtlMs, nowMs) };
  });

/**
 * The paths from this node to present sinks, each over one of its addresses. Both ends see the same path and
 * choose the same connection; the end that has not been chosen measures only if the other one has not for a
 * while.
 */
export const wantedLinks = (
  state: State,
  loads: PortLoads,
  { self, settings, nowMs }: WantedAt,
  isRequested: (subject: ProbeSubject) => boolean = () => false,
): readonly WantedLink[] =>
  [...currentPaths(state, nowMs, self)].flatMap((path): readonly WantedLink[] => {
    const { profiles } = path;
    const inOrder = inOrderOfChoice(state, path);
    const own = inOrder.filter(({ source }) => source === self);
    const link = own.find(one => isRequested(subjectOf(one))) ?? own[0];
    if (link === undefined) return [];
    const isOwnTurn = inOrder[0]?.source === self;
    const intervalMs = linkIntervalMs(state, link, { loads, settings });
    const due = pathDueOf(profiles, { openedAtMs: openedAtMs(own), intervalMs, nowMs });
    return [
      {
        kind: link.connection.kind,
        subject: subjectOf(link),
        isOwnTurn,
        others: own.filter(one => one !== link).map(subjectOf),
        connection: link.connection,
        newest: profiles?.newest,
        tried: profiles?.tried,
        ...due,
        dueInMs: due.dueInMs + (isOwnTurn ? 0 : OTHER_END_MS),
      },
    ];
  });

const subjectOf = ({ key, connection }: OpenConnection): LinkSubject => ({
  kind: 'link',
  sink: connection.sink,
  connectionKey: key,
});

/**
 * Those that did not fail before those that did; of those that failed, the one that was tried longest ago.
 * After a failure it is the other end's turn: a firewall passes one direction more often than none. Then the
 * lesser id, then the plainest address.
 */
const inOrderOfChoice = (state: State, { connections, profiles }: CurrentPath): readonly OpenConnection[] => {
  const tried = profiles?.tried;
  const failedFrom = tried !== undefined && isUnknown(tried.entry.value.failure) ? tried.source : undefined;
  return connections
    .map(link => {
      const entry = state.linkProfiles[link.source]?.[link.connection.sink]?.[link.key];
      const failedAtMs =
        entry !== undefined && isUnknown(entry.value.failure)
          ? entry.receivedAtMs - entry.ageMs
          : Number.NEGATIVE_INFINITY;
      return { link, failedAtMs };
    })
    .sort(
      (a, b) =>
        compare(a.failedAtMs, b.failedAtMs) ||
        Number(a.link.source === failedFrom) - Number(b.link.source === failedFrom) ||
        compare(a.link.source, b.link.source) ||
        addressRank(a.link) - addressRank(b.link) ||
        compare(a.link.key, b.link.key),
    )
    .map(({ link }) => link);
};

const compare = <T extends number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** IPv4, then IPv6, then what needs a scope. */
const addressRank = ({ connection }: OpenConnection): number => {
  if (connection.kind === 'rdma') return 0;
  return connection.sinkAddress.includes('%') ? 2 : connection.sinkAddress.includes(':') ? 1 : 0;
};

/** Since when the path has been open at this end, at the latest: an entry is written again when its type or rate changes. */
const openedAtMs = (own: readonly OpenConnection[]): number =>
  minimumOf(own.map(({ entry }) => entry.receivedAtMs - entry.ageMs));

const pathDueOf = (
  profiles: PathProfiles | undefined,
  {
    openedAtMs: openMs,
    intervalMs,
    nowMs,
  }: { readonly openedAtMs: number; readonly intervalMs: number; readonly nowMs: number },
): Wanted => {
  // A path that was never measured is due since it opened: the other end's 45 s start there, not at each
  // check.
  const sinceOpenMs = Math.min(0, openMs - nowMs);
  if (profiles === undefined) return { ...dueOf(undefined, intervalMs, nowMs), dueInMs: sinceOpenMs };
  const { newest, tried } = profiles;
  const due = dueOf(tried.entry, intervalMs, nowMs);
  const after = `${tried.source} ${due.after}`;
  if (tried.triedAtMs >= openMs) return { ...due, after };
  // A failure before it was lost is no evidence about its current state.
  const dueInMs = newest === undefined ? sinceOpenMs : intervalMs - (nowMs - newest.measuredAtMs);
  return { ...due, after, dueInMs, isFirst: true };
};

interface Profile {
  readonly intervalMs: Reported<number>;
  readonly failure: Reported<'none'>;
}

const dueOf = (entry: Entry<Profile> | undefined, intervalMs: number, nowMs: number): Wanted => {
  if (entry === undefined) return { dueInMs: 0, intervalMs, isFirst: true, after: 'none' };
  const { failure, intervalMs: reported } = entry.value;
  // After a failure the recorded time is the backoff; after a success settings and neighbours may have changed since.
  const lastsMs = isUnknown(failure) && isKnown(reported) ? reported : intervalMs;
  const after = `${entry.epoch} ${entry.seq}`;
  return { dueInMs: lastsMs - ageMsOf(entry, nowMs), intervalMs, isFirst: false, after };
};

/** Longer than an end's spread of starts and a turn of its reconciler. */
export const OTHER_END_MS = 45_000;
