// The third stage: every cable carries what it negotiated in both directions, as fast and as soon as others of its kind, without
// resending or loss, with one MTU at both ends and between; no path is lost, and RDMA works where it is possible.

import { maximumOf, minimumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import { soundShare } from '../link/link-shortfall.ts';
import { isCarrying } from '../link/link-view.ts';
import { lossReason, lostPathText } from '../link/loss-text.ts';
import { datagramLossText, FAULTY_LOSS_SHARE, lossFrom } from '../link/path-loss.ts';
import { interfaceMtu, measuredMtu, mtuFault, mtuFaultCost, mtuFaultText } from '../link/path-mtu.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import {
  DOWNLOAD,
  LATER_SHARE_MIN,
  type LinkFigure,
  ROUND_TRIP,
  UPLOAD,
  usualLinkFigure,
  VARIATION_SHARE,
} from '../probe/unusual-figures.ts';
import { sentenceText } from '../text/sentence.ts';
import { isKnown, isUnknown, type Reported, unknown } from '../unknown.ts';
import { rdmaWarnings } from '../warnings/rdma-warnings.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { SUBJECT_LENGTH_MAX } from './accepted-device.ts';
import { type AcceptedPath, acceptedPaths, rateOfPath } from './accepted-path.ts';
import {
  comparableLimit,
  type Judged,
  judgedBy,
  judgedFigure,
  type Limit,
  planLimit,
  type Subject,
  undecided,
  unitText,
} from './limit.ts';

const nodesLinked = ({ nodes, links }: AcceptanceSources): readonly Judged[] => {
  const there = nodes.filter(({ presence }) => presence !== 'offline');
  if (there.length < 2) return [];
  return there.map(({ nodeId, name }) => {
    const open = links.filter(({ nodes: ends, standing }) => ends.includes(nodeId) && isCarrying(standing));
    return judgedBy({ subject: name, nodes: [name] }, open.length === 0 ? 'fail' : 'pass', {
      value: open.length,
      limit: 1,
      reason:
        open.length === 0
          ? 'no link to any other of these nodes is open'
          : `linked to ${open.length} of ${there.length - 1} others`,
    });
  });
};

const pathsOpen = ({ nodes, links, nowMs }: AcceptanceSources): readonly Judged[] => {
  const names = new Map(nodes.map(({ nodeId, name }) => [nodeId, name]));
  const nameOf = (node: NodeId): string => names.get(node) ?? node;
  return links.flatMap(({ nodes: ends, lost, standing }): readonly Judged[] => {
    if (standing.kind === 'gone' || standing.kind === 'returning') return [];
    const subject = { subject: ends.map(nameOf).join(' and '), nodes: ends.map(nameOf) };
    return [
      judgedBy(subject, lost.length === 0 ? 'pass' : 'fail', {
        value: lost.length,
        limit: 0,
        reason:
          lost.length === 0
            ? 'no path between them is lost'
            : lost.map(path => `${lostPathText(path, ends, nowMs)}: ${lossReason(path, nameOf)}`).join('; '),
      }),
    ];
  });
};

const rates: AcceptanceCheck['judge'] = (sources, planned) => {
  const paths = acceptedPaths(sources);
  return paths.flatMap(path =>
    BOTH_WAYS.map(from => {
      const [source, sink] = from === 0 ? path.ends : [path.ends[1], path.ends[0]];
      const limits = [
        ...planLimit(planned),
        ...negotiatedLimit(path),
        ...comparableLimit(equalRates(paths, path), {
          unit: 'bits/s',
          side: 'min',
          variation: CABLE_VARIATION,
          parts: 'directions of such cables',
        }),
        ...usualLimit(sources, path, {
          figure: path.of.source === source.view.nodeId ? UPLOAD : DOWNLOAD,
          factor: 1 - VARIATION_SHARE,
        }),
      ];
      return judgedFigure({
        subject: `${source.view.name} to ${sink.view.name}: ${path.subject}`.slice(0, SUBJECT_LENGTH_MAX),
        nodes: path.nodes,
        value: rateOfPath(path, from),
        side: 'min',
        limits,
        without: `${isUnknown(path.of.carrier.negotiatedBitsPerSecond) ? `its negotiated rate is unknown (${path.of.carrier.negotiatedBitsPerSecond.reason})` : 'nothing can be expected of its kind'}, and there is nothing comparable; a plan can set a limit`,
      });
    }),
  );
};

