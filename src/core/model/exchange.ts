// The time for which devices that run one model together wait for each other: sums of activations within a
// layer (tensor parallel), or activations passed on between layers (pipeline parallel). From our own round
// trips and rates; the software's part is not measured here, and is given as an interval.

import { maximumOf, minimumOf } from '../extremes.ts';
import type { NodeId } from '../ids.ts';
import type { Estimate } from '../sweep/stage.ts';
import { type Unknown, unknown } from '../unknown.ts';
import type { Engine } from './engine-constants.ts';
import type { HeadroomDevice } from './headroom-devices.ts';
import type { HeadroomLink, HeadroomLinkTable } from './headroom-links.ts';

/** One exchange, seconds. */
export interface LinkExchange {
  readonly latencySeconds: Estimate;
  readonly transferSeconds: number;
  /** No software is faster over these links; 0 if nothing was measured. */
  readonly boundSeconds: number;
  /** The slowest link; undefined inside a machine. */
  readonly way: HeadroomLink | undefined;
}

/**
 * An all-reduce, after which each device has the sum of what all had: 2 (n − 1) / n of its bytes pass each device. Two
 * machines swap in half a round trip; more go round a ring, 2 (n − 1) times from one to the next (the textbook's ring
 * all-reduce), or in two rounds at best.
 */
export const allReduce = (
  devices: readonly HeadroomDevice[],
  { links, bytes }: { readonly links: HeadroomLinkTable; readonly bytes: number },
): LinkExchange | Unknown => {
  const nodes = exchangingNodes(devices);
  const share = (count: number): number => (2 * (count - 1)) / count;
  const isCrowded = nodes.length < devices.length;
  const within: LinkExchange = isCrowded
    ? {
        latencySeconds: INNER_SECONDS,
        transferSeconds: (share(devices.length) * bytes) / INNER_BYTES_PER_SECOND,
        boundSeconds: 0,
        way: undefined,
      }
    : NOTHING;
  if (nodes.length === 1) return within;
  const ways = links.among(nodes);
  const [first, ...others] = ways ?? [];
  if (first === undefined) return unknown('two of its nodes have no measured link');
  const slowest = others.reduce((a, b) => (b.roundTripSeconds > a.roundTripSeconds ? b : a), first);
  const narrowest = others.reduce((a, b) => (b.bytesPerSecond < a.bytesPerSecond ? b : a), first);
  const latencySeconds = nodes.length === 2 ? pairSeconds(ways ?? []) : ringSeconds(ways ?? [], nodes.length);
  const transferSeconds = (share(nodes.length) * bytes) / narrowest.bytesPerSecond;
  const fastest = maximumOf((ways ?? []).map(({ bytesPerSecond }) => bytesPerSecond));
  return {
    latencySeconds: plusEstimate(latencySeconds, within.latencySeconds),
    transferSeconds: transferSeconds + within.transferSeconds,
    // A device that waits for all others waits half the shortest round trip, and receives the sum at least once.
    boundSeconds:
      minimumOf((ways ?? []).map(({ roundTripSeconds }) => roundTripSeconds)) / 2 +
      bytes / ((nodes.length - 1) * fastest),
    way: transferSeconds > latencySeconds.value ? narrowest : slowest,
  };
};

/**
 * Two machines: what was measured of their all-reduce has the software of both ends in it already. The probe
 * waits for nothing but the socket, so an engine may take twice as long.
 */
const pairSeconds = (ways: readonly HeadroomLink[]): Estimate => {
  const half = maximumOf(ways.map(({ roundTripSeconds }) => roundTripSeconds)) / 2;
  const measured = ways.flatMap(({ exchangeSeconds }) => exchangeSeconds ?? []);
  if (measured.length === 0)
    return {
      value: SOFTWARE_SECONDS.value + half,
      low: SOFTWARE_SECONDS.low + half,
      high: SOFTWARE_SECONDS.high + 2 * half,
    };
  const exchange = maximumOf([half, ...measured]);
  return { value: exchange, low: half, high: 2 * exchange };
};

/** More than two form a ring, which was not measured. */
const ringSeconds = (ways: readonly HeadroomLink[], nodes: number): Estimate => {
  const half = maximumOf(ways.map(({ roundTripSeconds }) => roundTripSeconds)) / 2;
  const hops = 2 * (nodes - 1);
  return {
    value: SOFTWARE_SECONDS.value + hops * half,
    low: SOFTWARE_SECONDS.low + 2 * half,
    high: SOFTWARE_SECONDS.high + 2 * hops * half,
  };
};

/** From the last device of a stage to the first of the next one: half a round trip, and the bytes. */
export const handOver = (
  [source, sink]: readonly [HeadroomDevice, HeadroomDevice],
  {
    links,
    bytes,
    engine,
  }: { readonly links: HeadroomLinkTable; readonly bytes: number; readonly engine: Engine },
): LinkExchange | Unknown => {
  if (source.nodeId !== undefined && source.nodeId === sink.nodeId)
    return {
      latencySeconds: INNER_SECONDS,
      transferSeconds: bytes / INNER_BYTES_PER_SECOND,
      boundSeconds: 0,
      way: undefined,
    };
  const way =
    source.nodeId === undefined || sink.nodeId === undefined
      ? undefined
      : links.between(source.nodeId, sink.nodeId);
  if (way === undefined) return unknown(`${source.name} and ${sink.name} have no measured link`);
  const software = engine === 'llama.cpp' ? RPC_SECONDS : SOFTWARE_SECONDS;
  const hop = way.roundTripSeconds / 2;
  const transferSeconds = bytes / way.bytesPerSecond;
  return {
    latencySeconds: {
      value: software.value + hop,
      low: software.low + hop,
      high: software.high + 2 * hop,
    },
    transferSeconds,
    boundSeconds: hop + transferSeconds,
    way,
  };
};

export const exchangingNodes = (devices: readonly HeadroomDevice[]): readonly NodeId[] => [
  ...new Set(devices.flatMap(({ nodeId }) => nodeId ?? [])),
];

export const plusEstimate = (...estimates: readonly Estimate[]): Estimate => ({
  value: estimates.reduce((sum, { value }) => sum + value, 0),
  low: estimates.reduce((sum, { low }) => sum + low, 0),
  high: estimates.reduce((sum, { high }) => sum + high, 0),
});

export const timesEstimate = ({ value, low, high }: Estimate, factor: number): Estimate => ({
  value: value * factor,
  low: low * factor,
  high: high * factor,
});

export const ZERO: Estimate = { value: 0, low: 0, high: 0 };
const NOTHING: LinkExchange = { latencySeconds: ZERO, transferSeconds: 0, boundSeconds: 0, way: undefined };
/** GenZ counts 5 µs to start a collective; two DGX Sparks needed some 80 µs for each (docs/headroom.md); between them the geometric mean. */
const SOFTWARE_SECONDS: Estimate = { value: 20e-6, low: 5e-6, high: 80e-6 };
/** llama.cpp over RPC on one to four Strix Halo: 3 to 9 ms a token for each machine added (docs/headroom.md). */
const RPC_SECONDS: Estimate = { value: 5.5e-3, low: 2.8e-3, high: 8.9e-3 };
/** Between the GPUs of one machine nothing is measured: from NVLink to PCIe through the host. */
const INNER_SECONDS: Estimate = { value: 20e-6, low: 5e-6, high: 80e-6 };
const INNER_BYTES_PER_SECOND = 20e9;
