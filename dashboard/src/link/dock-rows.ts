// The rows of the dock: one a link, or one a direction and way of the link that is looked at.

import { formatAge } from '../../../src/core/figure/duration.ts';
import type { Figure } from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { Connection } from '../../../src/core/link/connection.ts';
import { type ConnectionFacts, jitterOf, rateFrom, roundTripOf } from '../../../src/core/link/link-facts.ts';
import { queueWays } from '../../../src/core/link/link-queue.ts';
import { isStaleNow, type LinkView, stageOfConnection } from '../../../src/core/link/link-view.ts';
import { lossReason, lostText } from '../../../src/core/link/loss-text.ts';
import { type PathRow, pathRows } from '../../../src/core/link/path-rows.ts';
import { nodeName } from '../../../src/core/node/node-view.ts';
import type { ProbeStage } from '../../../src/core/probe/probe-stage.ts';
import type { State } from '../../../src/core/state.ts';
import { isKnown, type Reported } from '../../../src/core/unknown.ts';
import { ageText } from '../figure/age.ts';
import { delayFigure, type LinkUnits, rateFigure, timeFigure } from './link-text.ts';

export interface ConnectionRow {
  readonly key: string;
  readonly facts: ConnectionFacts;
  /** "169.254.81.7%en3", or "rdma_en3 · rdma_en4". */
  readonly way: string;
  readonly upload: Figure;
  readonly download: Figure;
  /** In the form of delays that the reader has chosen. */
  readonly delay: Figure;
  readonly jitter: Figure;
  readonly age: string;
  /** Of a path with no open connection. */
  readonly isLost: boolean;
  readonly isStale: boolean;
  /** In place of figures, or next to the last good ones. */
  readonly note: string;
  readonly hasFigures: boolean;
  readonly isMeasuring: boolean;
  readonly details: readonly { readonly name: string; readonly text: string }[];
}

export const connectionRows = (
  state: State,
  link: LinkView,
  nowMs: number,
  units: LinkUnits,
): readonly ConnectionRow[] =>
  pathRows(link).map(row => {
    const stage = stageOfConnection(state, row.facts, nowMs);
    return connectionRow(row, { stage, nowMs, units, nameOf: id => nodeName(state, id) });
  });

interface RowSources {
  readonly stage: ProbeStage | undefined;
  readonly nowMs: number;
  readonly units: LinkUnits;
  readonly nameOf: (node: NodeId) => string;
}

const connectionRow = (
  { facts, moreAddresses, lost }: PathRow,
  { stage, nowMs, units, nameOf }: RowSources,
): ConnectionRow => {
  const { connection, profile, failure, measuredAtMs } = facts;
  const [upload, download] = [rateFrom(facts, facts.source), rateFrom(facts, facts.sink)];
  const roundTrip = roundTripOf(facts);
  const hasFigures = [upload, download, roundTrip].some(value => value !== undefined);
  return {
    key: `${facts.source} ${facts.sink} ${facts.connectionKey}`,
    facts,
    way: directionText(connection, moreAddresses),
    upload: rateFigure(upload, units.rate),
    download: rateFigure(download, units.rate),
    delay: delayFigure(roundTrip, units.delay),
    jitter: delayFigure(jitterOf(facts), units.delay),
    age: profile === undefined ? '–' : ageText(Math.max(0, nowMs - measuredAtMs)),
    isLost: lost !== undefined,
    isStale: lost !== undefined || (hasFigures && isStaleNow(facts, nowMs)),
    note:
      lost === undefined
        ? noteOf({ stage, failure, profile: profile !== undefined })
        : `${lostText(lost, nowMs)}: ${lossReason(lost, nameOf)}`,
    hasFigures,
    isMeasuring: lost === undefined && stage?.kind === 'running',
    details: profile === undefined ? [] : detailsOf(facts, stage),
  };
};

/** "192.0.2.9 and 4 more", "rdma_en3 · rdma_en4" */
export const directionText = (connection: Connection, moreAddresses: number): string => {
  if (connection.kind === 'rdma') return `${connection.sourceInterface} · ${connection.sinkInterface}`;
  return moreAddresses === 0 ? connection.sinkAddress : `${connection.sinkAddress} and ${moreAddresses} more`;
};

/** What is going on with the probe of a connection, or why it has no figures; '' where all is as it should be. */
const noteOf = ({
  stage,
  failure,
  profile,
}: {
  readonly stage: ProbeStage | undefined;
  readonly failure: string | undefined;
  readonly profile: boolean;
}): string => {
  if (stage?.kind === 'running') return `measuring, ${seconds(stage.leftMs)} left`;
  const next = stage?.nextInMs === undefined ? '' : `, next try in ${age(stage.nextInMs)}`;
  if (failure !== undefined) return `failed: ${failure}${next}`;
  if (stage?.kind === 'waiting') return `waits: ${stage.reason}`;
  return profile ? '' : 'not measured yet';
};

const detailsOf = (
  { profile, measuredAtMs, connection }: ConnectionFacts,
  stage: ProbeStage | undefined,
): ConnectionRow['details'] => {
  if (profile === undefined || !Number.isFinite(measuredAtMs)) return [];
  const time = (value: Reported<number>): string =>
    isKnown(value) ? text(timeFigure(value)) : `– (${value.reason})`;
  const count = (value: Reported<number>): string => (isKnown(value) ? String(value) : `– (${value.reason})`);
  return [
    {
      name: 'RTT min · p50 · p99',
      text: [profile.roundTripNsMin, profile.roundTripNsP50, profile.roundTripNsP99].map(time).join(' · '),
    },
    { name: 'Queue under load', text: queueWays(profile) },
    { name: 'Jitter', text: time(profile.jitterNs) },
    { name: 'Round trips', text: count(profile.roundTripCount) },
    {
      name: 'Streams up · down',
      text: `${count(profile.uploadStreams)} · ${count(profile.downloadStreams)}`,
    },
    { name: 'Retransmits', text: count(profile.retransmits) },
    { name: 'Method', text: `${profile.method} (${profile.engine})` },
    {
      name: 'Every',
      text: isKnown(profile.intervalMs) ? age(profile.intervalMs) : `– (${profile.intervalMs.reason})`,
    },
    ...(stage === undefined || stage.kind === 'running' || stage.nextInMs === undefined
      ? []
      : [{ name: 'Next', text: `in ${age(stage.nextInMs)}` }]),
    ...(isKnown(connection.type) ? [] : [{ name: 'Type', text: `unknown: ${connection.type.reason}` }]),
  ];
};

const text = ({ figure, unit }: Figure): string => (unit === '' ? figure : `${figure}\u00a0${unit}`);

const age = (ageMs: number): string => text(formatAge(ageMs));

const seconds = (leftMs: number): string => `${Math.ceil(leftMs / 1_000)}\u00a0s`;