const roundTrips: AcceptanceCheck['judge'] = (sources, planned) => {
  const paths = acceptedPaths(sources);
  return paths.flatMap((path): readonly Judged[] => {
    const limits = [
      ...planLimit(planned),
      ...comparableLimit(equal(paths, path, timeOf), {
        unit: 'ns',
        side: 'max',
        variation: TIME_VARIATION,
        parts: 'paths',
      }),
      ...usualLimit(sources, path, { figure: ROUND_TRIP, factor: 1 + LATER_SHARE_MIN }),
    ];
    // Without anything to compare with, a time alone shows nothing.
    if (limits.length === 0) return [];
    const value = path.unmeasured ?? path.of.profile?.roundTripNsP50;
    return value === undefined ? [] : [judgedFigure({ ...path, value, side: 'max', limits, without: '' })];
  });
};

const resent: AcceptanceCheck['judge'] = (sources, planned) =>
  acceptedPaths(sources).flatMap((path): readonly Judged[] => {
    const { profile, medium } = path.of;
    // A radio resends; RDMA reports none.
    if (profile === undefined || path.unmeasured !== undefined || medium !== 'cable') return [];
    const { retransmits, bytesUsed } = profile;
    if (isUnknown(retransmits) || bytesUsed <= 0) return [];
    return [
      judgedResent(path, {
        retransmits,
        bytes: bytesUsed,
        planned,
        text: 'of the segments that the probe sent',
      }),
    ];
  });

interface Resent {
  readonly retransmits: number;
  readonly bytes: number;
  readonly planned: number | undefined;
  readonly text: string;
}

export const judgedResent = (subject: Subject, { retransmits, bytes, planned, text }: Resent): Judged =>
  judgedFigure({
    ...subject,
    value: retransmits / Math.max(1, bytes / SEGMENT_BYTES),
    side: 'max',
    limits: [...planLimit(planned), { value: RESENT_SHARE, from: 'rule', text }],
    without: '',
  });

const equalMtu: AcceptanceCheck['judge'] = (sources, planned) =>
  acceptedPaths(sources).flatMap((path): readonly Judged[] => {
    const { of, ends, unmeasured } = path;
    if (of.connection.kind !== 'socket' || of.medium !== 'cable') return [];
    const [own, their] = [
      interfaceMtu(ends[0].view, ends[0].interfaceName),
      interfaceMtu(ends[1].view, ends[1].interfaceName),
    ];
    const ways = BOTH_WAYS.map(from => unmeasured ?? measuredMtu(of, ends[from].view.nodeId));
    const [there = NOT_MEASURED, back = NOT_MEASURED] = ways;
    const rates = BOTH_WAYS.map(from => rateOfPath(path, from)).filter(isKnown);
    const { type, negotiatedBitsPerSecond } = of.carrier;
    const fault = mtuFault({
      ends: [own, their],
      ways: [there, back],
      type,
      negotiatedBitsPerSecond,
      bitsPerSecond: rates.length === 0 ? NOT_MEASURED : minimumOf(rates),
    });
    if (fault?.kind === 'unknown')
      return [undecided(path, `the MTU of an end is not known: ${fault.reason}`)];
    if (fault !== undefined && fault.kind !== 'small') {
      const [value, limit] =
        fault.kind === 'between'
          ? [fault.bytes, fault.endBytes]
          : [minimumOf(fault.bytes), maximumOf(fault.bytes)];
      return [
        judgedBy(path, 'fail', {
          value,
          limit,
          reason: `${mtuFaultText(fault)}: large packets are lost or split`,
        }),
      ];
    }
    if (planned !== undefined)
      return [judgedFigure({ ...path, value: own, side: 'min', limits: planLimit(planned), without: '' })];
    const passed = ways.every(isKnown) ? 'equal at both ends, and passes both ways' : 'equal at both ends';
    const reason = fault === undefined ? passed : `${passed}. ${mtuFaultCost(fault)}`;
    return [judgedBy(path, 'pass', { value: own, limit: own, reason })];
  });

