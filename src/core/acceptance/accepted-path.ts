// The paths between accepted nodes that are judged: each cable once, with both of its ends.

import { type ConnectionFacts, rateFrom } from '../link/link-facts.ts';
import { typeText } from '../link/link-text.ts';
import { isCarrying, type LinkView, stageOfConnection } from '../link/link-view.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import type { ProbeSubject } from '../probe/probe-status.ts';
import { isUnknown, knownOr, type Reported, type Unknown, unknown } from '../unknown.ts';
import type { AcceptanceSources } from './acceptance-check.ts';
import { lastMeasured, SUBJECT_LENGTH_MAX } from './accepted-device.ts';
import type { Subject } from './limit.ts';

interface PathEnd {
  readonly view: NodeView;
  readonly interfaceName: Reported<string>;
}

export interface AcceptedPath extends Subject {
  readonly link: LinkView;
  readonly of: ConnectionFacts;
  /** In the order of the link's nodes. */
  readonly ends: readonly [PathEnd, PathEnd];
  /** Paths of one sort are comparable: medium, type, negotiated rate, and the processors of both ends. */
  readonly sort: string;
  /** Why its figures do not count; undefined if they do. */
  readonly unmeasured: Unknown | undefined;
}

/** An overlay runs over one of the others, and is judged only as part of that. */
export const acceptedPaths = (sources: AcceptanceSources): readonly AcceptedPath[] => {
  const views = new Map(sources.nodes.map(view => [view.nodeId, view]));
  return sources.links.flatMap(link => {
    const [one, other] = link.nodes.map(node => views.get(node));
    if (one === undefined || other === undefined || !isCarrying(link.standing)) return [];
    const physical = link.connections.filter(({ medium }) => medium !== 'overlay');
    return [...Map.groupBy(physical, ({ path }) => path).values()].flatMap(connections =>
      pathOf(sources, link, { connections, ends: [one, other] }),
    );
  });
};

const pathOf = (
  sources: AcceptanceSources,
  link: LinkView,
  {
    connections,
    ends: [one, other],
  }: { readonly connections: readonly ConnectionFacts[]; readonly ends: readonly [NodeView, NodeView] },
): readonly AcceptedPath[] => {
  const of = connections.find(({ isMeasuredHere }) => isMeasuredHere) ?? connections[0];
  if (of === undefined) return [];
  const ends = [endOf(connections, one), endOf(connections, other)] as const;
  const { medium, carrier } = of;
  return [
    {
      link,
      of,
      ends,
      subject: `${ends.map(endText).join(' to ')}, ${typeText(of)}`.slice(0, SUBJECT_LENGTH_MAX),
      nodes: [one.name, other.name],
      sort: [
        medium,
        knownOr(carrier.type, '?'),
        knownOr(carrier.negotiatedBitsPerSecond, '?'),
        ...[one, other].map(chipOf).sort(),
      ].join(' '),
      unmeasured: whyUnmeasured(sources, of),
    },
  ];
};

export interface PathDirection {
  readonly path: AcceptedPath;
  readonly from: 0 | 1;
  /** Over which its source can send. */
  readonly facts: ConnectionFacts;
  /** Names of nodes. */
  readonly source: string;
  readonly sink: string;
}

export const directionSubject = ({ facts: { sink, connectionKey } }: PathDirection): ProbeSubject => ({
  kind: 'link',
  sink,
  connectionKey,
});

/** Of a path that can be kept busy; radio is left out: all share it. */
export const directionsOf = (path: AcceptedPath): readonly PathDirection[] => {
  const { link, of, ends } = path;
  if (of.medium === 'wifi') return [];
  return ([0, 1] as const).flatMap((from): readonly PathDirection[] => {
    const [source, sink] = from === 0 ? ends : [ends[1], ends[0]];
    const facts = link.connections.find(
      one => one.path === of.path && one.source === source.view.nodeId && one.medium === of.medium,
    );
    return facts === undefined ? [] : [{ path, from, facts, source: source.view.name, sink: sink.view.name }];
  });
};

/** From one of its ends to the other, bits per second. */
export const rateOfPath = (
  { of, ends, unmeasured }: Pick<AcceptedPath, 'of' | 'ends' | 'unmeasured'>,
  from: 0 | 1,
): Reported<number> =>
  unmeasured ?? rateFrom(of, ends[from].view.nodeId) ?? unknown('not measured in this direction');

const endOf = (connections: readonly ConnectionFacts[], view: NodeView): PathEnd => {
  const names = connections.map(({ source, carrier: { ends } }) =>
    source === view.nodeId ? ends.source.interfaceName : ends.sink.interfaceName,
  );
  const interfaceName =
    names.find(name => !isUnknown(name)) ?? names[0] ?? unknown('no interface is reported');
  return { view, interfaceName };
};

const endText = ({ view: { name }, interfaceName }: PathEnd): string =>
  isUnknown(interfaceName) ? name : `${name} ${interfaceName}`;

const chipOf = ({ identity }: NodeView): string =>
  knownOr(knownValue(identity)?.chip ?? unknown('not read'), '?');

const whyUnmeasured = (
  { state, nowMs, ageMsMax }: AcceptanceSources,
  facts: ConnectionFacts,
): Unknown | undefined => {
  if (facts.failure !== undefined) return unknown(`its probe failed: ${facts.failure}`);
  if (facts.profile === undefined) {
    const stage = stageOfConnection(state, facts, nowMs);
    return unknown(stage?.kind === 'waiting' ? `its probe waits: ${stage.reason}` : 'not measured yet');
  }
  const ageMs = nowMs - facts.measuredAtMs;
  return ageMs <= ageMsMax ? undefined : lastMeasured(ageMs);
};
