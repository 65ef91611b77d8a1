// The connections that this node is the source of, as it measured them. There is no convention for links: these names are ours.

import type { NodeId } from '../../core/ids.ts';
import { connectionNames } from '../../core/link/connection-names.ts';
import { hasFigures, type LinkProfile } from '../../core/link/link-profile.ts';
import { nodeName } from '../../core/node/node-view.ts';
import type { State } from '../../core/state.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../../core/unknown.ts';
import type { Attributes } from '../../report/otlp/otlp-json.ts';
import { listedLinksFrom } from '../http/cluster-views.ts';
import type { Instrument, PointPage } from './point-page.ts';

export const putLinks = (
  page: PointPage,
  state: State,
  { nodeId, nowMs }: { readonly nodeId: NodeId; readonly nowMs: number },
): void => {
  const rows = listedLinksFrom(state, nodeId, nowMs).filter(({ lost }) => isUnknown(lost));
  const names = connectionNames(rows);
  for (const row of rows) {
    const link: Attributes = {
      'plimsoll.link.sink.id': row.sink,
      'plimsoll.link.sink.name': nodeName(state, row.sink),
      'plimsoll.link.connection': names.get(row),
      'plimsoll.link.type': isUnknown(row.carrier) ? undefined : knownOr(row.carrier.type, undefined),
    };
    if (!isUnknown(row.carrier))
      page.put(LINK.negotiated, link, bytesOf(row.carrier.negotiatedBitsPerSecond));
    if (isUnknown(row.profile)) continue;
    const { value, ageMs } = row.profile;
    const measured = { ...link, 'plimsoll.link.method': value.engine };
    putProfile(page, value, measured);
    if (hasFigures(value)) page.put(LINK.age, measured, (ageMs + value.measuredAgeMs) / 1_000);
  }
};

const putProfile = (page: PointPage, profile: LinkProfile, measured: Attributes): void => {
  const { uploadBitsPerSecond: upload, downloadBitsPerSecond: download } = profile;
  page.put(LINK.bandwidth, { ...measured, 'network.io.direction': 'transmit' }, bytesOf(upload));
  page.put(LINK.bandwidth, { ...measured, 'network.io.direction': 'receive' }, bytesOf(download));
  for (const [statistic, nanoseconds] of [
    ['min', profile.roundTripNsMin] as const,
    ['p50', profile.roundTripNsP50] as const,
    ['p99', profile.roundTripNsP99] as const,
  ])
    page.put(LINK.roundTrip, { ...measured, 'plimsoll.link.statistic': statistic }, secondsOf(nanoseconds));
  for (const [direction, nanoseconds] of [
    ['transmit', profile.uploadQueueNs] as const,
    ['receive', profile.downloadQueueNs] as const,
  ])
    page.put(LINK.queue, { ...measured, 'network.io.direction': direction }, secondsOf(nanoseconds));
  page.put(LINK.jitter, measured, secondsOf(profile.jitterNs));
};

const bytesOf = (bits: Reported<number>): number | undefined => (isKnown(bits) ? bits / 8 : undefined);
const secondsOf = (nanoseconds: Reported<number>): number | undefined =>
  isKnown(nanoseconds) ? nanoseconds / 1e9 : undefined;

const LINK = {
  bandwidth: {
    name: 'plimsoll.link.bandwidth',
    unit: 'By/s',
    description: 'Measured: transmit from this node to the sink, receive the other way.',
    kind: 'gauge',
  },
  negotiated: {
    name: 'plimsoll.link.bandwidth.limit',
    unit: 'By/s',
    description: 'Negotiated rate of the slower end.',
    kind: 'gauge',
  },
  roundTrip: {
    name: 'plimsoll.link.round_trip',
    unit: 's',
    description: 'Measured round trip.',
    kind: 'gauge',
  },
  queue: {
    name: 'plimsoll.link.queue',
    unit: 's',
    description: 'Added to a round trip while the direction carries all it can.',
    kind: 'gauge',
  },
  jitter: {
    name: 'plimsoll.link.jitter',
    unit: 's',
    description: 'Mean difference between consecutive round trips.',
    kind: 'gauge',
  },
  age: {
    name: 'plimsoll.link.age',
    unit: 's',
    description: 'Since these figures were measured.',
    kind: 'gauge',
  },
} as const satisfies Readonly<Record<string, Instrument>>;
