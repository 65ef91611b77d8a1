// The simulated machines of a demo other than the one that its daemon plays: each connects to the daemon over a mesh in
// memory, and an absent one has its cable cut.

import type { Clock } from '../../clock/clock.ts';
import type { NodeId } from '../../core/ids.ts';
import { JOURNAL_LIMITS } from '../../journal/journal.ts';
import { MemoryNetwork } from '../../mesh/memory/memory-network.ts';
import type { MeshIdentity, MeshTransport } from '../../mesh/mesh.ts';
import type { SimulatedFact } from '../../simulate/node-reporting.ts';
import type { SeededNodeKey } from '../../simulate/seeded-node-key.ts';
import { SimulatedPeer } from '../../simulate/simulated-peer.ts';
import type { Away, Remaining } from '../../simulate/simulation.ts';
import type { DurableRecord } from '../../wire/durable-record.ts';
import type { OriginPosition } from '../../wire/version-vector.ts';
import type { Lifetimes } from '../lifetimes.ts';
import { Notices } from '../notices.ts';
import { openDaemonJournal } from '../open-journal.ts';

interface DemoFleetOptions {
  /** The daemon's. */
  readonly own: NodeId;
  readonly others: readonly SeededNodeKey[];
  readonly clock: Clock;
  readonly plimsollVersion: string;
}

interface Member {
  readonly node: NodeId;
  readonly transport: MeshTransport;
  readonly peer: SimulatedPeer;
}

export class DemoFleet {
  readonly #options: DemoFleetOptions;
  readonly #network: MemoryNetwork;
  readonly #members: ReadonlyMap<NodeId, Member>;
  readonly #away = new Set<NodeId>();
  readonly #epoch: number;
  #ownTransport: MeshTransport | undefined;

  constructor(options: DemoFleetOptions) {
    const { own, others, clock, plimsollVersion } = options;
    this.#options = options;
    this.#network = new MemoryNetwork(clock);
    this.#epoch = Math.floor(clock.wallMs());
    const common = { clock, epoch: this.#epoch, start: this.#epoch, plimsollVersion };
    const fleet = [own, ...others.map(({ nodeId }) => nodeId)];
    this.#members = new Map(
      others.map((identity): [NodeId, Member] => {
        const node = identity.nodeId;
        const transport = this.#network.transport({ name: node, identity, start: this.#epoch });
        const peer = new SimulatedPeer({ ...common, identity, transport, fleet });
        return [node, { node, transport, peer }];
      }),
    );
  }

  /** Of the daemon; not started yet. */
  ownTransport(identity: MeshIdentity, start: number): MeshTransport {
    this.#ownTransport = this.#network.transport({ name: this.#options.own, identity, start });
    return this.#ownTransport;
  }

  report(node: NodeId, facts: readonly SimulatedFact[]): void {
    const member = this.#members.get(node);
    member?.peer.report(facts);
    // Like a machine that receives a beacon: one that has come back does not wait for its turn to dial.
    if (member?.transport.links.size === 0) this.#dial(member);
  }

  setAway(node: NodeId, away: Away): void {
    if (away === 'back') this.#away.delete(node);
    else this.#away.add(node);
    const member = this.#members.get(node);
    if (member === undefined || this.#ownTransport === undefined) return;
    // Its last event must arrive; afterwards it sends nothing until it is back.
    if (away === 'stopped') member.peer.stop();
    else if (away === 'silent') this.#network.cut(member.transport, this.#ownTransport);
    else this.#network.heal(member.transport, this.#ownTransport);
  }

  /** Nodes that are away before the daemon begins: their records for its journal, and their last values with a neighbour. */
  remember(left: readonly Remaining[]): readonly SeenBefore[] {
    for (const { node } of left) this.#away.add(node);
    const neighbour = [...this.#members.values()].find(({ node }) => !this.#away.has(node));
    return left.flatMap(({ node, awayMs, facts }): readonly SeenBefore[] => {
      const peer = this.#members.get(node)?.peer;
      if (peer === undefined) return [];
      peer.report(facts.map(({ fact, ageMs }) => ({ fact, ageMs: ageMs + awayMs })));
      neighbour?.peer.relay(peer.lastValues);
      const position = { origin: node, epoch: this.#epoch };
      const nowMs = this.#options.clock.nowMs();
      const records = peer.records.map(({ seq, kind, key, body, proof, trueSinceMs }) => {
        const ageMs = Math.max(0, nowMs - trueSinceMs - awayMs);
        return { ...position, seq, kind, key, body, signature: proof, ageMs };
      });
      return [{ ...position, through: peer.durableSeq, records, awayMs }];
    });
  }

  /** After the daemon has started. What is started is owned by `parts`. */
  async start(parts: Lifetimes, signal: AbortSignal): Promise<void> {
    for (const member of this.#members.values()) {
      const { node, transport } = member;
      parts.addAsync(transport);
      if (this.#away.has(node)) this.setAway(node, 'silent');
      await transport.start(signal);
      this.#dial(member);
    }
  }

  #dial({ transport }: Member): void {
    // Without the listener's id: the greater of two ids would leave the first dial to the other for seconds.
    transport.addCandidate({ address: this.#options.own, port: MEMORY_PORT, source: 'static' });
  }
}

const MEMORY_PORT = 4_181;

// The record that the demo's daemon has of nodes that went silent before it started: in its journal, with the age of the last
// event from each, as in the home of any daemon that is restarted.
interface SeenBefore extends OriginPosition {
  /** With the ages that they had when the origin fell silent. */
  readonly records: readonly DurableRecord[];
  /** Since then, ms. */
  readonly awayMs: number;
}

interface LeftBehindHome {
  readonly home: string;
  readonly ownNode: NodeId;
  readonly clock: Clock;
}

/** Longest silent first. */
export const storeSeenBefore = (
  { home, ownNode, clock }: LeftBehindHome,
  received: readonly SeenBefore[],
): void => {
  for (const { awayMs, records, ...position } of received.toSorted((a, b) => b.awayMs - a.awayMs)) {
    const then: Clock = {
      nowMs: () => clock.nowMs() - awayMs,
      wallMs: () => clock.wallMs() - awayMs,
      sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
    };
    using journal = openDaemonJournal(
      home,
      JOURNAL_LIMITS,
      { ownNode, clock: then },
      new Notices(() => undefined),
    );
    journal.appendCatchUp(position, records);
  }
};
