// Finds where peers may be, from three sources: beacons on every interface, peers that a person named, and
// addresses that peers send. It yields candidates; only the transport finds out which node an address belongs
// to.

import { networkInterfaces } from 'node:os';
import { type Clock, pause } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import type { MeshCandidate } from '../mesh.ts';
import { MESH_VERSION } from '../tls/authentication.ts';
import { BeaconChannel, type BeaconChannelParts, RecentTexts } from './beacon-channel.ts';
import {
  type BeaconEndpoint,
  beaconEndpoints,
  beaconKey,
  type DiscoveryWay,
  type InterfaceList,
  isInNetwork,
  type LeftOutInterface,
} from './beacon-endpoints.ts';
import { type OpenBeaconSocket, openBeaconSocket } from './beacon-socket.ts';
import type { BeaconTrouble, DiscoveryStatus } from './discovery-status.ts';
import { BEACON_PORT, DISCOVERY_LIMITS } from './limits.ts';
import { dialableFromElsewhere, isLinkLocalIpv6 } from './peer-address.ts';

interface DiscoverySettings {
  readonly way: DiscoveryWay;
  /** Retried indefinitely by the transport, which resolves the name again at each dial. */
  readonly staticPeers: readonly HostPort[];
  /** Default none. Names in `way` take precedence. */
  readonly ignoredInterfaces?: readonly string[];
  /** UDP; default BEACON_PORT. */
  readonly beaconPort?: number;
  /** Default false: other nodes on this machine do not receive it, and loopback carries no beacon. */
  readonly reachesOwnMachine?: boolean;
}

export interface DiscoveryOptions {
  readonly clock: Clock;
  /** Ends it, like disposing. */
  readonly signal: AbortSignal;
  /** `deriveSecret(key, 'beacon')` of each accepted cluster key, the current one first. */
  readonly tagKeys: readonly Uint8Array[];
  /** Where this node accepts links; undefined: it only listens for others. */
  readonly listenPort: number | undefined;
  readonly settings: DiscoverySettings;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  onCandidate(candidate: MeshCandidate): void;
  /** Once for each failure, until it succeeds again. */
  onTrouble(trouble: BeaconTrouble): void;
  /**
   * Interfaces that the setting names but that are absent now, and those present; called each time they
   * change.
   */
  readonly onMissing?: (missing: readonly string[], present: readonly string[]) => void;
  /** Default: `os.networkInterfaces`; tests pass another source. */
  readonly listInterfaces?: () => InterfaceList;
  readonly openSocket?: OpenBeaconSocket;
}

/** Accepts addresses that peers send of themselves and of others. */
interface LearnedAddresses {
  /** @param reportedBy the id of the peer that sent them; each peer has its share of the table. */
  learn(addresses: readonly HostPort[], reportedBy: string): void;
  /** Addresses of a node from its readings, made diallable here: link-local ones are scoped with a local interface. */
  learnOf(node: NodeId, addresses: readonly HostPort[]): void;
}

export interface Discovery extends AsyncDisposable, LearnedAddresses {
  readonly status: DiscoveryStatus;
  /** Beacons are sent and checked under these keys from now on. */
  setTagKeys(tagKeys: readonly Uint8Array[]): void;
}

export const startDiscovery = (options: DiscoveryOptions): Discovery => new RunningDiscovery(options);

interface RunningChannel {
  readonly channel: BeaconChannel;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

class RunningDiscovery implements Discovery {
  readonly #options: DiscoveryOptions;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #table: CandidateTable;
  readonly #channels = new Map<string, RunningChannel>();
  readonly #ending = new Set<Promise<void>>();
  readonly #ownNonces = new RecentTexts(DISCOVERY_LIMITS.noncesMax);
  readonly #done: Promise<void>;
  #tagKeys: readonly Uint8Array[];
  #leftOut: readonly LeftOutInterface[] = [];
  #missingReported = '';
  /** Interfaces for which unscoped static peers were passed on. */
  readonly #scopesReported = new RecentTexts(SCOPES_MAX);

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
    this.#tagKeys = options.tagKeys;
    this.#table = new CandidateTable(options.clock, candidate => this.#pass(candidate));
    this.#done = this.#run();
  }

