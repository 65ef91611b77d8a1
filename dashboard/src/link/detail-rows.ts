// Everything that is known of each connection of a link, a row each: the figures with what they rest on, how and how often
// they are measured, and what the probe does or why it failed.

import { formatAge, formatNanoseconds } from '../../../src/core/figure/duration.ts';
import { type Figure, figureText, formatCount } from '../../../src/core/figure/figure.ts';
import type { ConnectionFacts } from '../../../src/core/link/link-facts.ts';
import type { LinkProfile } from '../../../src/core/link/link-profile.ts';
import { longerQueueNs, queueWays } from '../../../src/core/link/link-queue.ts';
import { endsText, typeText } from '../../../src/core/link/link-text.ts';
import { isStaleNow, type LinkView, stageOfConnection } from '../../../src/core/link/link-view.ts';
import { lossReason, lostText } from '../../../src/core/link/loss-text.ts';
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
export interface DetailFigure {
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
  readonly upload: DetailFigure;
  readonly download: DetailFigure;
  readonly roundTrip: DetailFigure;
  readonly jitter: DetailFigure;
  /** Of 16 KiB, and in its remark of 1 MiB. */
  readonly allReduce: DetailFigure;
  /** How much longer a round trip takes under load: of the worse direction, both in its remark. */
  readonly queue: DetailFigure;
  readonly sentAgain: DetailFigure;
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
  const rate = (value: Reported<number> | undefined, streams: Reported<number> | undefined): DetailFigure =>
    detail(
      value,
      bits => rateFigure(bits, unit),
      streams !== undefined && isKnown(streams) ? counted(streams, 'stream') : '',
    );
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
    upload: rate(profile?.uploadBitsPerSecond, profile?.uploadStreams),
    download: rate(profile?.downloadBitsPerSecond, profile?.downloadStreams),
    roundTrip: detail(
      profile?.roundTripNsP50,
      timeFigure,
      spread(profile?.roundTripNsMin, profile?.roundTripNsP99),
    ),
    jitter: detail(
      profile?.jitterNs,
      timeFigure,
      profile !== undefined && isKnown(profile.roundTripCount)
        ? `of ${counted(profile.roundTripCount, 'round trip')}`
        : '',
    ),
    allReduce: detail(
      profile?.allReduceNs16Kib,
      timeFigure,
      profile === undefined || isUnknown(profile.allReduceNs1Mib)
        ? ''
        : `1 MiB ${figureText(formatNanoseconds(profile.allReduceNs1Mib))}${extrasAge}`,
    ),
    queue: detail(
      profile === undefined ? undefined : (longerQueueNs(profile) ?? profile.uploadQueueNs),
      timeFigure,
      profile === undefined || longerQueueNs(profile) === undefined
        ? ''
        : `${queueWays(profile)}${extrasAge}`,
    ),
    sentAgain: detail(profile?.retransmits, count => ({ figure: formatCount(count), unit: '' }), ''),
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

const detail = (
  value: Reported<number> | undefined,
  format: (value: number) => Figure,
  remark: string,
): DetailFigure => {
  if (value === undefined) return { value: NONE, remark: '' };
  return isUnknown(value) ? { value: NONE, remark: value.reason } : { value: format(value), remark };
};

/** "16 to 38 µs": the shortest, and the one that 99 of 100 do not exceed. */
const spread = (min: Reported<number> | undefined, p99: Reported<number> | undefined): string => {
  const parts = [
    min !== undefined && isKnown(min) ? `min ${figureText(timeFigure(min))}` : '',
    p99 !== undefined && isKnown(p99) ? `p99 ${figureText(timeFigure(p99))}` : '',
  ];
  return parts.filter(part => part !== '').join(' · ');
};

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
