// The mesh over TLS 1.3 with the cluster key as external PSK (docs/decisions/0005-mesh-transport.md).

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import { ByteBudget } from '../../core/byte-budget.ts';
import { nodeIdOf } from '../../wire/node-signature.ts';
import type { ClusterKey } from '../key/cluster-key.ts';
import { LinkedTransport } from '../link/linked-transport.ts';
import type { AcceptEvents, Connector, DialOutcome } from '../link/pipe.ts';
import { MESH_LIMITS, type MeshCandidate, type MeshIdentity, type MeshLimits } from '../mesh.ts';
import { INSTANCE_BYTES, type OwnHello } from './authentication.ts';
import type { JoinCredentials } from './join-code-service.ts';
import { MeshKeys } from './mesh-keys.ts';
import { dialWith } from './tls-dial.ts';
import { TlsListener, type TlsListenerParts } from './tls-listener.ts';

interface TlsMeshOptions {
  readonly identity: MeshIdentity;
  /** The start number of the daemon (`Journal.startNumber`). */
  readonly start: number;
  /** The current one, and during a key change the previous or the next one. */
  readonly keys: readonly ClusterKey[];
  /** "::" takes IPv4 as well; port 0 any free one. */
  readonly listen: HostPort;
  readonly clock: Clock;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  readonly limits?: Partial<MeshLimits>;
  /** Default MESH_VERSION; tests use another one. */
  readonly version?: number;
  /** Handles machines without a key; default: none can join. */
  readonly joinCredentials?: JoinCredentials;
}

export class TlsMesh extends LinkedTransport {
  readonly #keys: MeshKeys;
  readonly #partial: ByteBudget;

  /** @throws MeshError `bad-key` when there is no key, or more than two. */
  constructor(options: TlsMeshOptions) {
    const { identity, start, clock, random, listen, version } = options;
    const limits = { ...MESH_LIMITS, ...options.limits };
    const keys = new MeshKeys(options.keys);
    const instance = randomBytes(INSTANCE_BYTES);
    const own: OwnHello = { identity, start, instance, ...(version === undefined ? {} : { version }) };
    const partial = new ByteBudget(limits.partialBytesMax);
    const connector = new TlsConnector({
      own,
      keys,
      clock,
      limits,
      listen,
      partial,
      joinCredentials: options.joinCredentials,
    });
    super({
      localId: nodeIdOf(identity.publicKey),
      instance: instance.toString('hex'),
      clock,
      limits,
      random,
      connector,
    });
    this.#keys = keys;
    this.#partial = partial;
  }

  /** Incomplete frames, over all links. */
  get partial(): { readonly bytes: number; readonly evicted: number } {
    return this.#partial;
  }

  /**
   * From now on these keys are accepted; links opened with another one are closed.
   * @throws MeshError `bad-key` when there is no key, or more than two.
   */
  setKeys(keys: readonly ClusterKey[]): void {
    this.#keys.set(keys);
    this.dropRemovedKeys();
  }
}

interface TlsConnectorParts extends TlsListenerParts {
  readonly listen: HostPort;
}

class TlsConnector implements Connector {
  readonly #parts: TlsConnectorParts;
  #listener: TlsListener | undefined;
  #listensOn: HostPort | undefined;

  constructor(parts: TlsConnectorParts) {
    this.#parts = parts;
  }

  get listensOn(): HostPort | undefined {
    return this.#listensOn;
  }

  async listen(): Promise<void> {
    const listener = new TlsListener(this.#parts);
    this.#listensOn = await listener.listen(this.#parts.listen);
    this.#listener = listener;
  }

  accept(events: AcceptEvents): void {
    this.#listener?.accept(events);
  }

  async dial(candidate: MeshCandidate, signal: AbortSignal): Promise<DialOutcome> {
    const { own, keys, limits, partial } = this.#parts;
    const parts = { own, frameBytesMax: limits.frameBytesMax, partial };
    let last: DialOutcome | undefined;
    for (const key of keys.all()) {
      last = await dialWith(key, candidate, parts, signal);
      // Another key is worth trying only if this one was the problem.
      if (last.kind === 'handshake' || last.refusal.reason !== 'wrong-key') return last;
    }
    if (last === undefined) throw new Error('a mesh has at least one key');
    return last;
  }

  acceptsKey(keyId: string): boolean {
    return this.#parts.keys.get(keyId) !== undefined;
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }
}
