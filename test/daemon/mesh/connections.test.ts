import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual-clock.ts';
import { applyAll } from '../../../src/core/apply.ts';
import { entriesOf } from '../../../src/core/entry-maps.ts';
import type { Event } from '../../../src/core/event.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import { eventClass, factKey } from '../../../src/core/event-kinds.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { nodeId } from '../../../src/core/ids.ts';
import { pathEnds, pathProfiles } from '../../../src/core/link/link-path.ts';
import type { InterfaceType, NodeNetwork } from '../../../src/core/node/network.ts';
import type { State } from '../../../src/core/state.ts';
import { EMPTY_STATE } from '../../../src/core/state.ts';
import { unknown } from '../../../src/core/unknown.ts';
import type { Connections } from '../../../src/daemon/mesh/connections.ts';
import { openConnectionsOf } from '../../../src/daemon/mesh/connections.ts';
import { closeHeldConnections } from '../../../src/daemon/mesh/mesh-connections.ts';
import type { InterfaceList } from '../../../src/mesh/discovery/beacon-places.ts';
import { MemoryDatagrams } from '../../../src/mesh/reachability/memory-datagrams.ts';
import { LINK_FIGURES } from '../../support/link-figures.ts';

const KEY = new Uint8Array(32).fill(1);
const ATLAS = nodeId('a'.repeat(26));
const JUNO = nodeId('b'.repeat(26));
const PORT = 4_181;
const rest = unknown('not reported');

