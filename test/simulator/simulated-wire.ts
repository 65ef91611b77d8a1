// What probes load in a simulation: an engine that all nodes share, which has every measurement in progress
// and which ones run concurrently. A measurement whose other end has died, or which nothing reaches, ends or
// loads nothing.

import type { NodeId } from '../../src/core/ids.ts';
import { connectionKey } from '../../src/core/link/connection.ts';
import type {
  LinkEngine,
  MeasureRequest,
  OpenSink,
  SinkPayload,
  SinkRequest,
} from '../../src/probe/link-engine.ts';
import type { LinkMeasurement, ProbeOutcome } from '../../src/probe/probe.ts';
import { measured } from '../support/made-up-engine.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';

interface OpenedSink {
  readonly ticket: string;
  readonly node: NodeId;
  readonly end: () => void;
}

interface UnderWay {
  readonly source: NodeId;
  readonly sink: NodeId;
  readonly sinceMs: number;
}

export class SimulatedWire {
  readonly underWay: Set<UnderWay> = new Set();
  measuredCount = 0;
  readonly #clock: VirtualClock;
  readonly #sinks = new Map<string, OpenedSink>();
  readonly #flows: (source: NodeId, sink: NodeId) => boolean;
  readonly #onMeasure: (one: UnderWay) => void;
  #nextPort = 40_000;

  /** `flows`: whether both directions work. `onMeasure`: each time that something is about to load the wire. */
  constructor(parts: {
    readonly clock: VirtualClock;
    readonly flows: (source: NodeId, sink: NodeId) => boolean;
    readonly onMeasure: (one: UnderWay) => void;
  }) {
    this.#clock = parts.clock;
    this.#flows = parts.flows;
    this.#onMeasure = parts.onMeasure;
  }

  engineOf(node: NodeId): LinkEngine {
    return {
      openSink: request => this.#openSink(node, request),
      measure: request => this.#measure(node, request),
    };
  }

  async #openSink(node: NodeId, { connection, ticket, signal }: SinkRequest): Promise<OpenSink> {
    const port = this.#nextPort;
    this.#nextPort += 1;
    const key = `${connectionKey(connection)} ${port}`;
    const ended = Promise.withResolvers<SinkPayload>();
    const end = (): void => {
      this.#sinks.delete(key);
      ended.resolve({ bytes: 0, isExact: false });
    };
    this.#sinks.set(key, { ticket, node, end });
    signal.addEventListener('abort', end, { once: true });
    return { port, ended: ended.promise, [Symbol.asyncDispose]: async () => end() };
  }

  async #measure(
    source: NodeId,
    { connection, port, ticket, signal }: MeasureRequest,
  ): Promise<ProbeOutcome<LinkMeasurement>> {
    const key = `${connectionKey(connection)} ${port}`;
    const sink = this.#sinks.get(key);
    if (sink?.ticket !== ticket)
      return { kind: 'failed', reason: 'nobody listens there with that ticket', bytesUsed: 0 };
    const one = { source, sink: sink.node, sinceMs: this.#clock.nowMs() };
    this.underWay.add(one);
    try {
      for (let slice = 0; slice < SLICES; slice += 1) {
        if (this.#flows(source, sink.node)) this.#onMeasure(one);
        await this.#clock.sleep(SLICE_MS, signal);
        if (this.#sinks.get(key) !== sink)
          return { kind: 'failed', reason: 'the other end has gone', bytesUsed: 0 };
      }
      this.measuredCount += 1;
      return measured(1e9);
    } finally {
      this.underWay.delete(one);
      sink.end();
    }
  }
}

/** A measurement takes a second. */
const SLICES = 10;
const SLICE_MS = 100;
