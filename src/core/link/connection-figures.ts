// The figures of a connection: what it negotiated, and what was measured on it. One row each, in the order in which they
// are exported. Upload is from its source to its sink. There is no convention for links: the names are ours.

import { type FigureRow, gauge, type Labels } from '../figure/figure-row.ts';
import { isUnknown, type Unknown } from '../unknown.ts';
import type { LinkCarrier } from './link-ends.ts';
import type { LostPath } from './link-facts.ts';
import { hasFigures, type LinkProfile } from './link-profile.ts';

interface ConnectionSubject {
  readonly carrier: LinkCarrier | Unknown;
  /** The age is that of the newest attempt. */
  readonly profile: { readonly value: LinkProfile; readonly ageMs: number } | Unknown;
}

type ConnectionRow = FigureRow<ConnectionSubject>;

const profileOf = ({ profile }: ConnectionSubject): LinkProfile | undefined =>
  isUnknown(profile) ? undefined : profile.value;

const BY_METHOD: ConnectionRow['labels'] & {} = {
  'plimsoll.link.method': subject => profileOf(subject)?.engine ?? '',
};

const measured = (
  unit: 'bits/s' | 'ns' | 'bytes' | 'small share',
  figure: keyof LinkProfile &
    `${string}${'PerSecond' | 'Ns' | 'Kib' | 'Mib' | 'Min' | 'P50' | 'P99' | 'MtuBytes' | 'Share'}`,
  {
    otlp,
    ...row
  }: Pick<ConnectionRow, 'help' | 'metric' | 'labels'> & {
    readonly otlp?: { readonly name: string; readonly description: string; readonly attributes?: Labels };
  },
): ConnectionRow => ({
  unit,
  of: subject => profileOf(subject)?.[figure],
  ...row,
  ...(otlp === undefined
    ? {}
    : {
        otlp: {
          ...otlp,
          kind: 'gauge',
          attributes: { ...BY_METHOD, ...otlp.attributes },
        },
      }),
});

const BANDWIDTH = {
  name: 'plimsoll.link.bandwidth',
  description: 'Measured: transmit from this node to the sink, receive the other way.',
};
const ROUND_TRIP = { name: 'plimsoll.link.round_trip', description: 'Measured round trip.' };
const QUEUE = {
  name: 'plimsoll.link.queue',
  description: 'Added to a round trip while the direction carries all it can.',
};
const MTU = {
  name: 'plimsoll.link.mtu',
  description: 'Largest IP packet that passes undivided.',
};
const LOSS = { name: 'plimsoll.link.loss', description: 'Share of paced UDP datagrams that did not arrive.' };
const REORDERED = {
  name: 'plimsoll.link.reordered',
  description: 'Share of paced UDP datagrams that arrived after a later one.',
};
const SENT: Labels = { 'network.io.direction': 'transmit' };
const RECEIVED: Labels = { 'network.io.direction': 'receive' };

