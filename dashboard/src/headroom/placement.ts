// Ways to place a model on what is there now, as the page draws them: the time of one step by what it is for, its bound and its
// interval, and why it is not the best.

import { counted, figureText, formatBytes } from '../../../src/core/figure/figure.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import type { LinkView } from '../../../src/core/link/link-view.ts';
import type { StoredCalibration } from '../../../src/core/model/engine-calibration.ts';
import type { Headroom, RankedPlacement } from '../../../src/core/model/headroom.ts';
import type { HeadroomChange } from '../../../src/core/model/headroom-changes.ts';
import {
  type HeadroomDevice,
  type HeadroomQuestion,
  headroomDevices,
} from '../../../src/core/model/headroom-devices.ts';
import { type HeadroomLink, headroomLinksOf } from '../../../src/core/model/headroom-links.ts';
import type { Fit, MemoryNeed } from '../../../src/core/model/memory-need.ts';
import type { ModelFacts } from '../../../src/core/model/model-facts.ts';
import type { PrefillTime } from '../../../src/core/model/prefill.ts';
import type { PlacementTerm } from '../../../src/core/model/step-time.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import type { Estimate } from '../../../src/core/sweep/stage.ts';
import { isUnknown, type Reported, type Unknown } from '../../../src/core/unknown.ts';

export interface ModelPlacement {
  /** Its form in addresses: "one:atlas". */
  readonly key: string;
  /** "One node" */
  readonly name: string;
  /** "atlas + hermes" */
  readonly on: string;
  readonly nodes: readonly NodeId[];
  /** Between which nodes a token crosses a link. */
  readonly hops: readonly (readonly [NodeId, NodeId])[];
  readonly devices: readonly HeadroomDevice[];
  /** Whose constants; undefined where its time is not known. */
  readonly constants: { readonly label: string; readonly errorShare: Reported<number> } | undefined;
  readonly prefill: PrefillTime | Unknown;
  readonly fit: Fit | Unknown;
  readonly time: PlacementTime | Unknown;
  /** "reading weights"; '' where nothing is known. */
  readonly limit: string;
  /** Of the best that it is the best; of any other why it is not. */
  readonly why: string;
}

/** Seconds of one step, which makes a token of each sequence. A type, not an interface: it forms a union with `Unknown`. */
export type PlacementTime = {
  readonly layers: readonly PlacementLayer[];
  readonly seconds: Estimate;
  readonly boundSeconds: number;
  /** Of all sequences together. */
  readonly tokensPerSecond: Estimate;
  readonly boundTokensPerSecond: number;
};

export type LayerTerm = PlacementTerm;

interface PlacementLayer {
  readonly term: LayerTerm;
  readonly seconds: number;
}

export interface ModelPlacements {
  readonly need: MemoryNeed | Unknown;
  /** The fastest that fits first. */
  readonly ranked: readonly ModelPlacement[];
  /** Ranked behind those, and not kept. */
  readonly leftOut: number;
  /** Every device, in the order of its nodes. */
  readonly devices: readonly HeadroomDevice[];
  readonly changes: readonly HeadroomChange[];
  readonly notes: readonly string[];
}

/** All that an answer follows from; plain, so that it may go to a worker. */
export interface HeadroomInput {
  readonly model: ModelFacts;
  readonly devices: readonly HeadroomDevice[];
  readonly question: HeadroomQuestion;
  readonly links: readonly HeadroomLink[];
}

/** A node without contact carries nothing. */
export const headroomInput = (
  model: ModelFacts,
  question: HeadroomQuestion,
  {
    views,
    links,
    calibrationsOf,
  }: {
    readonly views: readonly NodeView[];
    readonly links: readonly LinkView[];
    /** What was measured of engines on a node. */
    readonly calibrationsOf: (node: NodeId) => readonly StoredCalibration[];
  },
): HeadroomInput => ({
  model,
  question,
  // What is free changes each half second, and nothing is ranked by it.
  devices: liveDevices(views).map(({ memoryFreeBytes: _, ...device }) => ({
    ...device,
    calibrations: device.nodeId === undefined ? [] : calibrationsOf(device.nodeId).map(toTheHour),
  })),
  links: headroomLinksOf(links, node => views.find(({ nodeId }) => nodeId === node)?.name ?? node),
});

/** Their age is only displayed, and rounded to the hour it seldom changes. */
const toTheHour = ({ calibration, ageMs }: StoredCalibration): StoredCalibration => ({
  calibration,
  ageMs: Math.floor(ageMs / HOUR_MS) * HOUR_MS,
});