/** The interval of what the datagrams show must be above the limit: a lost one of a thousand is no fault yet. */
const lostDatagrams: AcceptanceCheck['judge'] = (sources, planned) =>
  acceptedPaths(sources).flatMap(path =>
    BOTH_WAYS.flatMap((from): readonly Judged[] => {
      const { of, ends, unmeasured } = path;
      if (of.connection.kind !== 'socket' || of.medium !== 'cable' || unmeasured !== undefined) return [];
      const [source, sink] = from === 0 ? ends : [ends[1], ends[0]];
      const loss = lossFrom(of, source.view.nodeId);
      if (loss === undefined) return [];
      return [
        judgedFigure({
          subject: `${source.view.name} to ${sink.view.name}: ${path.subject}`.slice(0, SUBJECT_LENGTH_MAX),
          nodes: path.nodes,
          value: loss.low,
          side: 'max',
          limits: [
            ...planLimit(planned),
            {
              value: FAULTY_LOSS_SHARE,
              from: 'rule',
              text: `${datagramLossText(loss)} lost; the least that explains it`,
            },
          ],
          without: '',
        }),
      ];
    }),
  );

const rdmaWorks = ({ nodes }: AcceptanceSources): readonly Judged[] => {
  const warnings = rdmaWarnings(nodes);
  return nodes.flatMap((view): readonly Judged[] => {
    const found = warnings.filter(warning => warning.nodes.includes(view.nodeId));
    if (found.length === 0 && !hasRdma(view)) return [];
    return [
      judgedBy({ subject: view.name, nodes: [view.name] }, found.length === 0 ? 'pass' : 'fail', {
        value: found.length,
        limit: 0,
        reason:
          found.length === 0
            ? 'no port is down on a linked cable'
            : found.map(({ title }) => sentenceText(title)).join('; '),
      }),
    ];
  });
};

const hasRdma = ({ presence, rdmaDevices }: NodeView): boolean =>
  presence !== 'offline' && (knownValue(rdmaDevices)?.devices.length ?? 0) > 0;

const negotiatedLimit = ({ of }: AcceptedPath): readonly Limit[] => {
  const negotiated = of.carrier.negotiatedBitsPerSecond;
  const share = soundShare(of);
  // TCP over InfiniBand is limited by processors long before the port is: its RDMA path shows what the cable carries.
  const isOverInfiniband = of.connection.kind === 'socket' && of.carrier.type === 'infiniband';
  if (isUnknown(negotiated) || share === undefined || isOverInfiniband) return [];
  return [
    {
      value: share * negotiated,
      from: 'negotiated',
      text: `${Math.round(share * 100)} % of the negotiated ${unitText('bits/s', negotiated)}`,
    },
  ];
};

const usualLimit = (
  { state }: AcceptanceSources,
  { of: { source, sink, connectionKey, isMeasuredHere } }: AcceptedPath,
  { figure, factor }: { readonly figure: LinkFigure; readonly factor: number },
): readonly Limit[] => {
  const usual = isMeasuredHere
    ? usualLinkFigure(state, source, { kind: 'link', sink, connectionKey }, figure)
    : undefined;
  if (usual === undefined) return [];
  return [
    {
      value: usual * factor,
      from: 'baseline',
      text: `${Math.round(factor * 100)} % of its median of the last week, ${unitText(figure === ROUND_TRIP ? 'ns' : 'bits/s', usual)}`,
    },
  ];
};