export const CONNECTION_FIGURES: readonly ConnectionRow[] = [
  {
    unit: 'bits/s',
    help: 'Negotiated rate of the slower end of a connection.',
    of: ({ carrier }) => (isUnknown(carrier) ? carrier : carrier.negotiatedBitsPerSecond),
    metric: 'plimsoll_link_negotiated_bytes_per_second',
    otlp: gauge('plimsoll.link.bandwidth.limit', 'Negotiated rate of the slower end.'),
  },
  measured('bits/s', 'uploadBitsPerSecond', {
    help: 'Measured, source to sink.',
    metric: 'plimsoll_link_upload_bytes_per_second',
    otlp: { ...BANDWIDTH, attributes: SENT },
  }),
  measured('bits/s', 'downloadBitsPerSecond', {
    help: 'Measured, sink to source.',
    metric: 'plimsoll_link_download_bytes_per_second',
    otlp: { ...BANDWIDTH, attributes: RECEIVED },
  }),
  measured('ns', 'roundTripNsMin', {
    help: 'Shortest round trip.',
    otlp: { ...ROUND_TRIP, attributes: { 'plimsoll.link.statistic': 'min' } },
  }),
  measured('ns', 'roundTripNsP50', {
    help: 'Median round trip.',
    metric: 'plimsoll_link_round_trip_p50_seconds',
    otlp: { ...ROUND_TRIP, attributes: { 'plimsoll.link.statistic': 'p50' } },
  }),
  measured('ns', 'roundTripNsP99', {
    help: 'Round trip that one in a hundred exceeds.',
    otlp: { ...ROUND_TRIP, attributes: { 'plimsoll.link.statistic': 'p99' } },
  }),
  measured('ns', 'jitterNs', {
    help: 'Mean difference between consecutive round trips.',
    metric: 'plimsoll_link_jitter_seconds',
    otlp: {
      name: 'plimsoll.link.jitter',
      description: 'Mean difference between consecutive round trips.',
    },
  }),
  measured('ns', 'allReduceNs16Kib', {
    help: "Median time in which both ends have each other's bytes; labels bytes.",
    metric: 'plimsoll_link_all_reduce_seconds',
    labels: { bytes: '16384' },
  }),
  measured('ns', 'allReduceNs1Mib', {
    help: "Median time in which both ends have each other's 1 MiB.",
    metric: 'plimsoll_link_all_reduce_seconds',
    labels: { bytes: '1048576' },
  }),
  measured('ns', 'uploadQueueNs', {
    help: 'How much longer a round trip takes while the direction carries all it can.',
    metric: 'plimsoll_link_queue_seconds',
    labels: { direction: 'upload' },
    otlp: { ...QUEUE, attributes: SENT },
  }),
  measured('ns', 'downloadQueueNs', {
    help: 'How much longer a round trip takes while the download carries all it can.',
    metric: 'plimsoll_link_queue_seconds',
    labels: { direction: 'download' },
    otlp: { ...QUEUE, attributes: RECEIVED },
  }),
  measured('bytes', 'uploadMtuBytes', {
    help: 'Largest IP packet that passes undivided, as measured; labels direction.',
    metric: 'plimsoll_link_mtu_bytes',
    labels: { direction: 'upload' },
    otlp: { ...MTU, attributes: SENT },
  }),
  measured('bytes', 'downloadMtuBytes', {
    help: 'Largest IP packet that passes undivided from the sink to the source.',
    metric: 'plimsoll_link_mtu_bytes',
    labels: { direction: 'download' },
    otlp: { ...MTU, attributes: RECEIVED },
  }),
  measured('small share', 'uploadLossShare', {
    help: 'Share of paced UDP datagrams that the path lost; labels direction.',
    metric: 'plimsoll_link_loss_ratio',
    labels: { direction: 'upload' },
    otlp: { ...LOSS, attributes: SENT },
  }),
  measured('small share', 'downloadLossShare', {
    help: 'Share of paced UDP datagrams that the path lost from the sink to the source.',
    metric: 'plimsoll_link_loss_ratio',
    labels: { direction: 'download' },
    otlp: { ...LOSS, attributes: RECEIVED },
  }),
  measured('small share', 'uploadReorderedShare', {
    help: 'Share of the datagrams that arrived after one that was sent later (RFC 4737); labels direction.',
    metric: 'plimsoll_link_reordered_ratio',
    labels: { direction: 'upload' },
    otlp: { ...REORDERED, attributes: SENT },
  }),
  measured('small share', 'downloadReorderedShare', {
    help: 'Share of the datagrams from the sink that arrived after one that was sent later.',
    metric: 'plimsoll_link_reordered_ratio',
    labels: { direction: 'download' },
    otlp: { ...REORDERED, attributes: RECEIVED },
  }),
  {
    unit: 'age',
    help: 'When the figures of a connection were measured.',
    // Of the figures, which a failed attempt keeps; a probe that never succeeded has no such moment.
    of: ({ profile }) =>
      !isUnknown(profile) && hasFigures(profile.value)
        ? profile.ageMs + profile.value.measuredAgeMs
        : undefined,
    metric: 'plimsoll_link_profile_timestamp_seconds',
    otlp: {
      name: 'plimsoll.link.age',
      description: 'Since these figures were measured.',
      kind: 'gauge',
      attributes: BY_METHOD,
    },
  },
];

/** The connections between two interfaces together. */
interface PathSubject {
  /** Undefined while one of them is open. */
  readonly lost: Pick<LostPath, 'lostAtMs'> | undefined;
  readonly nowMs: number;
}

export const PATH_FIGURES: readonly FigureRow<PathSubject>[] = [
  {
    unit: 'flag',
    help: 'Whether a connection of the path between two interfaces is open: 1, or 0 while it is lost.',
    of: ({ lost }) => lost === undefined,
    metric: 'plimsoll_link_path_up',
  },
  {
    unit: 'age',
    help: 'When the last connection of a lost path closed.',
    of: ({ lost, nowMs }) => (lost === undefined ? undefined : Math.max(0, nowMs - lost.lostAtMs)),
    metric: 'plimsoll_link_path_lost_timestamp_seconds',
  },
];
