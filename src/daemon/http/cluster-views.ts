// Views that are not stored: nodes as one view, links as a flat list.

import { ageMsOf } from '../../core/entry-maps.ts';
import type { Group } from '../../core/group/group-view.ts';
import { groupSummary } from '../../core/group/group-view.ts';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import { endReadings, linkCarrier } from '../../core/link/link-ends.ts';
import { type MeasuredDevice, nodeView } from '../../core/node/node-view.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import type { ProbeStage } from '../../core/probe/probe-stage.ts';
import { unusualLinkFigures } from '../../core/probe/unusual-figures.ts';
import type { Entry, State } from '../../core/state.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import type {
  Aged,
  ListedLink,
  ListedMeasurement,
  ListedNode,
  ListedStage,
} from '../../wire/api/cluster-answers.ts';
import type { ListedGroup } from '../../wire/api/group-answers.ts';

/** A node's view in which profiles carry their age now, like everything else in it. */
export const listedNode = (state: State, node: NodeId, nowMs: number): ListedNode => {
  const view = nodeView(state, node, nowMs);
  return {
    ...view,
    silentMs: finite(view.silentMs),
    stoppedMs: view.stoppedMs ?? NOTHING,
    gpus: view.gpus.map(vendor => ({
      ...vendor,
      devices: vendor.devices.map(gpu => ({
        ...gpu,
        load: gpu.load ?? NOTHING,
        loadAgeMs: finite(gpu.loadAgeMs),
        health: gpu.health ?? NOTHING,
        ...listedMeasurement(gpu, nowMs),
      })),
    })),
    cpu: listedMeasurement(view.cpu, nowMs),
    conflict: view.conflict ?? NOTHING,
  };
};

export const listedGroup = (group: Group): ListedGroup => {
  const { reason, memoryUse, kind, ...summary } = groupSummary(group);
  return {
    ...summary,
    ...(reason === undefined ? {} : { reason }),
    memoryUse: memoryUse ?? NOTHING,
    kind: kind.kind === 'one' ? kind.name : unknown(kind.kind === 'mixed' ? 'of several kinds' : 'not known'),
  };
};

const listedMeasurement = ({ profile, probe }: MeasuredDevice, nowMs: number): ListedMeasurement => ({
  profile: profile === undefined ? NOTHING : { ...profile, ageMs: ageMsOf(profile, nowMs) },
  probe: probe === undefined ? NOTHING : listedStage(probe),
});

const listedStage = (stage: ProbeStage): ListedStage =>
  stage.kind === 'running' ? stage : { ...stage, nextInMs: stage.nextInMs ?? NOTHING };

const finite = (ms: number): number | Unknown => (Number.isFinite(ms) ? ms : unknown('never'));

export const NOTHING: Unknown = unknown('nothing reported yet');

/** Connections of nodes that are here; an offline node carries nothing. */
export const listedLinks = (state: State, nowMs: number): readonly ListedLink[] => {
  const present = new Set(nodeIds(state).filter(node => presence(state, node, nowMs) !== 'offline'));
  return [...present].flatMap(source => listedLinksFrom(state, source, { nowMs, present }));
};

/** Those of one node to nodes that are here. */
export const listedLinksFrom = (
  state: State,
  source: NodeId,
  { nowMs, present }: { readonly nowMs: number; readonly present: ReadonlySet<NodeId> },
): readonly ListedLink[] =>
  Object.keys(state.connections[source] ?? {})
    .filter((id): id is NodeId => isNodeId(id) && present.has(id))
    .flatMap(sink => listedLinksBetween(state, { source, sink, nowMs }));

const listedLinksBetween = (
  state: State,
  { source, sink, nowMs }: { readonly source: NodeId; readonly sink: NodeId; readonly nowMs: number },
): readonly ListedLink[] =>
  Object.entries(state.connections[source]?.[sink] ?? {}).map(([connectionKey, connection]) => {
    const profile = state.linkProfiles[source]?.[sink]?.[connectionKey];
    return {
      source,
      sink,
      connectionKey,
      connection: aged(connection, nowMs),
      carrier: linkCarrier(connection.value, endReadings(state, source), endReadings(state, sink)),
      profile: profile === undefined ? unknown('not measured yet') : aged(profile, nowMs),
      unusual: unusualLinkFigures(state, source, { kind: 'link', sink, connectionKey }),
    };
  });

const aged = <T>(entry: Entry<T>, nowMs: number): Aged<T> => ({
  value: entry.value,
  ageMs: ageMsOf(entry, nowMs),
});
