// What a cluster shows only under load: what joins all nodes may be too narrow for all of them at once, and a device or a cable may
// become slower, or resend more, the longer it is busy.

import { counted, figureText, ofCount } from '../figure/figure.ts';
import { DEVICE_MEASURES } from '../node/gpu-profile.ts';
import { SENT_RATE } from '../probe/load.ts';
import { linearPercentile } from '../statistics/percentile.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../unknown.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { acceptedDevices } from './accepted-device.ts';
import { acceptedPaths, directionSubject, directionsOf, type PathDirection } from './accepted-path.ts';
import {
  type Judged,
  judgedBy,
  judgedFigure,
  planLimit,
  type Subject,
  undecided,
  unitText,
} from './limit.ts';
import { judgedResent } from './link-checks.ts';
import { busyKey, LOAD_SLOTS, type LoadedHop, type LoadSlot, NO_LOADS, subjectKey } from './load-watch.ts';

const loadsOf = ({ watched }: AcceptanceSources) => knownOr(watched.loads, NO_LOADS);

/** A row for each round in which every node sent. */
const allAtOnce: AcceptanceCheck['judge'] = (sources, planned) =>
  loadsOf(sources).rounds.map((hops, at): Judged => {
    const subject = {
      subject: `${hops.length} directions at once${at === 0 ? '' : `, round ${at + 1}`}`,
      nodes: [...new Set(hops.flatMap(({ source, sink }) => [source, sink]))],
    };
    const judged = hops.flatMap(hop => {
      const { together } = hop;
      // What a node itself cannot send and receive at once is not the fault of what joins it with others.
      const reference = isKnown(hop.bothWays) ? hop.bothWays : hop.alone;
      return isKnown(together) && isKnown(reference) && reference > 0
        ? [{ hop, together, share: together / reference }]
        : [];
    });
    const [unjudged] = hops.filter(hop => !judged.some(one => one.hop === hop));
    const [slowest] = judged.toSorted((a, b) => a.share - b.share);
    const limit = planned ?? TOGETHER_SHARE;
    const narrow = judged.filter(({ share }) => share < limit);
    if (slowest === undefined || (narrow.length === 0 && unjudged !== undefined))
      return undecided(subject, unjudged === undefined ? 'nothing was sent' : whyUnjudged(unjudged));
    const figures = { value: slowest.share, limit };
    if (narrow.length === 0)
      return judgedBy(subject, 'pass', { ...figures, reason: `the slowest: ${hopText(slowest.hop)}` });
    const others = judged.length - narrow.length;
    return judgedBy(
      { ...subject, nodes: [...new Set(narrow.flatMap(({ hop }) => [hop.source, hop.sink]))] },
      'fail',
      {
        ...figures,
        reason: `${narrow
          .slice(0, HOPS_NAMED)
          .map(({ hop }) => hopText(hop))
          .join('; ')}${narrow.length > HOPS_NAMED ? `; ${narrow.length - HOPS_NAMED} more` : ''}${
          others === 0 ? '' : `; ${counted(others, 'other')} ${ofCount(others, 'is', 'are')} as fast as alone`
        }: what joins them is the limit`,
      },
    );
  });

const whyUnjudged = ({ source, sink, together, alone }: LoadedHop): string => {
  const why = isUnknown(together)
    ? together.reason
    : isUnknown(alone)
      ? `alone: ${alone.reason}`
      : 'nothing was sent';
  return `${source}→${sink}: ${why}`;
};

/** "atlas→juno 3.1 Gb/s, 9.4 Gb/s alone" */
const hopText = ({ source, sink, alone, bothWays, together }: LoadedHop): string =>
  [
    `${source}→${sink} ${rateText(together)}`,
    `${rateText(alone)} alone`,
    ...(isKnown(bothWays) ? [`${rateText(bothWays)} with only the opposite direction`] : []),
  ].join(', ');

const rateText = (rate: Reported<number>): string => (isKnown(rate) ? unitText('bits/s', rate) : 'unknown');

const partOf = ({ path, source, sink }: PathDirection): Subject => ({
  subject: `${path.subject}, ${source}→${sink}`,
  nodes: path.nodes,
});

interface Part extends Subject {
  readonly slots: readonly LoadSlot[];
  readonly unit: 'bits/s' | (typeof DEVICE_MEASURES)[number]['unit'];
}

const partsOf = (sources: AcceptanceSources): readonly Part[] => {
  const { series } = loadsOf(sources);
  const links = acceptedPaths(sources)
    .flatMap(directionsOf)
    .map((direction): Part => {
      const at = subjectKey(direction.facts.source, directionSubject(direction));
      return {
        ...partOf(direction),
        slots: series[`${at} ${SENT_RATE}`] ?? [],
        unit: 'bits/s',
      };
    });
  const devices = acceptedDevices(sources).flatMap(device =>
    DEVICE_MEASURES.flatMap(({ figure, title, unit }): readonly Part[] => {
      const at = subjectKey(device.nodeId, { kind: 'gpu', deviceId: device.deviceId });
      const slots = series[`${at} ${figure}`] ?? [];
      return title === undefined ? [] : [{ ...device, subject: `${device.subject}: ${title}`, slots, unit }];
    }),
  );
  return [...links, ...devices].filter(({ slots }) => slots.length > 0);
};