describe('the connections of a daemon', () => {
  it('are written with their interface, type and rate as soon as the other node answers', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    expect(bed.facts).toEqual([
      {
        kind: 'connection.opened',
        payload: {
          kind: 'socket',
          sink: JUNO,
          sinkAddress: '10.0.0.2',
          sourceInterface: 'en0',
          sinkInterface: 'en7',
          type: 'ethernet',
          negotiatedBitsPerSecond: 1e9,
        },
      },
    ]);
  });

  it('of a node that was not chosen today are closed with that reason, and opened again when it is', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    bed.unchosen.add(JUNO);
    await bed.pass(3);
    expect(bed.facts.slice(1)).toMatchObject([
      { kind: 'connection.closed', payload: { sink: JUNO, reason: 'not chosen today' } },
    ]);
    bed.unchosen.clear();
    await bed.pass(3);
    expect(bed.held).toMatchObject([{ sink: JUNO, sinkAddress: '10.0.0.2' }]);
  });

  it('are written again when their rate falls or their type changes, and not while nothing does', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(60);
    expect(bed.facts.length).toBe(1);
    bed.tellOwn({ speedBitsPerSecond: 1e8 });
    await bed.pass(3);
    bed.tellOwn({ speedBitsPerSecond: 1e8, type: 'wifi' });
    await bed.pass(3);
    expect(bed.facts.slice(1).map(({ payload }) => payload)).toMatchObject([
      { type: 'ethernet', negotiatedBitsPerSecond: 1e8 },
      { type: 'wifi', negotiatedBitsPerSecond: 1e8 },
    ]);
  });

  it('keep a concrete type when the interface is not told any more', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    bed.tellOwn({ type: unknown('sysfs does not answer') });
    await bed.pass(30);
    expect(bed.facts.length).toBe(1);
    expect(bed.held).toMatchObject([{ type: 'ethernet', negotiatedBitsPerSecond: 1e9 }]);
  });

  it('forget the type of one interface when another carries them, though of that nothing is known', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    bed.tellOwn({ name: 'tun0', type: unknown('no evidence') });
    await bed.pass(3);
    expect(bed.held).toMatchObject([{ sourceInterface: 'tun0', type: unknown('no evidence') }]);
  });

  it('close when the other node falls silent, with its profile', async () => {
    await using bed = await Bed.with({});
    await bed.pass(3);
    bed.wire.block('10.0.0.2');
    await bed.pass(14);
    expect(bed.facts.at(-1)).toEqual({
      kind: 'connection.closed',
      payload: { sink: JUNO, connectionKey: 'socket 10.0.0.2', reason: 'no answer' },
    });
    expect(bed.held).toEqual([]);
  });

  it('stay as lost when they were open for a minute, and open again as what they were', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(61);
    bed.wire.block('10.0.0.2');
    await bed.pass(14);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.lost',
      payload: {
        code: 'no-answer',
        connection: { sinkAddress: '10.0.0.2', sourceInterface: 'en0', sinkInterface: 'en7' },
      },
    });
    expect(bed.held).toEqual([]);
    bed.wire.unblock('10.0.0.2');
    bed.tellOwn({ type: unknown('the port map did not come') });
    await bed.pass(60);
    expect(bed.held).toMatchObject([{ type: 'ethernet', sinkInterface: 'en7' }]);
    expect(bed.lost).toEqual([]);
  });

  it('that are reached over another interface leave the old path lost, with its figures, where that is down', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(61);
    bed.record(profileOfJuno);
    bed.tellOwn({ name: 'en1', type: 'wifi' });
    await bed.pass(3);
    expect(bed.held).toMatchObject([{ sourceInterface: 'en1', type: 'wifi' }]);
    expect(bed.lost).toMatchObject([{ connection: { sourceInterface: 'en0', type: 'ethernet' } }]);
    const paths = pathProfiles(pathEnds(bed.state, ATLAS, JUNO));
    expect([...paths.keys()]).toEqual(['socket en0 en7']);
    // The cable is back, and so are its figures; the radio was only not in use.
    bed.tellOwn({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    expect(bed.held).toMatchObject([{ sourceInterface: 'en0', type: 'ethernet' }]);
    expect([...pathProfiles(pathEnds(bed.state, ATLAS, JUNO)).keys()]).toEqual(['socket en0 en7']);
  });

  it('keep the interface of the other end through one reading without the address', async () => {
    await using bed = await Bed.with({});
    await bed.pass(61);
    bed.tellJuno([]);
    await bed.pass(2);
    expect(bed.lost).toMatchObject([{ code: 'address-gone', connection: { sinkInterface: 'en7' } }]);
    bed.tellJuno(['10.0.0.2']);
    await bed.pass(12);
    expect(bed.held).toMatchObject([{ sinkInterface: 'en7' }]);
  });

  it('that were lost with their node have another reason where it is back and they are not', async () => {
    await using bed = await Bed.with({});
    await bed.pass(61);
    bed.isJunoHeard = false;
    await bed.pass(31);
    expect(bed.lost).toMatchObject([{ code: 'node-offline', lostAgeMs: 0 }]);
    bed.wire.block('10.0.0.2');
    bed.isJunoHeard = true;
    await bed.pass(25);
    expect(bed.lost).toMatchObject([{ code: 'node-offline' }]);
    await bed.pass(20);
    expect(bed.lost).toMatchObject([{ code: 'no-answer' }]);
    expect(bed.lost).not.toMatchObject([{ lostAgeMs: 0 }]);
  });

  it('close when the node goes offline, although something still answers there', async () => {
    await using bed = await Bed.with({});
    await bed.pass(3);
    bed.isJunoHeard = false;
    await bed.pass(31);
    expect(bed.facts.at(-1)).toMatchObject({ payload: { reason: 'the node is offline' } });
    bed.isJunoHeard = true;
    await bed.pass(3);
    expect(bed.held.length, 'and open when it speaks again').toBe(1);
  });

  it('by an interface that the settings ignore are none', async () => {
    await using bed = await Bed.with({}, ['10.0.0.2'], ['en0']);
    await bed.pass(30);
    expect(bed.facts).toEqual([]);
  });

  it('close at once when the own interface of a link-local one is gone', async () => {
    await using bed = await Bed.with({}, ['fe80::2']);
    await bed.pass(3);
    expect(bed.held).toMatchObject([{ sinkAddress: 'fe80::2%en0', sourceInterface: 'en0' }]);
    bed.interfaces = {};
    await bed.pass(1.2);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.closed',
      payload: { reason: 'the interface en0 is down or gone' },
    });
  });

  it('of an earlier start stay when they still answer, and nothing is written', async () => {
    await using bed = await Bed.with({ speedBitsPerSecond: 1e9 });
    await bed.pass(3);
    await bed.restart();
    await bed.pass(60);
    expect(bed.facts.length).toBe(1);
    expect(bed.held.length).toBe(1);
  });

  it('of an earlier start are closed when nobody answers, or nobody is there to be asked', async () => {
    await using bed = await Bed.with({});
    await bed.pass(3);
    bed.wire.block('10.0.0.2');
    await bed.restart();
    await bed.pass(4);
    expect(bed.held).toEqual([]);
    bed.wire.unblock('10.0.0.2');
    await bed.pass(90);
    expect(bed.held.length).toBe(1);
    bed.isJunoHeard = false;
    await bed.pass(25); // not yet offline when this node stops
    await bed.restart({ withoutJuno: true });
    await bed.pass(31);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.lost',
      payload: { code: 'node-offline', reason: 'the node is offline' },
    });
  });

  it('of an earlier start are closed at once when their address cannot be asked any more', async () => {
    await using bed = await Bed.with({}, ['fe80::2']);
    await bed.pass(3);
    bed.interfaces = {};
    await bed.restart();
    await bed.pass(1);
    expect(bed.facts.at(-1)).toMatchObject({
      kind: 'connection.closed',
      payload: { connectionKey: 'socket fe80::2%en0', reason: 'the interface en0 is down or gone' },
    });
  });

  it('of an earlier start are closed at once where there is no mesh any more', async () => {
    await using bed = await Bed.with({});
    await bed.pass(3);
    const { facts } = bed;
    closeHeldConnections(
      { nodeId: ATLAS, clock: bed.clock, state: () => bed.state, record: bed.record },
      'there is no mesh',
    );
    expect(facts.at(-1)).toMatchObject({ payload: { reason: 'there is no mesh' } });
    expect(bed.held).toEqual([]);
  });
});

