// A daemon's mesh as it comes and goes: opened when the home has a cluster key, at the start or while the daemon runs, and
// closed when the node leaves. What asks peers keeps asking here; without a mesh nobody is reached.

import { pause, unlessAborted, untilAborted } from '../../clock/clock.ts';
import type { HostPort } from '../../core/address/host-port.ts';
import { unknown } from '../../core/unknown.ts';
import { readClusterKey } from '../../mesh/key/key-file.ts';
import type { QueryHandler, Requests } from '../../mesh/requests.ts';
import { FileChanges } from '../../process/file-changes.ts';
import type { MeshStatus } from '../../wire/mesh-status.ts';
import { DaemonError } from '../daemon-error.ts';
import type { LocalNode } from '../local-node.ts';
import {
  type DaemonMesh,
  keyPath,
  openDaemonMesh,
  readJoinedPeers,
  removeJoinedPeers,
} from './daemon-mesh.ts';
import { type DaemonMeshParts, presentFacts } from './daemon-mesh-parts.ts';
import { KEY_NOTICE } from './follow-key.ts';
import { closeOpenConnections } from './mesh-connections.ts';

interface MembershipParts extends DaemonMeshParts {
  readonly localNode: LocalNode;
}

export class Membership implements AsyncDisposable {
  readonly #parts: MembershipParts;
  readonly #handlers = new Map<string, QueryHandler>();
  readonly #served = new Map<string, () => void>();
  #mesh: DaemonMesh | undefined;
  /** Ends the membership while the daemon goes on; made with the mesh that it ends, so that no leaving is lost. */
  #leaving = new AbortController();
  /** Resolves when a mesh that is being opened is open, or could not be. */
  #opening: Promise<unknown> = Promise.resolve();
  #silence: AbortSignal = AbortSignal.abort();
  #replicating: Promise<void> = Promise.resolve();
  /** Resolves when the file of the key has been looked at again and what follows from it is done. */
  #looked = Promise.withResolvers<void>();
  #wake = new AbortController();

