// Views that are not stored: nodes as one view, links as a flat list.

import { ageMsOf } from '../../core/entry-maps.ts';
import { type Group, groupSummary } from '../../core/group/group-view.ts';
import type { NodeId } from '../../core/ids.ts';
import type { ConnectionFacts, LostPath } from '../../core/link/link-facts.ts';
import { isCarrying, type LinkView, linkViews } from '../../core/link/link-view.ts';
import { type MeasuredDevice, nodeView } from '../../core/node/node-view.ts';
import type { ProbeStage } from '../../core/probe/probe-stage.ts';
import { unusualLinkFigures } from '../../core/probe/unusual-figures.ts';
import type { State } from '../../core/state.ts';
import { type Unknown, unknown } from '../../core/unknown.ts';
import type {
  ListedLink,
  ListedLoss,
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

/**
 * Open connections between nodes that are here, and of each link the paths that are lost. An offline node carries nothing: what was
 * measured to it is listed as lost. @param links as the caller has looked at them already
 */
export const listedLinks = (
  state: State,
  nowMs: number,
  links: readonly LinkView[] = linkViews(state, nowMs),
): readonly ListedLink[] =>
  links.flatMap(link => [
    ...(isCarrying(link.standing) ? link.connections : []).map(facts => listedLink(state, facts, nowMs)),
    ...lostOf(link).map(path => ({ ...listedLink(state, path.of, nowMs), lost: listedLoss(path, nowMs) })),
  ]);

/** Those of one node. */
export const listedLinksFrom = (state: State, source: NodeId, nowMs: number): readonly ListedLink[] =>
  listedLinks(
    state,
    nowMs,
    linkViews(state, nowMs).filter(({ nodes }) => nodes.includes(source)),
  ).filter(link => link.source === source);

const lostOf = ({ lost, away }: LinkView): readonly LostPath[] => [...lost, ...away];

const listedLoss = ({ code, reason, lostAtMs, cause }: LostPath, nowMs: number): ListedLoss => ({
  code,
  reason,
  ageMs: Math.max(0, nowMs - lostAtMs),
  deadEnds: cause.deadEnds,
});

const listedLink = (state: State, facts: ConnectionFacts, nowMs: number): ListedLink => {
  const { source, sink, connectionKey, connection, carrier, path, profile, triedAtMs } = facts;
  const entry =
    state.connections[source]?.[sink]?.[connectionKey] ??
    state.lostConnections[source]?.[sink]?.[connectionKey];
  const openMs = entry === undefined ? 0 : ageMsOf(entry, nowMs);
  return {
    source,
    sink,
    connectionKey,
    path,
    connection: { value: connection, ageMs: openMs },
    carrier,
    profile:
      profile === undefined
        ? unknown('not measured yet')
        : { value: profile, ageMs: Math.max(0, nowMs - triedAtMs) },
    unusual: facts.isMeasuredHere
      ? unusualLinkFigures(state, source, { kind: 'link', sink, connectionKey })
      : [],
    lost: unknown('it is open'),
  };
};
