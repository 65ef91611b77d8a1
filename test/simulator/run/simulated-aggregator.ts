// The aggregator's process of a simulated run: the product's own aggregator on a loop of its own, which can die.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { eventBatchCodec } from '../../../src/messaging/event-batch-codec.ts';
import { NEWEST_WINS } from '../../../src/messaging/publisher.ts';
import { snapshotCodec } from '../../../src/messaging/snapshot-message-codec.ts';
import { EVERY_MESSAGE } from '../../../src/messaging/subscriber.ts';
import { Aggregator } from '../../../src/metrics/aggregator.ts';
import { snapshotToJson } from '../../../src/wire/snapshot-codec.ts';
import type { MemoryHub } from '../../support/memory-hub.ts';
import { patternOf } from './ended-run.ts';
import type { RunFault, SimulatedRunPlan } from './run-faults.ts';
import type { RunMutation } from './run-mutations.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { LoopOwner, type VirtualLoop } from './virtual-loop.ts';

interface SimulatedAggregatorParts {
  readonly loop: VirtualLoop;
  readonly hub: MemoryHub;
  readonly plan: SimulatedRunPlan;
  readonly folder: string;
  readonly disk: SimulatedDisk;
  readonly mutation: RunMutation;
}

export class SimulatedAggregator {
  readonly #parts: SimulatedAggregatorParts;
  readonly #owner = new LoopOwner();
  readonly #exiting = Promise.withResolvers<void>();
  readonly exited: Promise<void> = this.#exiting.promise;
  /** SIGINT, and the death of the main process. */
  readonly interrupt: AbortController = new AbortController();
  readonly parentGone: AbortController = new AbortController();
  isDead = false;
  #close: () => void = () => undefined;

  constructor(parts: SimulatedAggregatorParts) {
    this.#parts = parts;
  }

  start(): void {
    const { loop, hub, plan, mutation } = this.#parts;
    const subscriber = hub.openSubscriber('events', mutation.received(eventBatchCodec), EVERY_MESSAGE);
    const publisher = hub.openPublisher('snapshots', snapshotCodec, NEWEST_WINS);
    const isMessageLost = plan.faults.some(({ kind }) => kind === 'final-message-lost');
    const publish = publisher.publish.bind(publisher);
    publisher.publish = snapshot =>
      this.isDead || (isMessageLost && snapshot.state === 'complete') ? true : publish(snapshot);
    const aggregator = new Aggregator(
      {
        clock: mutation.clock(loop.clockOf(this.#owner)),
        monotonicNs: loop.monotonicNs,
        subscriber,
        publisher,
        writeFile: async snapshot => this.#write(snapshotToJson(snapshot)),
      },
      {
        pattern: patternOf(plan),
        shape: PLAIN_SHAPE,
        isStreaming: plan.isStreaming,
        objectives: [],
        judged: [],
      },
    );
    mutation.table(aggregator.table);
    this.#close = () => void subscriber.close();
    const exited = (): void => this.#exiting.resolve();
    void aggregator
      .run({
        terminate: new AbortController().signal,
        interrupt: this.interrupt.signal,
        parentGone: this.parentGone.signal,
      })
      .then(exited, exited);
  }

  kill(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#owner.isDead = true;
    this.giveUp();
  }

  /** Ends all waits for it. */
  giveUp(): void {
    this.#close();
    this.#exiting.resolve();
  }

  #write(json: string): void {
    const { disk, folder, plan } = this.#parts;
    if (this.isDead) return;
    if (disk.isFull) throw new Error('ENOSPC: simulated');
    if (!plan.faults.some(({ kind }) => FILE_FAULTS.includes(kind))) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'final_snapshot.json'), json);
  }
}

const FILE_FAULTS: readonly RunFault['kind'][] = ['final-message-lost', 'killed', 'aggregator-dies'];
