// Everything that is known of each connection of a link, a row each: the figures with what they rest on, how and how often
// they are measured, and what the probe does or why it failed.

import { formatAge, formatNanoseconds } from '../../../src/core/figure/duration.ts';
import { type Figure, figureText, formatCount, formatFinePercent } from '../../../src/core/figure/figure.ts';
import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import { longerQueueNs, queueWays } from '../../../src/core/link/link-queue.ts';
import { endsText, typeText } from '../../../src/core/link/link-text.ts';
import { isStaleNow, type LinkView, stageOfConnection } from '../../../src/core/link/link-view.ts';
import { lossReason, lostText } from '../../../src/core/link/loss-text.ts';
import { lossWays, mtuText } from '../../../src/core/link/path-loss.ts';
import { type PathRow, pathRows } from '../../../src/core/link/path-rows.ts';
import { nodeName } from '../../../src/core/node/node-view.ts';
import type { ProbeStage } from '../../../src/core/probe/probe-stage.ts';
import type { State } from '../../../src/core/state.ts';
import { isKnown, isUnknown, knownOr, type Reported } from '../../../src/core/unknown.ts';
import { ageText } from '../figure/age.ts';
import { formatNominalRate } from '../figure/rate.ts';
import { directionText } from './dock-rows.ts';
import { negotiatedText, type RateUnit, rateFigure, timeFigure } from './link-text.ts';

/** A figure, and beneath it what it rests on; a reason where there is no figure. */
interface DetailFigure {
  readonly value: Figure;
  readonly remark: string;
}

export interface DetailRow {
  readonly key: string;
  readonly facts: ConnectionFacts;
  /** "192.0.2.9", or "rdma_en3 · rdma_en4". */
  readonly way: string;
  readonly type: string;
  /** "10 Gb/s negotiated", or why the type or the rate is not known. */
  readonly rate: string;
  /** "atlas en0 1 Gb/s, juno eth0 100 Mb/s": each end's own. */
  readonly ends: string;
  /** One for each of DETAIL_COLUMNS. */
  readonly figures: readonly DetailFigure[];
  readonly method: string;
  readonly engine: string;
  readonly age: string;
  /** "every 5 min", "every 40 min, stretched from 5 min"; '' if not reported yet. */
  readonly every: string;
  readonly isStretched: boolean;
  readonly standing: DetailStanding;
  readonly isStale: boolean;
  readonly isMeasuring: boolean;
}

interface DetailStanding {
  readonly tone: 'plain' | 'caution' | 'danger';
  readonly text: string;
  /** "next try in 4 min", "next in 3 min"; '' if unknown. */
  readonly next: string;
}

export const detailRows = (
  state: State,
  link: LinkView,
  nowMs: number,
  unit: RateUnit,
): readonly DetailRow[] => pathRows(link).map(row => detailRow(state, row, nowMs, unit));

/** The planned lifetime of a profile by its source's config, ms; undefined if not reported. */
const plannedIntervalMs = (
  state: State,
  { source, connection }: Pick<ConnectionFacts, 'source' | 'connection'>,
): number | undefined => {
  const probes = state.nodeConfigs[source]?.value.probes;
  if (probes === undefined) return undefined;
  return (connection.kind === 'rdma' ? probes.rdmaTtlSeconds : probes.socketTtlSeconds) * 1_000;
};

const detailRow = (
  state: State,
  { facts, moreAddresses, lost }: PathRow,
  nowMs: number,
  unit: RateUnit,
): DetailRow => {
  const { connection, profile, failure, measuredAtMs } = facts;
  const stage = stageOfConnection(state, facts, nowMs);
  const extrasAge = extrasAgeText(profile, nowMs - measuredAtMs);
  const intervalMs =
    profile === undefined || failure !== undefined ? undefined : knownOr(profile.intervalMs, undefined);
  const plannedMs = plannedIntervalMs(state, facts);
  const isStretched =
    intervalMs !== undefined && plannedMs !== undefined && intervalMs > plannedMs * STRETCHED_MIN;
  const isStale = profile !== undefined && Number.isFinite(measuredAtMs) && isStaleNow(facts, nowMs);
  return {
    key: `${facts.source} ${facts.sink} ${facts.connectionKey}`,
    facts,
    way: directionText(connection, moreAddresses),
    type: typeText(facts),
    rate: rateLabel(facts, unit),
    ends: endsText(
      facts,
      id => nodeName(state, id),
      bits => formatNominalRate(bits, unit),
    ),
    figures: DETAIL_COLUMNS.map(column => detail(column, profile, { unit, extrasAge })),
    method: profile?.method ?? '',
    engine: profile?.engine ?? '',
    age:
      profile === undefined || !Number.isFinite(measuredAtMs)
        ? '–'
        : ageText(Math.max(0, nowMs - measuredAtMs)),
    every:
      intervalMs === undefined
        ? ''
        : `every ${age(intervalMs)}${isStretched ? `, extended from ${age(plannedMs ?? 0)}` : ''}`,
    isStretched,
    standing:
      lost === undefined
        ? standingOf(facts, stage, isStale)
        : {
            tone: 'danger',
            text: `${lostText(lost, nowMs)}: ${lossReason(lost, id => nodeName(state, id))}`,
            next: '',
          },
    isStale: isStale || lost !== undefined,
    isMeasuring: lost === undefined && stage?.kind === 'running',
  };
};

/** ", 40 min ago" where these are older than the figures next to them. */
const extrasAgeText = (profile: LinkProfile | undefined, ageMs: number): string =>
  profile === undefined || !isKnown(profile.extrasAgeMs) || profile.extrasAgeMs < EXTRAS_OLDER_MS
    ? ''
    : `, ${age(profile.extrasAgeMs + ageMs)} ago`;