/** The last quarter of the soak against the first. */
const overTime: AcceptanceCheck['judge'] = (sources, planned) =>
  partsOf(sources).map((part): Judged => {
    const { slots, unit } = part;
    const first = slots.filter(({ slot }) => slot < LOAD_SLOTS / 4).map(({ mean }) => mean);
    const last = slots.filter(({ slot }) => slot >= (LOAD_SLOTS * 3) / 4).map(({ mean }) => mean);
    if (first.length < SLOTS_MIN || last.length < SLOTS_MIN)
      return undecided(
        part,
        'loaded too seldom in the first or the last quarter of the soak; a longer one shows it',
      );
    const [before, after] = [percentile(first, 50), percentile(last, 50)];
    if (before <= 0) return undecided(part, 'nothing was carried in the first quarter');
    const share = after / before;
    const figures = { ...part, value: share };
    if (planned !== undefined)
      return judgedFigure({ ...figures, side: 'min', limits: planLimit(planned), without: '' });
    // Of parts that always vary as much, the middle halves of both quarters overlap.
    const isSlower = share < OVER_TIME_SHARE && percentile(last, 75) < percentile(first, 25);
    const rates = `${unitText(unit, after)} and ${unitText(unit, before)}`;
    return judgedBy(figures, isSlower ? 'fail' : 'pass', {
      value: share,
      limit: OVER_TIME_SHARE,
      reason: isSlower
        ? `${Math.round((1 - share) * 100)} % slower in the last quarter of the soak than in the first: ${rates}`
        : `in the last quarter of the soak and in the first: ${rates}`,
    });
  });

const percentile = (values: readonly number[], at: number): number =>
  linearPercentile(
    values.toSorted((a, b) => a - b),
    at,
  ) ?? 0;

/** How long each node was loaded; that it was loaded seldom is no fault of it. */
const timeUnderLoad: AcceptanceCheck['judge'] = sources => {
  const { soakedMs, busyMs, idle } = loadsOf(sources);
  if (soakedMs === 0) return [];
  return sources.nodes.flatMap(({ nodeId, name }) =>
    (['link', 'gpu'] as const).flatMap((kind): readonly Judged[] => {
      const at = busyKey(kind, nodeId);
      const why = idle[at];
      const ms = busyMs[at];
      if (ms === undefined && why === undefined) return [];
      const subject = { subject: `${name}: ${kind === 'gpu' ? 'devices' : 'links'}`, nodes: [name] };
      const value = Math.min(1, (ms ?? 0) / soakedMs);
      const time = figureText({ figure: String(Math.round(value * 100)), unit: '%' });
      if (value < LOADED_SHARE_MIN)
        return [undecided({ ...subject, value }, why ?? `loaded for ${time} of the soak only`)];
      const reason = why === undefined ? 'of the soak' : `of the soak; when it was not: ${why}`;
      return [judgedBy(subject, 'pass', { value, limit: LOADED_SHARE_MIN, reason })];
    }),
  );
};

const resentUnderLoad: AcceptanceCheck['judge'] = (sources, planned) => {
  const { sent } = loadsOf(sources);
  return acceptedPaths(sources)
    .filter(({ of }) => of.medium === 'cable')
    .flatMap(directionsOf)
    .flatMap((direction): readonly Judged[] => {
      const counts = sent[subjectKey(direction.facts.source, directionSubject(direction))];
      if (counts === undefined || counts.bytes <= 0) return [];
      return [
        judgedResent(partOf(direction), {
          ...counts,
          planned,
          text: 'of the segments that were sent during the soak',
        }),
      ];
    });
};

export const ALL_AT_ONCE_CHECK: AcceptanceCheck = {
  id: 'all-at-once',
  stage: 'groups',
  title: 'All nodes send at once',
  unit: 'share',
  threshold:
    'Of three nodes and more: each direction carries at least 75 % of what it carries without the others; if it does not, it is compared with what it carries while only the opposite direction does.',
  plan: 'min',
  judge: allAtOnce,
};

export const LOAD_CHECKS: readonly AcceptanceCheck[] = [
  {
    id: 'time-under-load',
    stage: 'soak',
    title: 'Time under load',
    unit: 'share',
    threshold:
      'At least half of the soak, of the links and of the devices of each node; with less it cannot be judged.',
    judge: timeUnderLoad,
  },
  {
    id: 'rate-over-time',
    stage: 'soak',
    title: 'Rate under load over time',
    unit: 'share',
    threshold:
      'Medians of the last quarter of the soak against the first, of each direction of a cable and each figure of a device: at least 90 %, unless it always varies as much.',
    plan: 'min',
    judge: overTime,
  },
  {
    id: 'resent-under-load',
    stage: 'soak',
    title: 'Resent segments under load',
    unit: 'small share',
    threshold: 'At most 2 % of the segments of 1,448 bytes that a direction of a cable carried.',
    plan: 'max',
    judge: resentUnderLoad,
  },
];

/** TCP shares a port within such limits. */
export const TOGETHER_SHARE = 0.75;
const OVER_TIME_SHARE = 0.9;
const SLOTS_MIN = 2;
const LOADED_SHARE_MIN = 0.5;
const HOPS_NAMED = 8;
