// Takes wishes for probes: those of this node go to its reconciler, those of others are asked of them. A wish is no order:
// it says what has started, what waits and why.

import type { NodeId } from '../../core/ids.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import type { PeerReply, PeerRequests } from '../../probe/peer-requests.ts';
import type { AskedProbe } from '../../probe/reconcile/reconciler.ts';
import type { ProbeWish, WishAnswer } from './probe-wish.ts';
import { decodeAsked, decodeWish, isMeantBy, PROBE_ASK_TOPIC } from './probe-wish.ts';

export interface ProbeDeskParts {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly nowMs: () => number;
  readonly requests: PeerRequests;
  readonly ask: (isMeant: (subject: AskedProbe['subject']) => boolean) => readonly AskedProbe[];
}

export class ProbeDesk {
  readonly #parts: ProbeDeskParts;

  constructor(parts: ProbeDeskParts) {
    this.#parts = parts;
  }

  /** Answers peers until the returned function is called. */
  serve(): () => void {
    return this.#parts.requests.serve(PROBE_ASK_TOPIC, ({ body }): PeerReply => {
      const wish = decodeWish(body);
      if (wish === undefined) return { kind: 'refused', reason: 'not a wish for a probe' };
      const probes = this.#own(wish).slice(0, ROWS_MAX);
      return {
        kind: 'answer',
        body: { probes: probes.map(one => ({ ...one, subject: { ...one.subject } })) },
      };
    });
  }

  async wish(wish: ProbeWish, signal: AbortSignal): Promise<WishAnswer> {
    const { nodeId } = this.#parts;
    const answers = await Promise.all(
      this.#measurers(wish).map(async (node): Promise<WishAnswer> => {
        if (node !== nodeId) return await this.#askPeer(node, wish, signal);
        return { probes: this.#own(wish).map(one => ({ node, ...one })), unreached: [] };
      }),
    );
    return {
      probes: answers.flatMap(({ probes }) => probes),
      unreached: answers.flatMap(({ unreached }) => unreached),
    };
  }

  #own(wish: ProbeWish): readonly AskedProbe[] {
    return this.#parts.ask(subject => isMeantBy(wish, subject));
  }

  /** A link is measured by its source, a device by its own node. */
  #measurers(wish: ProbeWish): readonly NodeId[] {
    const { state, nowMs } = this.#parts;
    switch (wish.kind) {
      case 'all':
        return nodeIds(state()).filter(node => presence(state(), node, nowMs()) !== 'offline');
      case 'gpu':
        return [wish.nodeId];
      case 'link':
        return [wish.source];
      default:
        return wish satisfies never;
    }
  }

  async #askPeer(node: NodeId, wish: ProbeWish, signal: AbortSignal): Promise<WishAnswer> {
    const { requests } = this.#parts;
    const subject = wish.kind === 'all' ? wish.kind : withoutUndefined(wish);
    const reply = await requests.ask(node, PROBE_ASK_TOPIC, { subject }, { timeoutMs: ASK_MS, signal });
    if (reply.kind !== 'answer') return { probes: [], unreached: [{ node, reason: reply.reason }] };
    const asked = decodeAsked(reply.body);
    const reason = 'it answers in a way that this version does not know';
    if (asked === undefined) return { probes: [], unreached: [{ node, reason }] };
    return { probes: asked.map(one => ({ node, ...one })), unreached: [] };
  }
}

const withoutUndefined = (wish: Exclude<ProbeWish, { kind: 'all' }>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(wish).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

const ASK_MS = 5_000;
/** Of one answer: it has to fit a frame. */
const ROWS_MAX = 128;