const EXTRAS_OLDER_MS = 60_000;

const standingOf = (
  { profile, failure }: ConnectionFacts,
  stage: ProbeStage | undefined,
  isStale: boolean,
): DetailStanding => {
  if (stage?.kind === 'running') {
    const hand = stage.isByHand ? ', requested by a person' : '';
    return {
      tone: 'plain',
      text: `measuring${hand}`,
      next: `${Math.ceil(stage.leftMs / 1_000)}\u00a0s left`,
    };
  }
  const next = (text: string): string =>
    stage?.nextInMs === undefined ? '' : `${text} in ${age(stage.nextInMs)}`;
  const waits = stage?.kind === 'waiting' ? `waits: ${stage.reason}` : '';
  if (failure !== undefined)
    return {
      tone: 'danger',
      text: `failed: ${failure}`,
      next: [next('next try'), waits].filter(part => part !== '').join(', '),
    };
  if (waits !== '') return { tone: 'plain', text: waits, next: next('next try') };
  if (profile === undefined) return { tone: 'plain', text: 'not measured yet', next: next('first') };
  return isStale
    ? { tone: 'caution', text: 'stale', next: next('next') }
    : { tone: 'plain', text: 'measured', next: next('next') };
};

interface DetailColumn {
  readonly name: string;
  /** Where the name is not enough. */
  readonly title?: string;
  readonly of: (profile: LinkProfile) => Reported<number>;
  /** As a time if it has none. */
  readonly format?: (value: number, unit: RateUnit) => Figure;
  readonly remark?: (profile: LinkProfile, extrasAge: string) => string;
}

const detail = (
  { of, format = timeFigure, remark }: DetailColumn,
  profile: LinkProfile | undefined,
  { unit, extrasAge }: { readonly unit: RateUnit; readonly extrasAge: string },
): DetailFigure => {
  if (profile === undefined) return { value: NONE, remark: '' };
  const value = of(profile);
  return isUnknown(value)
    ? { value: NONE, remark: value.reason }
    : { value: format(value, unit), remark: remark?.(profile, extrasAge) ?? '' };
};

const streams = (count: Reported<number>): string => (isKnown(count) ? counted(count, 'stream') : '');

export const DETAIL_COLUMNS: readonly DetailColumn[] = [
  {
    name: 'up',
    of: profile => profile.uploadBitsPerSecond,
    format: rateFigure,
    remark: profile => streams(profile.uploadStreams),
  },
  {
    name: 'down',
    of: profile => profile.downloadBitsPerSecond,
    format: rateFigure,
    remark: profile => streams(profile.downloadStreams),
  },
  {
    name: 'RTT',
    of: profile => profile.roundTripNsP50,
    // "min 16 µs · p99 38 µs": the shortest, and the one that 99 of 100 do not exceed.
    remark: ({ roundTripNsMin: min, roundTripNsP99: p99 }) =>
      [
        isKnown(min) ? `min ${figureText(timeFigure(min))}` : '',
        isKnown(p99) ? `p99 ${figureText(timeFigure(p99))}` : '',
      ]
        .filter(part => part !== '')
        .join(' · '),
  },
  {
    name: 'jitter',
    of: profile => profile.jitterNs,
    remark: ({ roundTripCount }) =>
      isKnown(roundTripCount) ? `of ${counted(roundTripCount, 'round trip')}` : '',
  },
  {
    name: 'all-reduce',
    title: 'Both ends have each other’s 16 KiB, and 1 MiB',
    of: profile => profile.allReduceNs16Kib,
    remark: ({ allReduceNs1Mib: large }, extrasAge) =>
      isUnknown(large) ? '' : `1 MiB ${figureText(formatNanoseconds(large))}${extrasAge}`,
  },
  {
    name: 'under load',
    title: 'How much longer a round trip takes while the connection carries all it can',
    // Of the worse direction; both are in the remark.
    of: profile => longerQueueNs(profile) ?? profile.uploadQueueNs,
    remark: (profile, extrasAge) =>
      longerQueueNs(profile) === undefined ? '' : `${queueWays(profile)}${extrasAge}`,
  },
  {
    name: 'MTU',
    title: 'The largest IP packet that passes undivided, bytes',
    // Of the direction that passes less.
    of: ({ uploadMtuBytes: up, downloadMtuBytes: down }) =>
      isKnown(up) && isKnown(down) ? Math.min(up, down) : up,
    format: bytes => ({ figure: formatCount(bytes), unit: 'B' }),
    remark: profile => (profile.uploadMtuBytes === profile.downloadMtuBytes ? '' : mtuText(profile)),
  },
  {
    name: 'loss',
    title: 'UDP datagrams that did not arrive, paced far below the rate; of the worse direction',
    of: ({ uploadLossShare: up, downloadLossShare: down }) =>
      isKnown(up) && isKnown(down) ? Math.max(up, down) : up,
    format: formatFinePercent,
    remark: (profile, extrasAge) => `${lossWays(profile)}${extrasAge}`,
  },
  {
    name: 'retransmits',
    of: profile => profile.retransmits,
    format: count => ({ figure: formatCount(count), unit: '' }),
  },
];

const rateLabel = (facts: ConnectionFacts, unit: RateUnit): string => {
  const { type, negotiatedBitsPerSecond: rate } = facts.carrier;
  if (!isKnown(type)) return type.reason;
  return isKnown(rate) && rate > 0 ? `${negotiatedText(facts, unit)} negotiated` : 'rate unknown';
};

const counted = (count: number, one: string): string =>
  `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;

const age = (ageMs: number): string => figureText(formatAge(ageMs));

const NONE: Figure = { figure: '–', unit: '' };
/** A little more is how the schedule spreads its starts. */
const STRETCHED_MIN = 1.05;