  private constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  /** @throws DaemonError as `openDaemonMesh`. */
  static async open(parts: MembershipParts): Promise<Membership> {
    const membership = new Membership(parts);
    membership.#mesh = await membership.#open();
    if (membership.#mesh === undefined) closeOpenConnections(parts.localNode, 'there is no mesh');
    return membership;
  }

  /** Undefined while the node is in no cluster. */
  get mesh(): DaemonMesh | undefined {
    return this.#mesh;
  }

  get listensOn(): HostPort | undefined {
    return this.#mesh?.listensOn;
  }

  readonly status = (): MeshStatus => this.#mesh?.status?.() ?? { kind: 'off', reason: NO_KEY };

  readonly requests: Requests = {
    request: async (...requested) =>
      (await this.#mesh?.requests?.request(...requested)) ?? { kind: 'unreachable', reason: NO_KEY },
    serve: (topic, handler) => {
      this.#handlers.set(topic, handler);
      this.#serve(topic);
      return () => {
        if (this.#handlers.get(topic) !== handler) return;
        this.#handlers.delete(topic);
        this.#served.get(topic)?.();
        this.#served.delete(topic);
      };
    },
  };

  /** Reads the file of the key now; resolves when the change has been applied, or could not be. */
  async look(): Promise<void> {
    // Twice: the first may be a look that had begun before what it should see was there.
    for (let round = 0; round < 2 && this.#mesh === undefined; round += 1) {
      const { promise } = this.#looked;
      this.#wake.abort();
      await unlessAborted(promise, this.#silence);
    }
  }

  /** Closes every link; resolves when nothing is open. The file of the key must be gone. */
  async leave(): Promise<void> {
    // One that is being opened has read the file before.
    await unlessAborted(this.#opening, this.#silence);
    const mesh = this.#mesh;
    if (mesh === undefined) return;
    this.#leaving.abort();
    while (this.#mesh === mesh && !this.#silence.aborted)
      await unlessAborted(this.#looked.promise, this.#silence);
  }

  /** Until the signal aborts, whichever meshes there are meanwhile. Before `run`. */
  async replicate(signal: AbortSignal): Promise<void> {
    this.#silence = signal;
    await untilAborted(signal);
    await this.#replicating;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const mesh = this.#mesh ?? (await this.#nextMesh(signal));
      if (mesh === undefined) return;
      await this.#live(mesh, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mesh?.[Symbol.asyncDispose]();
  }

  /** Until the daemon ends or the node leaves. */
  async #live(mesh: DaemonMesh, signal: AbortSignal): Promise<void> {
    const { signal: leaving } = this.#leaving;
    for (const topic of this.#handlers.keys()) this.#serve(topic);
    const failed = new AbortController();
    this.#replicating = mesh.replicate(AbortSignal.any([this.#silence, leaving]));
    this.#replicating.catch(() => failed.abort());
    this.#scheduleRetry();
    this.#reportLooked();
    await mesh.run(AbortSignal.any([signal, leaving, failed.signal]));
    if (failed.signal.aborted) await this.#replicating;
    if (signal.aborted) return;
    await this.#replicating;
    for (const end of this.#served.values()) end();
    this.#served.clear();
    await mesh[Symbol.asyncDispose]();
    this.#mesh = undefined;
    const { localNode, notices } = this.#parts;
    notices.clear(KEY_NOTICE);
    closeOpenConnections(localNode, LEFT);
    const left = unknown(LEFT);
    localNode.record({ kind: 'endpoints.reported', payload: { meshPort: left, reachabilityPort: left } });
    this.#reportLooked();
  }

  /** Live values from before this mesh existed: some are sent only once, and peers would never receive them. */
  #scheduleRetry(): void {
    const { cluster, key, clock, recorder } = this.#parts;
    const live = { ofClass: 'live', nowMs: clock.nowMs() } as const;
    for (const { fact, ageMs } of presentFacts(cluster.state, key.nodeId, live)) recorder.record(fact, ageMs);
  }

  /** Undefined when the signal aborts first. */
  async #nextMesh(signal: AbortSignal): Promise<DaemonMesh | undefined> {
    const { clock } = this.#parts;
    const changes = new FileChanges(keyPath(this.#parts), clock, signal);
    using _watching = changes.watch();
    for (;;) {
      this.#wake = new AbortController();
      this.#leaving = new AbortController();
      const opening = this.#openIfThere().then(mesh => {
        this.#mesh = mesh;
      });
      this.#opening = opening.catch(() => undefined);
      await opening;
      if (this.#mesh !== undefined) return this.#mesh;
      this.#reportLooked();
      if (!this.#wake.signal.aborted)
        await Promise.race([changes.next(RECHECK_MS), untilAborted(this.#wake.signal)]);
      if (signal.aborted) return undefined;
      if (!this.#wake.signal.aborted) await pause(clock, SETTLE_MS, signal);
    }
  }

  /** While the daemon runs, a key that cannot be used is reported and read again later. */
  async #openIfThere(): Promise<DaemonMesh | undefined> {
    const { notices } = this.#parts;
    const path = keyPath(this.#parts);
    if ((await readClusterKey(path)).kind === 'missing') {
      notices.clear(KEY_NOTICE);
      return undefined;
    }
    try {
      const mesh = await this.#open();
      notices.clear(KEY_NOTICE);
      return mesh;
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      notices.raise({ ...error.problem, id: KEY_NOTICE, code: 'mesh-not-opened', path });
      return undefined;
    }
  }

  async #open(): Promise<DaemonMesh | undefined> {
    const { home, peers, notices } = this.#parts;
    const joined = await readJoinedPeers(home);
    const mesh = await openDaemonMesh({ ...this.#parts, peers: [...peers, ...joined] });
    if (mesh === undefined) await removeJoinedPeers(home);
    else notices.clear('no-cluster-key');
    return mesh;
  }

  #serve(topic: string): void {
    const handler = this.#handlers.get(topic);
    const requests = this.#mesh?.requests;
    if (handler === undefined || requests === undefined) return;
    this.#served.get(topic)?.();
    this.#served.set(topic, requests.serve(topic, handler));
  }

  #reportLooked(): void {
    this.#looked.resolve();
    this.#looked = Promise.withResolvers<void>();
  }
}

const NO_KEY = 'there is no cluster key';
const LEFT = 'this node left its cluster';
const RECHECK_MS = 5_000;
/** Our own commands write the file in one step; an editor may take several. */
const SETTLE_MS = 100;
