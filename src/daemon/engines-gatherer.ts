// Finds the servers of models on this machine. On Linux the kernel's list of listening sockets decides which of the usual
// ports are asked at all; elsewhere they are tried on loopback. An engine is identified once and looked at again now and
// then; in between only its requests in flight are read, so that a server's log stays readable.

import { countRequests, readEngine } from '../bench/target/read-engine.ts';
import type { Config } from '../config/config.ts';
import { hostText } from '../core/address/host-port.ts';
import { serverEngine, USUAL_PORTS } from '../core/engine/server-engines.ts';
import { carriedFacts, type ModelFacts } from '../core/model/model-facts.ts';
import type { NodeEngine, OtherListener } from '../core/node/engines.ts';
import { isUnknown, unknown } from '../core/unknown.ts';
import type { Gatherer } from '../gather/gatherer.ts';
import { isUnreadable, type MachineFiles } from '../gather/machine-files.ts';
import { poll } from '../gather/poll.ts';
import { type Listener, parseConnectedPorts, parseListeners } from '../gather/procfs/parse-listeners.ts';

interface EnginesGathererParts {
  /** The machine's own: another tree has no sockets that can be asked. */
  readonly files: Pick<MachineFiles, 'text'>;
  readonly settings: () => Config['engines'];
  readonly readFacts: ReadFacts;
  readonly intervalMs: number;
}

/** @throws ModelError if the server or its file does not show them */
type ReadFacts = (origin: string, model: string, signal: AbortSignal) => Promise<ModelFacts>;

export const enginesGatherer = ({
  files,
  settings,
  readFacts,
  intervalMs,
}: EnginesGathererParts): Gatherer => ({
  name: 'engines',
  reports: [ENGINES],
  intervalMs,
  gather: async session => {
    const looker = new EngineLook(() => session.clock.nowMs(), new EngineFacts(readFacts, session.signal));
    await poll(session, intervalMs, async signal => {
      const { isEnabled, ports } = settings();
      if (!isEnabled)
        return session.absent(ENGINES, 'config.toml', 'switched off in config.toml ([engines])');
      const places = await placesOf(files, new Set([...USUAL_PORTS, ...ports]));
      session.emit('HTTP', { kind: 'engines', value: await looker.look(places, signal) });
    });
  },
});

/** A port that may have an engine. */
interface Place {
  readonly port: number;
  /** In the order in which they are tried. */
  readonly origins: readonly string[];
  readonly listensOn: NodeEngine['listensOn'];
  /** Undefined if the system does not show that. */
  readonly isInUse: boolean | undefined;
  /** Changes with the program that listens; undefined if the system does not show that. */
  readonly inode: string | undefined;
}

type Known =
  | { readonly kind: 'engine'; readonly engine: NodeEngine; readonly place: Place; readonly readAtMs: number }
  | {
      readonly kind: 'other';
      readonly other: OtherListener;
      readonly place: Place;
      readonly readAtMs: number;
    };

class EngineLook {
  readonly #nowMs: () => number;
  /** By port. */
  #known: ReadonlyMap<number, Known> = new Map();

  readonly #facts: EngineFacts;

  constructor(nowMs: () => number, facts: EngineFacts) {
    this.#nowMs = nowMs;
    this.#facts = facts;
  }

  async look(
    places: readonly Place[],
    signal: AbortSignal,
  ): Promise<{ readonly engines: readonly NodeEngine[]; readonly others: readonly OtherListener[] }> {
    const looked = await Promise.all(places.map(place => this.#lookAt(place, signal)));
    const known = looked.filter(one => one !== undefined);
    this.#known = new Map(known.map(one => [one.place.port, one]));
    const engines = known.flatMap(one =>
      one.kind === 'engine' ? [{ ...one.engine, facts: this.#facts.of(one.engine) }] : [],
    );
    this.#facts.keep(engines);
    return {
      engines,
      others: known.flatMap(one => (one.kind === 'other' ? [one.other] : [])),
    };
  }

  async #lookAt(place: Place, signal: AbortSignal): Promise<Known | undefined> {
    const last = this.#known.get(place.port);
    const isSame = last !== undefined && last.place.inode === place.inode;
    const ageMs = last === undefined ? 0 : this.#nowMs() - last.readAtMs;
    if (isSame && last.kind === 'other' && ageMs < OTHER_MS) return last;
    if (isSame && last.kind === 'engine' && ageMs < (place.inode === undefined ? TRIED_MS : ENGINE_MS)) {
      const { origin, engine } = last.engine;
      const requestsInFlight = await countRequests({ origin, isInUse: place.isInUse, signal }, engine);
      return { ...last, engine: { ...last.engine, requestsInFlight } };
    }
    for (const origin of place.origins) {
      const reply = await readEngine({ origin, isInUse: place.isInUse, signal });
      if (reply.kind === 'nothing') continue;
      const read = { place, readAtMs: this.#nowMs() };
      if (reply.kind === 'engine')
        return {
          ...read,
          kind: 'engine',
          engine: { origin, listensOn: place.listensOn, facts: NOT_READ, ...reply.found },
        };
      // One that was identified and does not answer in time may be busy; it is asked again at once.
      if (reply.isSilent && isSame && last.kind === 'engine')
        return { ...last, engine: { ...last.engine, requestsInFlight: unknown(reply.reason) } };
      return { ...read, kind: 'other', other: { origin, reason: reply.reason } };
    }
    return undefined;
  }
}

// Facts of the models in memory. Reading a file's header may take long: nothing waits for it, and the next reading has it.
class EngineFacts {
  readonly #read: ReadFacts;
  readonly #signal: AbortSignal;
  /** By origin and model. */
  readonly #known = new Map<string, NodeEngine['facts']>();

  constructor(read: ReadFacts, signal: AbortSignal) {
    this.#read = read;
    this.#signal = signal;
  }

  of(engine: NodeEngine): NodeEngine['facts'] {
    const { models } = engine;
    if (isUnknown(models)) return models;
    const [model] = models;
    if (model === undefined) return unknown('no model is in memory');
    const row = isUnknown(engine.engine) ? undefined : serverEngine(engine.engine);
    if (row === undefined) return unknown('it is not an engine that describes its model');
    if (row.hidesLoaded === true && models.length > 1)
      return unknown(`${row.name} does not report which of its models is in memory`);
    const key = keyOf(engine);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, NOT_READ);
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(FACTS_MS_MAX)]);
    // Never rejects; what it was read for may have gone meanwhile.
    void this.#read(engine.origin, model.name, signal).then(
      facts => this.#known.has(key) && this.#known.set(key, carriedFacts(facts)),
      () => this.#known.has(key) && this.#known.set(key, NO_FACTS),
    );
    return NOT_READ;
  }

