// What a node reads from its own machine: the gatherers of the platform and its settings, recorded as events. A
// simulated node has none.

import { isDeepStrictEqual } from 'node:util';
import { type Clock, unlessAborted } from '../clock/clock.ts';
import { eventClass, type Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import { type ReadingConfirmed, readingKey } from '../core/node/gathered.ts';
import type { GpuVendor } from '../core/node/gpu.ts';
import type { NetworkInterface, NodeNetwork } from '../core/node/network.ts';
import { gatheredFact, type Reading, readingEntry, readingVendor, statusFact } from '../core/node/reading.ts';
import type { State } from '../core/state.ts';
import { isKnown, isUnknown } from '../core/unknown.ts';
import type { ReadingSink } from '../gather/arbitration.ts';
import { directoryFiles } from '../gather/directory-files.ts';
import type { GatheredKind, Gatherer } from '../gather/gatherer.ts';
import { platformGatherers } from '../gather/platform-gatherers.ts';
import { runGatherers } from '../gather/run-gatherers.ts';
import { hubFolder } from '../model/hub-cache.ts';
import { configGatherer } from './config-gatherer.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { enginesGatherer } from './engines-gatherer.ts';
import type { OwnNode } from './local-node.ts';
import { gpuVendorsOf } from './probes/daemon-probes.ts';

export interface OwnReadings {
  /** GPU vendors with a source on this machine. */
  readonly gpuVendors: readonly GpuVendor[];
  /** Gathers until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves once every reading was reported, failed or was absent, or when the signal aborts. */
  whenFirst(signal: AbortSignal): Promise<void>;
  /** Names of the readings without any report yet. */
  missing(): readonly string[];
}

export const ownReadings = (options: DaemonOptions, { settings, localNode }: OwnNode): OwnReadings => {
  const { root } = options;
  const ofMachine = () => [
    configGatherer(settings),
    // Another tree has no sockets that can be asked.
    ...(root === '/'
      ? [
          enginesGatherer({
            files: directoryFiles(root),
            settings: () => settings.config.engines,
            readFacts: async (origin, model, signal) => {
              const { readModelAt } = await import('../model/read-model.ts');
              const hub = hubFolder(options.env);
              return (await readModelAt(origin, { served: model, hub, signal })).facts;
            },
            intervalMs: settings.config.engines.intervalMs,
          }),
        ]
      : []),
    ...platformGatherers({
      ...options,
      plimsollVersion: options.version,
      intervals: settings.config.gather,
      settings: () => ({
        name: options.name ?? settings.config.name,
        ignoredInterfaces: settings.config.network.ignoredInterfaces,
      }),
      onSettings: listener => settings.onChange(listener),
    }),
  ];
  const gatherers = options.simulation === undefined ? ofMachine() : [];
  const first = new FirstReadings(gatherers);
  const sink = new ReadingRecorder({ ...localNode, onPublished: key => first.note(key) });
  return {
    gpuVendors: gpuVendorsOf(gatherers),
    run: signal => runGatherers(gatherers, { clock: localNode.clock, signal, sink }),
    whenFirst: signal => first.wait(signal),
    missing: () => first.missing,
  };
};

// When a start has something to show: every reading was reported, failed or was absent once, or a time limit has passed.
class FirstReadings {
  readonly #awaited: Set<string>;
  readonly #done = Promise.withResolvers<void>();

  constructor(gatherers: readonly Gatherer[]) {
    this.#awaited = new Set(gatherers.flatMap(gatherer => gatherer.reports.map(readingKey)));
    if (this.#awaited.size === 0) this.#done.resolve();
  }

  /** Keys of the readings without any report yet. */
  get missing(): readonly string[] {
    return [...this.#awaited].sort();
  }

  note(key: string): void {
    this.#awaited.delete(key);
    if (this.#awaited.size === 0) this.#done.resolve();
  }

  /** Resolves when all have been reported, or when the signal aborts: a slow source never blocks a start forever. */
  async wait(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#done.promise, signal);
  }
}

// Turns readings into events. A live reading is recorded every time; a durable one only when it has changed, otherwise
// a live confirmation renews its age, so the journal grows with changes and not with time.

/**
 * The same failure is reported again only after this, ms: a source that fails twice a second is not reported twice a
 * second.
 */
export const FAILURE_REPEAT_MS = 5_000;

interface ReadingRecorderParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => void;
  /** Called with the key of every reading that was reported, failed or is absent: "memory", "gpus nvidia". */
  readonly onPublished: (key: string) => void;
}

export class ReadingRecorder implements ReadingSink {
  readonly #parts: ReadingRecorderParts;
  readonly #types = new LastingTypes();
  readonly #failures = new Map<string, { readonly reason: string; readonly atMs: number }>();

  constructor(parts: ReadingRecorderParts) {
    this.#parts = parts;
  }

  reading(gatherer: Gatherer, source: string, found: Reading): void {
    const reading = this.#settled(found);
    const status = statusOf(
      { reading: reading.kind, vendor: readingVendor(reading) },
      source,
      gatherer.intervalMs,
    );
    const key = readingKey(status);
    this.#failures.delete(key);
    const fact = gatheredFact(reading, { source, intervalMs: gatherer.intervalMs });
    if (eventClass(fact.kind) === 'live') this.#parts.record(fact);
    else {
      // A status other than "confirmed" must be replaced even if the value has not changed.
      if (!this.#isUnchanged(reading, source)) this.#parts.record(fact);
      this.#parts.record(statusFact({ ...status, kind: 'confirmed' }));
    }
    this.#parts.onPublished(key);
  }

  failure(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string, code?: string): void {
    this.#report('failed', { gatherer, kind, source, reason, code });
  }

  absence(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string): void {
    this.#report('absent', { gatherer, kind, source, reason, code: undefined });
  }

  #report(
    standing: 'failed' | 'absent',
    {
      gatherer,
      kind,
      source,
      reason,
      code,
    }: {
      readonly gatherer: Gatherer;
      readonly kind: GatheredKind;
      readonly source: string;
      readonly reason: string;
      readonly code: string | undefined;
    },
  ): void {
    const key = readingKey(kind);
    const nowMs = this.#parts.clock.nowMs();
    const last = this.#failures.get(key);
    if (last?.reason === reason && nowMs - last.atMs < FAILURE_REPEAT_MS) return;
    this.#failures.set(key, { reason, atMs: nowMs });
    const status = {
      ...statusOf(kind, source, gatherer.intervalMs),
      kind: standing,
      reason: shortened(reason),
    };
    this.#parts.record(statusFact(code === undefined ? status : { ...status, code }));
    this.#parts.onPublished(key);
  }

  #settled(reading: Reading): Reading {
    if (reading.kind !== 'network') return reading;
    const current = this.#parts.state().nodeNetworks[this.#parts.nodeId]?.value;
    return { kind: 'network', value: this.#types.settled(reading, current) };
  }

  /** Whether state already holds exactly this value, from this run or from the journal. */
  #isUnchanged(reading: Reading, source: string): boolean {
    const current = readingEntry(this.#parts.state(), this.#parts.nodeId, {
      reading: reading.kind,
      vendor: readingVendor(reading),
    });
    return (
      current !== undefined && current.source === source && isDeepStrictEqual(current.value, reading.value)
    );
  }
}

const statusOf = (kind: GatheredKind, source: string, intervalMs: number): ReadingConfirmed => ({
  reading: kind.reading,
  vendor: kind.vendor,
  source,
  intervalMs,
});

/** A tool's error text may be long, or no text at all; what is replicated and shown is one line. */
const shortened = (reason: string): string => {
  const whole = reason.trim().replace(/\s+/g, ' ');
  const parts = whole.split(NO_TEXT);
  const line =
    parts.length <= NO_TEXT_MAX + 1 ? whole : `${parts[0]?.trim()} (bytes that are not text)`.trim();
  return line.length <= REASON_LENGTH_MAX ? line : `${line.slice(0, REASON_LENGTH_MAX - 1)}…`;
};

const REASON_LENGTH_MAX = 300;
/** The replacement for invalid UTF-8 bytes; a single one is a name in another encoding, several are a binary file. */
const NO_TEXT = '\ufffd';
const NO_TEXT_MAX = 2;

// The last concrete type of each interface of this node. One reading without the port map of a Mac, or without an
// answer of `ip`, does not change what an interface is, so both ends of every link keep its type. An interface is the same
// while its name and its hardware address are. After a restart the entry from the journal continues.
class LastingTypes {
  /** By name and hardware address; the latest last. */
  readonly #types = new Map<string, LastType>();

  /** The reading as it should be recorded. `current` is the network of this node in the state. */
  settled({ value, guessedTypes = [] }: Reading<'network'>, current: NodeNetwork | undefined): NodeNetwork {
    for (const one of current?.interfaces ?? []) {
      const key = keyOf(one);
      if (key !== undefined && !this.#types.has(key)) this.#keep(key, one, true);
    }
    return {
      interfaces: value.interfaces.map(found => this.#settledOne(found, guessedTypes.includes(found.name))),
    };
  }

  #settledOne(found: NetworkInterface, isGuess: boolean): NetworkInterface {
    const key = keyOf(found);
    const last = key === undefined ? undefined : this.#types.get(key);
    if (last === undefined || (isKnown(found.type) && (!isGuess || last.isGuess))) {
      if (key !== undefined) this.#keep(key, found, !isGuess);
      return found;
    }
    const { type, typeEvidence, members } = last;
    return {
      ...found,
      type,
      typeEvidence,
      members: found.members.length === 0 ? members : found.members,
    };
  }

  #keep(key: string, { type, typeEvidence, members }: NetworkInterface, isFirm: boolean): void {
    if (isUnknown(type)) return;
    this.#types.delete(key);
    this.#types.set(key, { type, typeEvidence, members, isGuess: !isFirm });
    const [oldest] = this.#types.keys();
    if (this.#types.size > TYPES_MAX && oldest !== undefined) this.#types.delete(oldest);
  }
}

interface LastType extends Pick<NetworkInterface, 'type' | 'typeEvidence' | 'members'> {
  readonly isGuess: boolean;
}

/** Undefined without a hardware address: another device may get the same name. */
const keyOf = ({ name, macAddress }: NetworkInterface): string | undefined =>
  isKnown(macAddress) ? `${name} ${macAddress}` : undefined;

/** Twice as many as one reading contains. */
const TYPES_MAX = 1_024;
