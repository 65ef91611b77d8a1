// Atlas with its connections to Juno, for tests of what a daemon records of them: both on a wire in memory and on a clock that moves
// only when a test moves it.

import type { NetworkInterfaceInfo } from 'node:os';
import { applyAll } from '../../../src/core/apply.ts';
import { entriesOf } from '../../../src/core/entry-maps.ts';
import type { Event } from '../../../src/core/event.ts';
import { eventClass, type Fact, factKey } from '../../../src/core/event-kinds.ts';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import type { InterfaceType, NodeNetwork } from '../../../src/core/node/network.ts';
import { EMPTY_STATE, type State } from '../../../src/core/state.ts';
import { type Unknown, unknown } from '../../../src/core/unknown.ts';
import { type Connections, openConnectionsOf } from '../../../src/daemon/mesh/connections.ts';
import type { InterfaceList } from '../../../src/mesh/discovery/beacon-endpoints.ts';
import { MemoryDatagrams } from '../../support/memory-datagrams.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const ATLAS: NodeId = nodeId('a'.repeat(26));
export const JUNO: NodeId = nodeId('b'.repeat(26));
const KEY = new Uint8Array(32).fill(1);
const PORT = 4_181;
const rest: Unknown = unknown('not reported');

interface OwnInterface {
  readonly name?: string;
  readonly type?: NodeNetwork['interfaces'][number]['type'];
  readonly speedBitsPerSecond?: number;
}

export class ConnectionsBed implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly wire = new MemoryDatagrams();
  readonly facts: Fact[] = [];
  state: State = EMPTY_STATE;
  interfaces: InterfaceList = { en0: [infoOf('10.0.0.1'), infoOf('fe80::1')] };
  isJunoSeen = true;
  readonly #seqs = new Map<string, number>();
  #running: {
    readonly stop: AbortController;
    readonly done: Promise<void>;
    readonly connections: Connections;
  }[] = [];

  ignored: readonly string[] = [];
  /** Nodes of a fleet that this one does not measure today. */
  readonly unchosen = new Set<NodeId>();

  static async with(
    own: OwnInterface,
    junoAddresses: readonly string[] = ['10.0.0.2'],
    ignored: readonly string[] = [],
  ): Promise<ConnectionsBed> {
    const bed = new ConnectionsBed();
    bed.ignored = ignored;
    bed.pushOwn(own);
    bed.#report(JUNO, networkFact('en7', 'ethernet', junoAddresses, rest));
    bed.#report(JUNO, { kind: 'endpoints.reported', payload: { meshPort: PORT, reachabilityPort: PORT } });
    await bed.#start(JUNO, ['10.0.0.2', 'fe80::2%en0']);
    await bed.#start(ATLAS, ['10.0.0.1']);
    return bed;
  }

  get current(): readonly object[] {
    return entriesOf(this.state.connections[ATLAS])
      .flatMap(sinks => entriesOf(sinks))
      .map(({ value }) => value);
  }

  get lost(): readonly object[] {
    return entriesOf(this.state.lostConnections[ATLAS])
      .flatMap(sinks => entriesOf(sinks))
      .map(({ value }) => value);
  }

  reportJuno(addresses: readonly string[]): void {
    this.#report(JUNO, networkFact('en7', 'ethernet', addresses, rest));
  }

  reachAtlas(): void {
    const [sink, sinkAddress] = [ATLAS, '10.0.0.1'];
    const ends = { sourceInterface: 'en7', sinkInterface: 'en0' };
    const payload = { kind: 'socket' as const, sink, sinkAddress, ...ends };
    this.#report(JUNO, {
      kind: 'connection.opened',
      payload: { ...payload, type: 'ethernet', negotiatedBitsPerSecond: rest },
    });
  }

  readonly record = (fact: Fact): void => {
    this.facts.push(fact);
    this.#report(ATLAS, fact);
  };

  pushOwn({ name = 'en0', type = 'ethernet', speedBitsPerSecond }: OwnInterface): void {
    this.#report(ATLAS, networkFact(name, type, ['10.0.0.1', 'fe80::1'], speedBitsPerSecond ?? rest));
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < Math.ceil(seconds); second += 1) {
      if (this.isJunoSeen) this.#report(JUNO, SEEN);
      await this.clock.advance(1_000 * Math.min(1, seconds - second));
    }
  }

  async restart({ withoutJuno = false }: { readonly withoutJuno?: boolean } = {}): Promise<void> {
    const own = this.#running.pop();
    own?.stop.abort();
    await own?.done;
    await own?.connections[Symbol.asyncDispose]();
    if (withoutJuno) this.state = { ...this.state, nodeEndpoints: {} };
    await this.#start(ATLAS, ['10.0.0.1']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { stop } of this.#running) stop.abort();
    await Promise.all(this.#running.map(({ done }) => done));
  }

  async #start(self: NodeId, addresses: readonly [string, ...string[]]): Promise<void> {
    const connections = await openConnectionsOf({
      nodeId: self,
      clock: this.clock,
      state: () => (self === ATLAS ? this.state : EMPTY_STATE),
      record: self === ATLAS ? this.record : () => undefined,
      keys: [KEY],
      random: () => 0.5,
      ignoredInterfaces: this.ignored,
      isChosen: node => self !== ATLAS || !this.unchosen.has(node),
      listInterfaces: () => this.interfaces,
      openPort: async (use, listener) => this.wire.open(addresses, use === 'ask' ? 50_000 : PORT, listener),
    });
    const stop = new AbortController();
    this.#running.push({ stop, connections, done: connections.run(stop.signal) });
  }

  #report(origin: NodeId, fact: Fact): void {
    const kindClass = eventClass(fact.kind);
    const seq = (this.#seqs.get(`${origin} ${kindClass}`) ?? 0) + 1;
    this.#seqs.set(`${origin} ${kindClass}`, seq);
    const head = { origin, epoch: 1, class: kindClass, seq, key: factKey(fact), ageMs: 0 };
    const event: Event = { ...head, ...fact, receivedAtMs: this.clock.nowMs() };
    this.state = applyAll(this.state, [event]);
  }
}

const infoOf = (address: string): NetworkInterfaceInfo => {
  const common = { address, netmask: '', mac: '', internal: false, cidr: null };
  return address.includes(':') ? { ...common, family: 'IPv6', scopeid: 2 } : { ...common, family: 'IPv4' };
};

const networkFact = (
  name: string,
  type: InterfaceType | typeof rest,
  addresses: readonly string[],
  speedBitsPerSecond: number | typeof rest,
): Fact => ({
  kind: 'network.gathered',
  payload: {
    source: 'made up',
    intervalMs: 10_000,
    value: {
      interfaces: [
        {
          name,
          type,
          typeEvidence: 'made up',
          macAddress: rest,
          isUp: true,
          speedBitsPerSecond,
          mtuBytes: rest,
          driver: rest,
          members: [],
          addresses: addresses.map(address => ({
            address,
            family: address.includes(':') ? ('ipv6' as const) : ('ipv4' as const),
            prefixLength: 24,
            scope: 'global' as const,
          })),
        },
      ],
    },
  },
});

const SEEN: Fact = {
  kind: 'reading.confirmed',
  payload: { reading: 'network', vendor: 'none', source: 'made up', intervalMs: 10_000 },
};