/** Every device of the nodes with contact, and the free part of its memory now. */
export const liveDevices = (views: readonly NodeView[]): readonly HeadroomDevice[] =>
  views.filter(({ presence }) => presence !== 'offline').flatMap(headroomDevices);

export const modelPlacements = (
  { need, placements, placementsLeftOut, changes, notes }: Headroom,
  { devices }: Pick<HeadroomInput, 'devices'>,
): ModelPlacements => ({
  need,
  ranked: placements.map(placementOf),
  leftOut: placementsLeftOut,
  devices,
  changes,
  notes,
});

const placementOf = (answer: RankedPlacement): ModelPlacement => {
  const { key, parts, placement, fit, decode, prefill, behind } = answer;
  return {
    key,
    name:
      placement.kind === 'one'
        ? 'One device'
        : `${placement.kind === 'tensor' ? 'TP' : 'PP'} ${placement.kind === 'tensor' ? parts.length : placement.stages.length}`,
    on: parts.map(({ device }) => device.name).join(' + '),
    nodes: [...new Set(parts.flatMap(({ device }) => device.nodeId ?? []))],
    hops: hopsOf(answer),
    devices: parts.map(({ device }) => device),
    constants: isUnknown(decode) ? undefined : { label: decode.constants, errorShare: decode.errorShare },
    prefill,
    fit,
    time: timeOf(answer),
    limit: isUnknown(decode) ? '' : LIMIT_LABELS[decode.limit],
    why: behind === '' ? bestText(answer) : behind,
  };
};

/** Within a stage each with each, from stage to stage the first of both. */
const hopsOf = ({ placement: { stages } }: RankedPlacement): readonly (readonly [NodeId, NodeId])[] => {
  const nodes = stages.map(({ devices }) => [...new Set(devices.flatMap(({ nodeId }) => nodeId ?? []))]);
  const within = nodes.flatMap(stage =>
    stage.flatMap((one, index) => stage.slice(index + 1).map(other => [one, other] as const)),
  );
  const between = nodes.slice(1).flatMap((stage, index) => {
    const [from, to] = [nodes[index]?.[0], stage[0]];
    return from === undefined || to === undefined || from === to ? [] : [[from, to] as const];
  });
  return [...within, ...between];
};

const timeOf = ({ decode }: RankedPlacement): PlacementTime | Unknown => {
  if (isUnknown(decode)) return decode;
  const { expectedTokensPerSecond, boundTokensPerSecond, terms, stepSeconds } = decode;
  return {
    layers: LAYER_ORDER.map(term => ({ term, seconds: terms[term] })).filter(({ seconds }) => seconds > 0),
    seconds: stepSeconds,
    boundSeconds: (stepSeconds.value * expectedTokensPerSecond.value) / boundTokensPerSecond,
    tokensPerSecond: expectedTokensPerSecond,
    boundTokensPerSecond,
  };
};

const bestText = ({ fit, decode, contextThatFits }: RankedPlacement): string => {
  if (fit.kind === 'does-not-fit')
    return `${figureText(formatBytes(fit.missingBytes))} of memory are missing${
      isUnknown(contextThatFits) || contextThatFits === 0
        ? ', and less context does not help'
        : `; ${counted(contextThatFits, 'token')} of context would fit`
    }`;
  if (isUnknown(decode)) return decode.reason;
  return fit.kind === 'unknown' ? `whether it fits is unknown: ${fit.reason}` : 'the best of those here';
};

/** From the keel up. */
export const LAYER_ORDER: readonly LayerTerm[] = [
  'weights',
  'experts',
  'cache',
  'compute',
  'overhead',
  'linkLatency',
  'linkBandwidth',
];

export const LAYER_LABELS: Readonly<Record<LayerTerm, string>> = {
  weights: 'weights',
  experts: 'experts',
  cache: 'KV cache',
  compute: 'compute',
  overhead: 'overhead',
  linkLatency: 'waiting for links',
  linkBandwidth: 'sending over links',
};

const LIMIT_LABELS: Readonly<Record<PlacementTerm | 'capacity', string>> = {
  capacity: 'memory: it does not fit',
  weights: 'memory bandwidth, for weights',
  experts: 'memory bandwidth, for experts',
  cache: 'memory bandwidth, for the KV cache',
  compute: 'compute',
  overhead: "the engine's overhead",
  linkLatency: 'the latency of links',
  linkBandwidth: 'the bandwidth of links',
};
const HOUR_MS = 3_600_000;
