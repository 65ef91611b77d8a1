// One link per peer. Of two links between the same processes the node with the smaller id decides, for both, and keeps
// the one that it dialled itself. A link of another process with the same identity is either the peer after a restart
// or a copied home: whether the previous link still answers decides which.

import type { Clock } from '../../clock/clock.ts';
import { deadline } from '../../clock/deadline.ts';
import type { NodeId } from '../../core/ids.ts';
import type { CloseReason, IdentityConflict, MeshLimits, MeshLink, RefusalReason } from '../mesh.ts';
import { PeerLink } from './peer-link.ts';
import type { Handshake } from './pipe.ts';

interface LinkTableEvents {
  up(link: MeshLink): void;
  /** A handshake that became no link. */
  refused(handshake: Handshake, reason: RefusalReason, detail: string): void;
  conflict(conflict: IdentityConflict): void;
}

interface LinkTableParts {
  readonly localId: NodeId;
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: MeshLimits;
  readonly acceptsKey: (keyId: string) => boolean;
}

export class LinkTable {
  readonly up: Map<NodeId, PeerLink> = new Map<NodeId, PeerLink>();
  readonly #parts: LinkTableParts;
  readonly #events: LinkTableEvents;
  /** Accepted by this end, up or about to be. */
  readonly #accepted = new Map<NodeId, PeerLink>();
  readonly #open = new Set<PeerLink>();
  readonly #tasks = new Set<Promise<void>>();
  #isStopped = false;

