// Links to single nodes of a fleet for requests, as in a mesh: each exists while its node is present. A frame
// goes to the node's own subject; a server without a subscriber for it replies at once, and the link ends.

import type { HostPort } from '../../core/address/host-port.ts';
import type { NodeId } from '../../core/ids.ts';
import { decodeRequest } from '../../wire/request-message.ts';
import { FrameListeners, Listeners } from '../link/listeners.ts';
import type { CloseReason, LinkClose, MeshLink, Unsubscribe } from '../mesh.ts';

/** Publishes a frame to a node under a verb. */
type ReportNode = (node: NodeId, verb: string, frame: Uint8Array) => void;

export class FleetRequestLinks {
  readonly links: Map<NodeId, FleetRequestLink> = new Map();
  readonly #met = new Listeners<MeshLink>();

  onLink(listener: (link: MeshLink) => void): Unsubscribe {
    return this.#met.add(listener);
  }

  /** The node is present. */
  open(node: NodeId, remoteAddress: HostPort, report: ReportNode): void {
    if (this.links.has(node)) return;
    const link = new FleetRequestLink(node, remoteAddress, report);
    this.links.set(node, link);
    link.onClose(() => {
      if (this.links.get(node) === link) this.links.delete(node);
    });
    this.#met.emit(link);
  }

  receive(node: NodeId, frame: Uint8Array): void {
    this.links.get(node)?.receive(frame);
  }

  close(node: NodeId, detail: string): void {
    this.links.get(node)?.end({ reason: 'lost', by: 'peer', detail });
  }

  closeAll(detail: string): void {
    for (const node of [...this.links.keys()]) this.close(node, detail);
  }
}

class FleetRequestLink implements MeshLink {
  readonly peerId: NodeId;
  readonly peerPublicKey: Uint8Array = new Uint8Array(32);
  readonly peerStart = 0;
  readonly isInitiator = true;
  readonly queuedBytes = 0;
  readonly remoteAddress: HostPort;
  readonly #report: ReportNode;
  readonly #frames = new FrameListeners(error => this.close('malformed', String(error)));
  readonly #closes = new Listeners<LinkClose>();
  #close: LinkClose | undefined;

  constructor(peerId: NodeId, remoteAddress: HostPort, report: ReportNode) {
    this.peerId = peerId;
    this.remoteAddress = remoteAddress;
    this.#report = report;
  }

  get isOpen(): boolean {
    return this.#close === undefined;
  }

  send(frame: Uint8Array): boolean {
    if (!this.isOpen) return false;
    const decoded = decodeRequest(frame);
    if (decoded.kind === 'malformed') return true;
    const { message } = decoded;
    this.#report(this.peerId, message.kind === 'ask' ? message.topic : ANSWER, frame);
    return true;
  }

  receive(frame: Uint8Array): void {
    if (this.isOpen) this.#frames.emit(frame);
  }

  onFrame(listener: (frame: Uint8Array) => void): Unsubscribe {
    return this.#frames.add(listener);
  }

  pauseReading(): void {
    // Requests are few, and each is limited by the node that replies.
  }

  resumeReading(): void {
    // As for messages: each is limited by the node that replies.
  }

  onDrain(): Unsubscribe {
    return () => undefined;
  }

  onClose(listener: (close: LinkClose) => void): Unsubscribe {
    if (this.#close === undefined) return this.#closes.add(listener);
    listener(this.#close);
    return () => undefined;
  }

  close(reason: CloseReason, detail = ''): void {
    this.end({ reason, by: 'self', detail });
  }

  end(close: LinkClose): void {
    if (!this.isOpen) return;
    this.#close = close;
    this.#closes.emit(close);
    this.#closes.clear();
    this.#frames.clear();
  }
}

const ANSWER = 'answer';
