// What should be measured, and when: derived from state each time, so a replayed journal starts nothing and a restart
// forgets nothing.

import { ageMsOf } from '../../core/entry-maps.ts';
import type { NodeId } from '../../core/ids.ts';
import { isNodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import { presence } from '../../core/node/presence-view.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import type { Entry, State } from '../../core/state.ts';
import type { Reported } from '../../core/unknown.ts';
import { isKnown, isUnknown } from '../../core/unknown.ts';
import type { ProbeDevice } from '../probe.ts';
import type { PortLoads } from './probe-interval.ts';
import { linkIntervalMs } from './probe-interval.ts';
import type { ProbeSettings } from './probe-settings.ts';

export type WantedProbe = WantedDevice | WantedLink;

interface Wanted {
  /** 0 or less: due. */
  readonly dueInMs: number;
  readonly intervalMs: number;
  /** Nothing was ever measured or tried. */
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
  readonly subject: Extract<ProbeSubject, { kind: 'link' }>;
  readonly connection: Connection;
}

export interface WantedAt {
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

/** Of the connections with this node as source, to present sinks. */
export const wantedLinks = (
  state: State,
  loads: PortLoads,
  { self, settings, nowMs }: WantedAt,
): readonly WantedLink[] =>
  Object.entries(state.connections[self] ?? {}).flatMap(([sink, held]) => {
    if (!isNodeId(sink) || sink === self || presence(state, sink, nowMs) === 'offline') return [];
    return Object.entries(held).map(([connectionKey, { value: connection }]): WantedLink => {
      const entry = state.linkProfiles[self]?.[sink]?.[connectionKey];
      const link = { source: self, key: connectionKey, connection };
      const intervalMs = linkIntervalMs(state, link, { loads, settings });
      const subject = { kind: 'link' as const, sink, connectionKey };
      return { kind: connection.kind, subject, connection, ...dueOf(entry, intervalMs, nowMs) };
    });
  });

interface Profile {
  readonly intervalMs: Reported<number>;
  readonly failure: Reported<'none'>;
}

const dueOf = (entry: Entry<Profile> | undefined, intervalMs: number, nowMs: number): Wanted => {
  if (entry === undefined) return { dueInMs: 0, intervalMs, isFirst: true, after: 'none' };
  const { failure, intervalMs: told } = entry.value;
  // After a failure the recorded time is the backoff; after a success settings and neighbours may have changed since.
  const lastsMs = isUnknown(failure) && isKnown(told) ? told : intervalMs;
  const after = `${entry.epoch} ${entry.seq}`;
  return { dueInMs: lastsMs - ageMsOf(entry, nowMs), intervalMs, isFirst: false, after };
};