  /** Of no others. */
  keep(engines: readonly NodeEngine[]): void {
    const kept = new Set(engines.map(keyOf));
    for (const key of this.#known.keys()) if (!kept.has(key)) this.#known.delete(key);
  }
}

const keyOf = ({ origin, models }: NodeEngine): string =>
  `${origin} ${isUnknown(models) ? '' : (models[0]?.name ?? '')}`;

const NOT_READ = unknown('it is being read');
/** Not the error's own: it may name files of this machine. */
const NO_FACTS = unknown(
  'the server reports neither a file on its machine nor an id in the local cache of the hub',
);
const FACTS_MS_MAX = 30_000;

const placesOf = async (
  files: Pick<MachineFiles, 'text'>,
  ports: ReadonlySet<number>,
): Promise<readonly Place[]> => {
  const sockets = await socketsOf(files);
  if (sockets === undefined)
    return [...ports].slice(0, PLACES_MAX).map(port => ({
      port,
      origins: [LOOPBACK, LOOPBACK_6].map(host => originOf(host, port)),
      listensOn: unknown('the system does not show it'),
      isInUse: undefined,
      inode: undefined,
    }));
  const byPort = Map.groupBy(
    sockets.listeners.filter(({ port }) => ports.has(port)),
    ({ port }) => port,
  );
  return [...byPort].slice(0, PLACES_MAX).map(([port, listeners]) => {
    const [widest] = listeners.toSorted((a, b) => rankOf(a) - rankOf(b));
    return {
      port,
      origins: [...new Set(listeners.flatMap(({ address }) => HOSTS[address] ?? [address]))]
        .slice(0, ORIGINS_MAX)
        .map(host => originOf(host, port)),
      listensOn: widest?.address ?? unknown('the system does not show it'),
      isInUse: sockets.connectedPorts.has(port),
      inode: listeners.map(({ inode }) => inode).join(' '),
    };
  });
};

/** Undefined where the system has no such list. */
const socketsOf = async (
  files: Pick<MachineFiles, 'text'>,
): Promise<
  { readonly listeners: readonly Listener[]; readonly connectedPorts: ReadonlySet<number> } | undefined
> => {
  const texts = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(path => files.text(path)));
  const read = texts.flatMap(text => {
    const listeners = isUnreadable(text) ? undefined : parseListeners(text);
    return isUnreadable(text) || listeners === undefined
      ? []
      : [{ listeners, ports: parseConnectedPorts(text) }];
  });
  if (read.length === 0) return undefined;
  return {
    listeners: read.flatMap(({ listeners }) => listeners),
    connectedPorts: new Set(read.flatMap(({ ports }) => [...ports])),
  };
};

const originOf = (host: string, port: number): string => `http://${hostText(host)}:${port}`;

/** All addresses first, loopback last. */
const rankOf = ({ address }: Listener): number =>
  address === '0.0.0.0' || address === '::' ? 0 : address === LOOPBACK || address === LOOPBACK_6 ? 2 : 1;

const LOOPBACK = '127.0.0.1';
const LOOPBACK_6 = '::1';
/** Where a socket on all addresses is reached: one of IPv6 mostly has IPv4, too. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': [LOOPBACK],
  '::': [LOOPBACK, LOOPBACK_6],
};

const ENGINES = { reading: 'engines', vendor: 'none' } as const;
/** Models are loaded and unloaded meanwhile. */
const ENGINE_MS = 30_000;
/** Where the system does not show that a program has gone. */
const TRIED_MS = 10_000;
/** Something else may become an engine only where the system does not show that the program has changed. */
const OTHER_MS = 120_000;
/** Limits in docs/limits.md. */
const PLACES_MAX = 32;
const ORIGINS_MAX = 4;
