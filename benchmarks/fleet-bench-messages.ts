// The messages between the benchmark of a fleet and its processes: the members, the node that receives from all of
// them, and one that discards what it receives. Over Node's channel between parent and child.

import type { NodeId } from '../src/core/ids.ts';
import { type SeededNodeKey, seededNodeKeys } from '../src/simulate/seeded-node-key.ts';

export type FleetBenchOrder =
  | { readonly kind: 'open'; readonly url: string; readonly key: string; readonly nodes: number }
  /** Members publish this many readings each second. */
  | { readonly kind: 'talk'; readonly readings: 0 | 1 | 3 }
  /** Each member publishes this many durable records. */
  | { readonly kind: 'write'; readonly records: number }
  /** From here on things count. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  /** The reader's node ends, and its disk stays. */
  | { readonly kind: 'away' }
  /** It begins with what its disk holds; answers when it holds all that is given here. */
  | { readonly kind: 'back'; readonly journals: readonly JournalEnd[] }
  | { readonly kind: 'stop' };

export interface JournalEnd {
  readonly origin: NodeId;
  readonly seq: number;
}

export type FleetBenchAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'journals'; readonly journals: readonly JournalEnd[]; readonly links: number }
  | ({ readonly kind: 'picture' } & Picture)
  | FleetMeasured;

/** Ms since the node began. */
export interface Picture {
  /** Until it is connected and has read what the server holds. */
  readonly linkedMs: number;
  /** Until the identity of every member is in its state. */
  readonly identitiesMs: number;
  /** Until every record is. */
  readonly wholeMs: number;
}

export interface FleetMeasured {
  readonly kind: 'measured';
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly residentBytes: number;
  /** Messages that were received, or published. */
  readonly messages: number;
  /** Delays of the reader: from a member's publishing to its state. */
  readonly delaysMs: Float64Array;
  /** Of the reader: how old the newest reading of each member was, looked at twice a second. */
  readonly agesMs: Float64Array;
  /** Refused, dropped or repeated. */
  readonly lost: number;
}

/** On the clock that all processes of a machine share (CLOCK_MONOTONIC). */
export const benchNowUs = (): number => Number(process.hrtime.bigint() / 1_000n);

export const FLEET_BENCH_CLUSTER = 'bench';

// The server has a stream for each of these identities.
export const benchMemberKeys = (nodes: number): readonly SeededNodeKey[] => seededNodeKeys(1, nodes);

export const benchReaderKey = (): SeededNodeKey => {
  const [key] = seededNodeKeys(2, 1);
  if (key === undefined) throw new Error('no key for the reader');
  return key;
};

/** What this process spends and passes on from one moment to another. */
export class Spending {
  #cpu = process.cpuUsage();
  #beganAtUs = benchNowUs();
  #messagesBefore = 0;

  begin(messages: number): void {
    this.#cpu = process.cpuUsage();
    this.#beganAtUs = benchNowUs();
    this.#messagesBefore = messages;
  }

  end(messages: number): Pick<FleetMeasured, 'cpuSeconds' | 'seconds' | 'residentBytes' | 'messages'> {
    const { user, system } = process.cpuUsage(this.#cpu);
    return {
      cpuSeconds: (user + system) / 1e6,
      seconds: (benchNowUs() - this.#beganAtUs) / 1e6,
      residentBytes: process.memoryUsage.rss(),
      messages: messages - this.#messagesBefore,
    };
  }
}
