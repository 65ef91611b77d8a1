// The link between two surveyed machines, measured once: which addresses may lead from one to the other, and what a probe between them
// found. Each machine is asked over its own connection; the two reach each other directly or the link stays unknown, with the reason.

import { randomBytes } from 'node:crypto';
import { isOfEveryCable, shareSubnet } from '../../core/address/subnet.ts';
import type { Fact } from '../../core/event-kinds.ts';
import { figureText, formatBitsPerSecond } from '../../core/figure/figure.ts';
import type { NodeId } from '../../core/ids.ts';
import { type Connection, connectionKey } from '../../core/link/connection.ts';
import { type ConnectionCarrier, connectionCarrier } from '../../core/link/connection-type.ts';
import { endReadings, linkCarrier } from '../../core/link/link-ends.ts';
import { connectionMedium } from '../../core/link/link-medium.ts';
import { type LinkProfile, noLinkFigures } from '../../core/link/link-profile.ts';
import { soundShare } from '../../core/link/link-shortfall.ts';
import type { NetworkInterface } from '../../core/node/network.ts';
import type { State } from '../../core/state.ts';
import { plainLine } from '../../core/text/single-line.ts';
import { isKnown, type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import { roundTripFigures } from '../../probe/socket/round-trip-figures.ts';
import {
  connectWords,
  listenWords,
  PROBE_LANGUAGES,
  PROBE_METHOD,
  type ProbeLanguage,
} from './probe-programs.ts';
import type { RemoteShell } from './remote-shell.ts';

export interface ProbedMachine {
  readonly nodeId: NodeId;
  readonly name: string;
  readonly shell: RemoteShell;
  readonly record: (fact: Fact) => void;
}

/** The link is measured in one direction of connecting: whichever machine accepts. Unknown: why it is not measured. */
export const probeLink = async (
  state: State,
  one: ProbedMachine,
  other: ProbedMachine,
): Promise<'measured' | Unknown> => {
  const [ofOne, ofOther] = await Promise.all([languageOf(one.shell), languageOf(other.shell)]);
  if (ofOne === undefined || ofOther === undefined)
    return unknown(
      `${(ofOne === undefined ? one : other).name} has neither perl nor python3`,
      'tool-missing',
    );
  const reasons: string[] = [];
  const ends = [
    { source: one, sink: other, from: ofOne, to: ofOther },
    { source: other, sink: one, from: ofOther, to: ofOne },
  ];
  for (const { source, sink, from, to } of ends) {
    const routes = routesBetween(state, source.nodeId, sink.nodeId);
    const [first] = routes;
    if (first === undefined) continue;
    const measured = await measure({
      source,
      sink,
      from,
      to,
      addresses: routes.map(({ address }) => address),
    });
    if (measured.kind === 'failed') {
      reasons.push(`${source.name} to ${sink.name}: ${measured.reason}`);
      continue;
    }
    const route = routes.find(({ address }) => address === measured.address) ?? first;
    for (const fact of factsOf(state, { source: source.nodeId, sink: sink.nodeId, route, measured }))
      source.record(fact);
    return 'measured';
  }
  return unknown(
    reasons.length === 0
      ? `${one.name} and ${other.name} have no addresses for each other`
      : reasons.join('; ').slice(0, REASON_LENGTH_MAX),
  );
};

export interface ProbeRoute {
  /** Of the sink. */
  readonly address: string;
  readonly sourceInterface: Reported<string>;
  readonly sinkInterface: string;
}

/**
 * By which addresses the source may reach the sink: those of one subnet, the fastest first, then those that need a router. All of one
 * family, for one listener.
 */
export const routesBetween = (state: State, source: NodeId, sink: NodeId): readonly ProbeRoute[] => {
  const own = usable(state, source);
  const ours = new Set(own.flatMap(({ addresses }) => addresses.map(({ address }) => address)));
  // An address that both have, of a bridge of containers, would lead back.
  const theirs = usable(state, sink).map(one => ({
    ...one,
    addresses: one.addresses.filter(({ address }) => !ours.has(address)),
  }));
  const near = theirs.flatMap(to =>
    to.addresses.flatMap(address => {
      const from = own.find(one => one.addresses.some(each => shareSubnet(each, address)));
      return from === undefined ? [] : [{ to, from, address }];
    }),
  );
  const sorted = near.toSorted(
    (a, b) => rateOf(b.from, b.to) - rateOf(a.from, a.to) || a.address.family.localeCompare(b.address.family),
  );
  const shared = sorted.map(
    ({ to, from, address }): ProbeRoute => ({
      address: address.address,
      sourceInterface: from.name,
      sinkInterface: to.name,
    }),
  );
  const known = new Set(shared.map(({ address }) => address));
  const routed = theirs.flatMap(to =>
    to.addresses
      .filter(({ address, family, scope }) => !known.has(address) && family === 'ipv4' && scope === 'global')
      .map(
        ({ address }): ProbeRoute => ({
          address,
          sourceInterface: unknown('a router is between them'),
          sinkInterface: to.name,
        }),
      ),
  );
  const [first, ...others] = [...shared, ...routed];
  if (first === undefined) return [];
  return [first, ...others.filter(({ address }) => isIpv6(address) === isIpv6(first.address))].slice(
    0,
    ROUTES_MAX,
  );
};

const isIpv6 = (address: string): boolean => address.includes(':');

/** A link-local address needs a scope that only a daemon's check of the cable can find. */
const usable = (state: State, node: NodeId): readonly NetworkInterface[] =>
  (state.nodeNetworks[node]?.value.interfaces ?? [])
    .filter(({ isUp, type }) => isUp !== false && type !== 'loopback')
    .map(one => ({ ...one, addresses: one.addresses.filter(address => !isOfEveryCable(address)) }));

/** The slower end's; 0 if one is unknown: then it is tried last. */
const rateOf = (one: NetworkInterface, other: NetworkInterface): number => {
  const [a, b] = [one.speedBitsPerSecond, other.speedBitsPerSecond];
  return isKnown(a) && isKnown(b) ? Math.min(a, b) : 0;
};

const languageOf = async (shell: RemoteShell): Promise<ProbeLanguage | undefined> => {
  for (const language of PROBE_LANGUAGES) {
    const { status } = await shell.request(['run', '5', language, '--version']);
    if (status === '0') return language;
  }
  return undefined;
};

interface Ends {
  readonly source: ProbedMachine;
  readonly sink: ProbedMachine;
  readonly from: ProbeLanguage;
  readonly to: ProbeLanguage;
  readonly addresses: readonly string[];
}

export type Measured =
  | {
      readonly kind: 'measured';
      /** The one that answered. */
      readonly address: string;
      readonly engine: string;
      readonly roundTripsNs: readonly number[];
      readonly upload: Counted | undefined;
      readonly download: Counted | undefined;
    }
  | { readonly kind: 'failed'; readonly reason: string };

interface Counted {
  readonly bytes: number;
  readonly seconds: number;
}

const measure = async ({ source, sink, from, to, addresses }: Ends): Promise<Measured> => {
  const anyAddress = addresses.some(isIpv6) ? '::' : '0.0.0.0';
  const token = randomBytes(16).toString('hex');
  const listening = Promise.withResolvers<number | undefined>();
  const listened = sink.shell.request(['run', LIMIT_SECONDS, ...listenWords(to, anyAddress, token)], text => {
    const port = /^port (\d{1,5})$/m.exec(text)?.[1];
    if (port !== undefined) listening.resolve(Number(port));
  });
  listened.then(
    () => listening.resolve(undefined),
    error => listening.reject(error),
  );
  const port = await listening.promise;
  if (port === undefined)
    return { kind: 'failed', reason: reasonOf((await listened).stderr, 'it cannot listen') };
  const words = connectWords(from, { addresses, port, token });
  const connected = await source.shell.request(['run', LIMIT_SECONDS, ...words]);
  const printed = connected.bytes.toString('utf8');
  const refused = /^refused (.*)$/m.exec(printed)?.[1];
  if (connected.status !== '0' || refused !== undefined)
    return { kind: 'failed', reason: reasonOf(refused ?? connected.stderr, 'the probe did not end') };
  const accepted = (await listened).bytes.toString('utf8');
  return measuredIn({ connected: printed, accepted, engine: from === to ? from : `${from}, ${to}` });
};

/** What the two programs have printed. */
export const measuredIn = ({
  connected,
  accepted,
  engine,
}: {
  readonly connected: string;
  readonly accepted: string;
  readonly engine: string;
}): Measured => {
  const round = /^round ([\d ]{1,4000})$/m.exec(connected)?.[1] ?? '';
  return {
    kind: 'measured',
    address: /^by ([0-9A-Fa-f.:]{2,45})$/m.exec(connected)?.[1] ?? '',
    engine,
    roundTripsNs: round
      .split(' ')
      .filter(word => word !== '')
      .map(Number),
    upload: countedIn(accepted, 'upload'),
    download: countedIn(connected, 'download'),
  };
};

const countedIn = (text: string, name: string): Counted | undefined => {
  const [, bytes, seconds] = new RegExp(`^${name} (\\d{1,15}) (\\d{1,3}\\.\\d{9})$`, 'm').exec(text) ?? [];
  return bytes === undefined || seconds === undefined
    ? undefined
    : { bytes: Number(bytes), seconds: Number(seconds) };
};

const factsOf = (
  state: State,
  {
    source,
    sink,
    route,
    measured,
  }: {
    readonly source: NodeId;
    readonly sink: NodeId;
    readonly route: ProbeRoute;
    readonly measured: Extract<Measured, { kind: 'measured' }>;
  },
): readonly Fact[] => {
  const { address, sourceInterface, sinkInterface } = route;
  const connection: Connection = {
    kind: 'socket',
    sink,
    sinkAddress: address,
    sourceInterface,
    sinkInterface,
    ...connectionCarrier(sourceInterface, endReadings(state, source)),
  };
  const carrier = linkCarrier(connection, endReadings(state, source), endReadings(state, sink));
  const { upload, download, engine, roundTripsNs } = measured;
  const profile: LinkProfile = {
    ...noLinkFigures(unknown('a survey does not measure it')),
    ...roundTripFigures(roundTripsNs),
    uploadBitsPerSecond: surveyedRate(upload, carrier),
    downloadBitsPerSecond: surveyedRate(download, carrier),
    uploadStreams: 1,
    downloadStreams: 1,
    sink,
    connectionKey: connectionKey(connection),
    extrasAgeMs: unknown('a survey does not measure them'),
    extrasBytes: 0,
    bytesUsed: (upload?.bytes ?? 0) + (download?.bytes ?? 0),
    engine: `survey: ${engine}`,
    method: `${PROBE_METHOD}, by ${engine}: a fast link carries more`,
    measuredAgeMs: 0,
    intervalMs: unknown('a survey measures once'),
    failure: 'none',
  };
  return [
    { kind: 'connection.opened', payload: connection },
    { kind: 'link.profiled', payload: profile },
  ];
};

/**
 * Unknown where the interpreter may have been the limit: fast, and still far below what both ends negotiated. A figure would look like a bad
 * cable.
 */
export const surveyedRate = (counted: Counted | undefined, carrier: ConnectionCarrier): Reported<number> => {
  if (counted === undefined || counted.seconds < SECONDS_MIN)
    return unknown('too little arrived in a second');
  const bitsPerSecond = Math.round((counted.bytes * 8) / counted.seconds);
  const { negotiatedBitsPerSecond } = carrier;
  const medium = connectionMedium('socket', carrier);
  const share = medium === undefined ? undefined : soundShare({ medium, carrier });
  const isSlow =
    share !== undefined &&
    isKnown(negotiatedBitsPerSecond) &&
    bitsPerSecond < share * negotiatedBitsPerSecond;
  return isSlow && bitsPerSecond > INTERPRETED_BITS_PER_SECOND
    ? unknown(
        `the one stream of a survey carried ${figureText(formatBitsPerSecond(bitsPerSecond))}, and may have been the limit: a daemon measures it`,
      )
    : bitsPerSecond;
};

const reasonOf = (text: string, otherwise: string): string => {
  const line = plainLine(text.trim().split('\n').at(-1) ?? '').slice(0, 120);
  return line === '' ? otherwise : line;
};

const ROUTES_MAX = 3;
/** Of one end of a probe, which takes about four. */
const LIMIT_SECONDS = '12';
const SECONDS_MIN = 0.1;
/** What every processor passes on in Perl or Python. */
const INTERPRETED_BITS_PER_SECOND = 2e9;
const REASON_LENGTH_MAX = 500;