  constructor(parts: LinkTableParts, events: LinkTableEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Resolves when the link ends, or at once if it is not accepted. Never rejects. */
  async consider(handshake: Handshake): Promise<'was-up' | 'refused'> {
    const refusal = this.#refusal(handshake);
    if (refusal !== undefined) {
      // A link that only sends the reason for closing, so that the other end gets it.
      const link = this.#begin(handshake);
      link.close(refusal.close, refusal.detail);
      this.#events.refused(handshake, refusal.reason, refusal.detail);
      await link.ended;
      return 'refused';
    }
    const link = this.#begin(handshake);
    let wasUp = false;
    link.onUp(() => {
      wasUp = true;
      this.#rise(link);
    });
    link.onClose(({ reason, by, detail }) => {
      if (this.#accepted.get(link.peerId) === link) this.#accepted.delete(link.peerId);
      if (this.up.get(link.peerId) === link) this.up.delete(link.peerId);
      if (!wasUp) this.#reportRefused(handshake, { reason, by, detail });
    });
    const { clock, limits } = this.#parts;
    using limit = deadline(clock, limits.handshakeMs, NEVER);
    limit.signal.addEventListener('abort', () => {
      if (limit.isOver && !link.isUp) link.close('lost', 'the peer did not accept the link in time');
    });
    await this.#decide(link);
    await link.ended;
    return wasUp ? 'was-up' : 'refused';
  }

  /** Closes what was opened with a key that is no longer accepted. */
  dropRemovedKeys(): void {
    for (const link of [...this.#open]) {
      if (!this.#parts.acceptsKey(link.keyId)) link.close('key-removed', 'its cluster key was removed');
    }
  }

  /** Idempotent; resolves when every pipe is gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const link of [...this.#open]) link.close('stopped');
    await Promise.all([...this.#tasks]);
  }

  #refusal(
    handshake: Handshake,
  ): { readonly reason: RefusalReason; readonly close: CloseReason; readonly detail: string } | undefined {
    const { localId, instance, limits, acceptsKey } = this.#parts;
    const { peer, keyId, remoteAddress } = handshake;
    if (this.#isStopped) return { reason: 'lost', close: 'stopped', detail: 'this node stops' };
    if (peer.nodeId === localId) {
      if (peer.instance === instance)
        return { reason: 'self', close: 'duplicate', detail: 'this address is our own' };
      this.#events.conflict({
        nodeId: localId,
        isOwn: true,
        firstAddress: undefined,
        secondAddress: remoteAddress,
      });
      return {
        reason: 'identity-in-use',
        close: 'identity-in-use',
        detail: 'two daemons run with one identity',
      };
    }
    if (!acceptsKey(keyId))
      return { reason: 'wrong-key', close: 'key-removed', detail: 'its cluster key was removed' };
    if (this.#open.size >= limits.linksMax)
      return { reason: 'too-many', close: 'stopped', detail: `there are ${limits.linksMax} links already` };
    return undefined;
  }

  #begin(handshake: Handshake): PeerLink {
    const link = new PeerLink(handshake, this.#parts.clock, this.#parts.limits);
    this.#open.add(link);
    const task = Promise.all([link.run(), link.ended]).then(() => {
      this.#open.delete(link);
      this.#tasks.delete(task);
    });
    this.#tasks.add(task);
    return link;
  }

  async #decide(link: PeerLink): Promise<void> {
    while (link.isOpen) {
      const current = this.#accepted.get(link.peerId);
      if (current === undefined) this.#accepted.set(link.peerId, link);
      else if (current.peerInstance === link.peerInstance) this.#choose(current, link);
      else if (!(await this.#replace(current, link))) continue;
      link.ready();
      return;
    }
  }

  /**
   * Two links to one process. If the other end decides, its acceptance brings the link up, and that ends the previous
   * one.
   */
  #choose(current: PeerLink, link: PeerLink): void {
    if (this.#parts.localId > link.peerId) return;
    if (link.isInitiator && !current.isInitiator) {
      this.#accepted.set(link.peerId, link);
      current.close('duplicate', 'another link is kept');
    } else link.close('duplicate', 'another link is kept');
  }

  /** @returns false if the situation has changed meanwhile and must be checked again. */
  async #replace(current: PeerLink, link: PeerLink): Promise<boolean> {
    const [currentAnswers, linkAnswers] = await Promise.all([current.answers(), link.answers()]);
    if (!linkAnswers) {
      link.close('silent', 'it did not answer a ping');
      return false;
    }
    if (this.#accepted.get(link.peerId) !== current) return false;
    if (currentAnswers) {
      this.#refuseCopy(current, link);
      return false;
    }
    this.#accepted.set(link.peerId, link);
    current.close('replaced', 'the peer has restarted');
    return true;
  }

  #refuseCopy(current: PeerLink, link: PeerLink): void {
    this.#events.conflict({
      nodeId: link.peerId,
      isOwn: false,
      firstAddress: current.remoteAddress,
      secondAddress: link.remoteAddress,
    });
    link.close('identity-in-use', 'another running daemon has this identity');
  }

  #rise(link: PeerLink): void {
    const former = this.#accepted.get(link.peerId);
    this.#accepted.set(link.peerId, link);
    if (former !== undefined && former !== link) former.close('duplicate', 'another link is kept');
    this.up.set(link.peerId, link);
    this.#events.up(link);
  }

  #reportRefused(
    handshake: Handshake,
    { reason, by, detail }: { readonly reason: CloseReason; readonly by: string; readonly detail: string },
  ): void {
    if (reason === 'identity-in-use' && by === 'peer') {
      this.#events.conflict({
        nodeId: this.#parts.localId,
        isOwn: true,
        firstAddress: undefined,
        secondAddress: handshake.remoteAddress,
      });
    }
    const reported = REFUSALS[reason];
    if (reported !== undefined) this.#events.refused(handshake, reported, detail);
  }
}

const NEVER: AbortSignal = new AbortController().signal;
/** How a close before the link was up is reported; closing one of two good links, or a stop, is not a refusal. */
const REFUSALS: Readonly<Record<CloseReason, RefusalReason | undefined>> = {
  stopped: undefined,
  duplicate: undefined,
  replaced: undefined,
  silent: 'too-slow',
  lost: 'lost',
  'identity-in-use': 'identity-in-use',
  overflow: 'too-slow',
  malformed: 'malformed',
  'key-removed': 'wrong-key',
};