const equal = (
  paths: readonly AcceptedPath[],
  { sort }: AcceptedPath,
  figureOf: (path: AcceptedPath) => readonly number[],
): readonly number[] => paths.flatMap(other => (other.sort === sort ? figureOf(other) : []));

/** A radio is as fast as its place in the room. */
const equalRates = (paths: readonly AcceptedPath[], path: AcceptedPath): readonly number[] =>
  path.of.medium === 'wifi' || path.of.medium === 'unknown'
    ? []
    : equal(paths, path, other => BOTH_WAYS.map(from => rateOfPath(other, from)).filter(isKnown));

const timeOf = ({ of, unmeasured }: AcceptedPath): readonly number[] => {
  const time = of.profile?.roundTripNsP50;
  return unmeasured !== undefined || time === undefined || isUnknown(time) || of.medium === 'wifi'
    ? []
    : [time];
};

export const LINK_CHECKS: readonly AcceptanceCheck[] = [
  {
    id: 'node-linked',
    stage: 'links',
    title: 'Linked nodes',
    unit: '',
    threshold: 'Every node has an open link to another of them.',
    judge: nodesLinked,
  },
  {
    id: 'paths-open',
    stage: 'links',
    title: 'Lost paths',
    unit: '',
    threshold: 'No path that was open between two of the nodes is lost.',
    judge: pathsOpen,
  },
  {
    id: 'link-rate',
    stage: 'links',
    title: 'Bandwidth of a direction',
    unit: 'bits/s',
    threshold:
      '60 % of the negotiated rate, 25 % for TCP over Thunderbolt, 15 % over Wi-Fi, nothing for TCP over InfiniBand; 75 % of the median of cables of its kind between such processors; 75 % of its median of the last week.',
    plan: 'min',
    judge: rates,
  },
  {
    id: 'round-trip',
    stage: 'links',
    title: 'Round trip, median',
    unit: 'ns',
    threshold:
      'Twice the median of paths of its kind between such processors; three times its median of the last week.',
    plan: 'max',
    judge: roundTrips,
  },
  {
    id: 'resent',
    stage: 'links',
    title: 'Resent segments',
    unit: 'small share',
    threshold: 'At most 2 % of the segments of 1,448 bytes that the probe of a cable sent.',
    plan: 'max',
    judge: resent,
  },
  {
    id: 'datagram-loss',
    stage: 'links',
    title: 'Lost datagrams of a direction',
    unit: 'small share',
    threshold:
      'At most 0.1 % of the paced UDP datagrams of a cable, by the lower bound of the 95 % interval of what was lost.',
    plan: 'max',
    judge: lostDatagrams,
  },
  {
    id: 'mtu',
    stage: 'links',
    title: 'MTU, bytes',
    unit: '',
    threshold:
      'Equal at both ends of a cable, and packets of that size pass both ways, if measured; a plan may require a size.',
    plan: 'min',
    judge: equalMtu,
  },
  {
    id: 'rdma',
    stage: 'links',
    title: 'RDMA',
    unit: '',
    threshold: 'Switched on where a cable can carry it, every linked port active, no ring of bridges.',
    judge: rdmaWorks,
  },
];

const BOTH_WAYS = [0, 1] as const;
const NOT_MEASURED: Reported<number> = unknown('not measured yet');
const CABLE_VARIATION = 0.25;
const TIME_VARIATION = 1;
/** Payload of TCP in a packet of 1,500 bytes, with timestamps (RFC 7323). */
const SEGMENT_BYTES = 1_448;
/** A sound cable resends some while a window grows; one that loses frames resends several per cent. */
const RESENT_SHARE = 0.02;