  get status(): DiscoveryStatus {
    return {
      channels: [...this.#channels.values()].map(({ channel }) => channel.status),
      leftOut: this.#leftOut,
      candidateCount: this.#table.size,
      refusedCount: this.#table.refusedCount,
    };
  }

  setTagKeys(tagKeys: readonly Uint8Array[]): void {
    this.#tagKeys = tagKeys;
  }

  learn(addresses: readonly HostPort[], reportedBy: string): void {
    for (const { host, port } of addresses.slice(0, DISCOVERY_LIMITS.addressesPerPeerMax)) {
      const address = dialableFromElsewhere(host);
      if (address === undefined || !Number.isInteger(port) || port < 1 || port > PORT_MAX) continue;
      this.#table.offer({ address, port, source: 'peer' }, reportedBy);
    }
  }

  learnOf(node: NodeId, addresses: readonly HostPort[]): void {
    for (const { host: address, port } of addresses.slice(0, DISCOVERY_LIMITS.addressesPerPeerMax))
      this.#table.offer({ address, port, source: 'peer', peerId: node }, node);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { clock, settings } = this.#options;
    for (const { host, port } of settings.staticPeers) {
      if (!isScopeless(host)) this.#pass({ address: host, port, source: 'static' });
    }
    while (!this.#signal.aborted) {
      this.#scan();
      this.#table.sweep();
      await pause(clock, DISCOVERY_LIMITS.rescanMs, this.#signal);
    }
    await Promise.all([...[...this.#channels.values()].map(({ done }) => done), ...this.#ending]);
  }

  #scan(): void {
    const { settings, listInterfaces = networkInterfaces } = this.#options;
    const { way, ignoredInterfaces = [], reachesOwnMachine: takesLoopback = false } = settings;
    let interfaces: InterfaceList;
    try {
      interfaces = listInterfaces();
    } catch {
      // A sandbox may forbid it for a moment; existing channels continue.
      this.#leftOut = [{ interfaceName: 'every interface', why: 'not-listed' }];
      return;
    }
    const { endpoints, leftOut, missing } = beaconEndpoints(interfaces, {
      way,
      ignoredInterfaces,
      takesLoopback,
    });
    this.#leftOut = leftOut;
    this.#reportMissing(missing, Object.keys(interfaces));
    const wanted = new Map(endpoints.map(endpoint => [beaconKey(endpoint), endpoint]));
    for (const [key, running] of this.#channels) {
      if (!wanted.has(key)) this.#end(key, running);
    }
    for (const [key, endpoint] of wanted) {
      if (!this.#channels.has(key)) this.#begin(key, endpoint);
    }
    this.#reportScopes(interfaces);
  }

  #reportMissing(missing: readonly string[], present: readonly string[]): void {
    const reported = missing.join(' ');
    if (reported === this.#missingReported) return;
    this.#missingReported = reported;
    this.#options.onMissing?.(missing, present);
  }

  #begin(key: string, endpoint: BeaconEndpoint): void {
    const channel = new BeaconChannel(endpoint, this.#channelParts());
    const stop = new AbortController();
    const done = channel.run(AbortSignal.any([this.#signal, stop.signal]));
    this.#channels.set(key, { channel, stop, done });
  }

  #end(key: string, { stop, done }: RunningChannel): void {
    this.#channels.delete(key);
    stop.abort();
    const ending = done.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #channelParts(): BeaconChannelParts {
    const { clock, random, settings, listenPort, openSocket = openBeaconSocket } = this.#options;
    const { beaconPort = BEACON_PORT, reachesOwnMachine = false } = settings;
    return {
      clock,
      random,
      openSocket,
      beaconPort,
      reachesOwnMachine,
      version: MESH_VERSION,
      listenPort,
      ownNonces: this.#ownNonces,
      tagKeys: () => this.#tagKeys,
      received: (address, port, endpoint) => this.#received(address, port, endpoint),
      trouble: trouble => {
        if (!this.#signal.aborted) this.#options.onTrouble(trouble);
      },
    };
  }

  /** IPv4 link-local cables may share one subnet; then it is unknown through which of them it came. */
  #received(address: string, port: number, { family, interfaceName }: BeaconEndpoint): void {
    const isCertain =
      family === 'IPv6' ||
      [...this.#channels.values()].filter(
        ({ channel: { endpoint } }) =>
          endpoint.family === 'IPv4' && endpoint.networks.some(network => isInNetwork(address, network)),
      ).length === 1;
    this.#table.offer({ address, port, source: 'beacon', ...(isCertain ? { interfaceName } : {}) });
  }

  /** A link-local static peer without its interface may be on any of them. */
  #reportScopes(interfaces: InterfaceList): void {
    const scopeless = this.#options.settings.staticPeers.filter(({ host }) => isScopeless(host));
    if (scopeless.length === 0) return;
    for (const [name, infos] of Object.entries(interfaces)) {
      if (!infos?.some(info => !info.internal && isLinkLocalIpv6(info.address))) continue;
      for (const { host, port } of scopeless) {
        const address = `${host}%${name}`;
        if (this.#scopesReported.add(`${address} ${port}`))
          this.#pass({ address, port, interfaceName: name, source: 'static' });
      }
    }
  }

  #pass(candidate: MeshCandidate): void {
    if (!this.#signal.aborted) this.#options.onCandidate(candidate);
  }
}

const isScopeless = (host: string): boolean => isLinkLocalIpv6(host) && !host.includes('%');
const PORT_MAX = 65_535;
const SCOPES_MAX = 4_096;

// Addresses from beacons and from peers: each is passed on to the transport, but not too often, and forgotten
// when it was not reported for long. A full table refuses new ones instead of losing working ones.
interface Row {
  candidate: MeshCandidate;
  /** The peer that sent it; '' if it came in a beacon. */
  readonly reportedBy: string;
  offeredAtMs: number;
  passedAtMs: number;
}

export class CandidateTable {
  readonly #clock: Clock;
  readonly #pass: (candidate: MeshCandidate) => void;
  readonly #rows = new Map<string, Row>();
  readonly #countsBySource = new Map<string, number>();
  readonly #buckets: ReadonlyMap<string, TokenBucket>;
  #refusedCount = 0;

  constructor(clock: Clock, pass: (candidate: MeshCandidate) => void) {
    this.#clock = clock;
    this.#pass = pass;
    const rate = { burst: DISCOVERY_LIMITS.newBurst, perSecond: DISCOVERY_LIMITS.newPerSecond };
    this.#buckets = new Map([
      ['beacon', new TokenBucket(clock, rate)],
      ['peer', new TokenBucket(clock, rate)],
    ]);
  }

  get size(): number {
    return this.#rows.size;
  }

  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** @param reportedBy the peer that reported it; each peer has its share of the table. */
  offer(candidate: MeshCandidate, reportedBy = ''): void {
    const key = `${candidate.address} ${candidate.port}`;
    const nowMs = this.#clock.nowMs();
    const row = this.#rows.get(key);
    if (row !== undefined) {
      row.offeredAtMs = nowMs;
      // A beacon received here is better evidence than what a peer sent: it contains the interface.
      if (candidate.source === 'beacon' || row.candidate.source !== 'beacon') row.candidate = candidate;
      if (nowMs - row.passedAtMs >= DISCOVERY_LIMITS.retellMs) this.#passOn(row);
      return;
    }
    if (!this.#hasRoom(candidate, reportedBy)) {
      this.#refusedCount += 1;
      return;
    }
    const added: Row = { candidate, reportedBy, offeredAtMs: nowMs, passedAtMs: nowMs };
    this.#rows.set(key, added);
    if (reportedBy !== '')
      this.#countsBySource.set(reportedBy, (this.#countsBySource.get(reportedBy) ?? 0) + 1);
    this.#passOn(added);
  }

  /**
   * Forgets what is too old, and repeats what peers sent: they send an address once, and its node may be off just then.
   */
  sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, row] of this.#rows) {
      if (nowMs - row.offeredAtMs >= DISCOVERY_LIMITS.candidateAgeMsMax) this.#forget(key, row);
      else if (row.candidate.source === 'peer' && nowMs - row.passedAtMs >= DISCOVERY_LIMITS.repeatMs)
        this.#passOn(row);
    }
  }

  #hasRoom({ source }: MeshCandidate, reportedBy: string): boolean {
    if (this.#rows.size >= DISCOVERY_LIMITS.candidatesMax) return false;
    const { addressesPerPeerMax } = DISCOVERY_LIMITS;
    if (reportedBy !== '' && (this.#countsBySource.get(reportedBy) ?? 0) >= addressesPerPeerMax) return false;
    return this.#buckets.get(source)?.take() ?? true;
  }

  #passOn(row: Row): void {
    row.passedAtMs = this.#clock.nowMs();
    this.#pass(row.candidate);
  }

  #forget(key: string, { reportedBy }: Row): void {
    this.#rows.delete(key);
    const left = (this.#countsBySource.get(reportedBy) ?? 0) - 1;
    if (left > 0) this.#countsBySource.set(reportedBy, left);
    else this.#countsBySource.delete(reportedBy);
  }
}