const profileOfJuno: Fact = {
  kind: 'link.profiled',
  payload: { ...LINK_FIGURES, sink: JUNO, connectionKey: 'socket 10.0.0.2' },
};

interface OwnInterface {
  readonly name?: string;
  readonly type?: NodeNetwork['interfaces'][number]['type'];
  readonly speedBitsPerSecond?: number;
}

/** Atlas with its connections to Juno, which answers; both on a wire in memory and a clock that moves when told. */
class Bed implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly wire = new MemoryDatagrams();
  readonly facts: Fact[] = [];
  state: State = EMPTY_STATE;
  interfaces: InterfaceList = { en0: [infoOf('10.0.0.1'), infoOf('fe80::1')] };
  isJunoHeard = true;
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
  ): Promise<Bed> {
    const bed = new Bed();
    bed.ignored = ignored;
    bed.tellOwn(own);
    bed.#tell(JUNO, networkFact('en7', 'ethernet', junoAddresses, rest));
    bed.#tell(JUNO, { kind: 'endpoints.told', payload: { meshPort: PORT, reachabilityPort: PORT } });
    await bed.#start(JUNO, ['10.0.0.2', 'fe80::2%en0']);
    await bed.#start(ATLAS, ['10.0.0.1']);
    return bed;
  }

  get held(): readonly object[] {
    return entriesOf(this.state.connections[ATLAS])
      .flatMap(sinks => entriesOf(sinks))
      .map(({ value }) => value);
  }

  get lost(): readonly object[] {
    return entriesOf(this.state.lostConnections[ATLAS])
      .flatMap(sinks => entriesOf(sinks))
      .map(({ value }) => value);
  }

  tellJuno(addresses: readonly string[]): void {
    this.#tell(JUNO, networkFact('en7', 'ethernet', addresses, rest));
  }

  readonly record = (fact: Fact): void => {
    this.facts.push(fact);
    this.#tell(ATLAS, fact);
  };

  tellOwn({ name = 'en0', type = 'ethernet', speedBitsPerSecond }: OwnInterface): void {
    this.#tell(ATLAS, networkFact(name, type, ['10.0.0.1', 'fe80::1'], speedBitsPerSecond ?? rest));
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < Math.ceil(seconds); second += 1) {
      if (this.isJunoHeard) this.#tell(JUNO, HEARD);
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

  #tell(origin: NodeId, fact: Fact): void {
    const kindClass = eventClass(fact.kind);
    const seq = (this.#seqs.get(`${origin} ${kindClass}`) ?? 0) + 1;
    this.#seqs.set(`${origin} ${kindClass}`, seq);
    const head = { origin, epoch: 1, class: kindClass, seq, key: factKey(fact), ageMs: 0 };
    const event: Event = { ...head, ...fact, receivedAtMs: this.clock.nowMs() };
    this.state = applyAll(this.state, [event]);
  }
}

const infoOf = (address: string): NetworkInterfaceInfo => {
  const held = { address, netmask: '', mac: '', internal: false, cidr: null };
  return address.includes(':') ? { ...held, family: 'IPv6', scopeid: 2 } : { ...held, family: 'IPv4' };
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

const HEARD: Fact = {
  kind: 'reading.confirmed',
  payload: { reading: 'network', vendor: 'none', source: 'made up', intervalMs: 10_000 },
};
