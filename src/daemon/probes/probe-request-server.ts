// Accepts requests for probes: those for this node go to its reconciler, those for others are forwarded. A request is not
// an order: the reply lists what has started, what waits and why.

import * as v from 'valibot';
import { AddressBuckets } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import { NOT_CHOSEN } from '../../core/link/link-view.ts';
import { nodeIds, presence } from '../../core/node/presence-view.ts';
import type { Load } from '../../core/probe/load.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import type { State } from '../../core/state.ts';
import type { PeerReply, PeerRequests } from '../../probe/peer-requests.ts';
import type { MeasuredPeers } from '../../probe/schedule/measured-peers.ts';
import {
  type LoadsAnswer,
  type LoadsRequest,
  type OwnLoads,
  ownLoadsAnswerSchema,
  ownLoadsSchema,
} from '../../wire/api/load-answers.ts';
import {
  type ProbesAnswer,
  type ProbeTarget,
  probeRequestSchema,
  type RequestedProbe,
  requestedProbesSchema,
} from '../../wire/api/probe-answers.ts';
import type { JsonValue } from '../../wire/request-message.ts';

const PROBE_REQUEST_TOPIC = 'probe.ask';
const LOAD_REQUEST_TOPIC = 'probe.load';

const jsonBody = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value));

export interface ProbeRequestServerParts {
  readonly nodeId: NodeId;
  readonly state: () => State;
  readonly nowMs: () => number;
  readonly requests: PeerRequests;
  readonly request: (
    isMeant: (subject: RequestedProbe['subject']) => boolean,
    isOfAll: boolean,
  ) => readonly RequestedProbe[];
  /** Of a fleet only some peers are measured, until somebody asks for another. */
  readonly peers: Pick<MeasuredPeers, 'isChosen' | 'request'>;
  /** Rejects only on an abort. */
  readonly load: (requested: OwnLoads, signal: AbortSignal) => Promise<readonly Load[]>;
}

export class ProbeRequestServer {
  readonly #parts: ProbeRequestServerParts;
  readonly #buckets: AddressBuckets;
  readonly #loadBuckets: AddressBuckets;

  constructor(parts: ProbeRequestServerParts) {
    this.#parts = parts;
    const rate = { burst: REQUESTS_AT_ONCE_MAX, perSecond: REQUESTS_PER_HOUR_MAX / 3_600 };
    this.#buckets = new AddressBuckets(parts, rate, REQUESTERS_MAX);
    this.#loadBuckets = new AddressBuckets(parts, LOAD_RATE, REQUESTERS_MAX);
  }

  /** Answers peers until the returned function is called. */
  serve(): () => void {
    const ends = [this.#serveProbes(), this.#serveLoads()];
    return () => {
      for (const end of ends) end();
    };
  }

  #serveLoads(): () => void {
    return this.#parts.requests.serve(
      LOAD_REQUEST_TOPIC,
      async ({ from, body, signal }): Promise<PeerReply> => {
        const requested = v.safeParse(ownLoadsSchema, body);
        if (!requested.success) return { kind: 'refused', reason: 'not a request for a load' };
        if (!this.#loadBuckets.of(from).take()) return { kind: 'refused', reason: TOO_MANY_LOADS };
        const loads = await this.#parts.load(requested.output, signal);
        return { kind: 'answer', body: jsonBody({ loads }) };
      },
    );
  }

  #serveProbes(): () => void {
    return this.#parts.requests.serve(PROBE_REQUEST_TOPIC, ({ from, body }): PeerReply => {
      const requested = v.safeParse(probeRequestSchema, body);
      if (!requested.success) return { kind: 'refused', reason: 'not a probe request' };
      // Requested probes ignore the interfaces' budget: a member could keep them busy forever.
      if (!this.#buckets.of(from).take()) return { kind: 'refused', reason: TOO_MANY };
      if (this.#isJustRequested(requested.output.subject)) return { kind: 'refused', reason: REQUESTED_NOW };
      const probes = this.#own(requested.output.subject).slice(0, ROWS_MAX);
      return {
        kind: 'answer',
        body: { probes: probes.map(one => ({ ...one, subject: { ...one.subject } })) },
      };
    });
  }

  async request(target: ProbeTarget, signal: AbortSignal): Promise<ProbesAnswer> {
    const { nodeId } = this.#parts;
    const answers = await Promise.all(
      this.#measurers(target).map(async (node): Promise<ProbesAnswer> => {
        if (node !== nodeId) return await this.#queryPeer(node, target, signal);
        if (this.#isJustRequested(target))
          return { probes: [], unreached: [{ node, reason: REQUESTED_NOW }] };
        return { probes: this.#own(target).map(one => ({ node, ...one })), unreached: [] };
      }),
    );
    return {
      probes: answers.flatMap(({ probes }) => probes),
      unreached: answers.flatMap(({ unreached }) => unreached),
    };
  }

  /** All at once, each by its own node, which decides. */
  async load({ nodes, ...common }: LoadsRequest, signal: AbortSignal): Promise<LoadsAnswer> {
    const { nodeId, requests, load } = this.#parts;
    const answers = await Promise.all(
      nodes.map(async ({ node, subjects }): Promise<LoadsAnswer> => {
        const own = { ...common, subjects };
        if (node === nodeId) return { nodes: [{ node, loads: await load(own, signal) }], unreached: [] };
        const reply = await requests.request(node, LOAD_REQUEST_TOPIC, jsonBody(own), {
          timeoutMs: LOAD_ANSWER_MS,
          signal,
        });
        if (reply.kind !== 'answer') return { nodes: [], unreached: [{ node, reason: reply.reason }] };
        const answer = v.safeParse(ownLoadsAnswerSchema, reply.body);
        return answer.success
          ? { nodes: [{ node, loads: answer.output.loads }], unreached: [] }
          : { nodes: [], unreached: [{ node, reason: NOT_UNDERSTOOD }] };
      }),
    );
    return {
      nodes: answers.flatMap(answer => answer.nodes),
      unreached: answers.flatMap(({ unreached }) => unreached),
    };
  }

  #own(target: ProbeTarget): readonly RequestedProbe[] {
    return this.#parts.request(subject => isMeantBy(target, subject), target === 'all');
  }

  /** Whether it is a link that nobody has chosen: it is connected from now on, and measured as soon as it is. */
  #isJustRequested(target: ProbeTarget): boolean {
    const { nodeId, state, nowMs, peers } = this.#parts;
    if (target === 'all' || target.kind !== 'link' || target.source !== nodeId) return false;
    const { sink } = target;
    if (sink === nodeId || peers.isChosen(sink) || !nodeIds(state()).includes(sink)) return false;
    if (presence(state(), sink, nowMs()) === 'offline') return false;
    peers.request(sink);
    return true;
  }

  /** A link is measured by its source, a device by its own node. */
  #measurers(target: ProbeTarget): readonly NodeId[] {
    const { state, nowMs } = this.#parts;
    if (target === 'all')
      return nodeIds(state()).filter(node => presence(state(), node, nowMs()) !== 'offline');
    return [target.kind === 'gpu' ? target.nodeId : target.source];
  }

  async #queryPeer(node: NodeId, target: ProbeTarget, signal: AbortSignal): Promise<ProbesAnswer> {
    const { requests } = this.#parts;
    const subject = target === 'all' ? target : withoutUndefined(target);
    const reply = await requests.request(
      node,
      PROBE_REQUEST_TOPIC,
      { subject },
      { timeoutMs: REQUEST_INTERVAL_MS, signal },
    );
    if (reply.kind !== 'answer') return { probes: [], unreached: [{ node, reason: reply.reason }] };
    const answer = v.safeParse(requestedProbesSchema, reply.body);
    if (!answer.success) return { probes: [], unreached: [{ node, reason: NOT_UNDERSTOOD }] };
    return { probes: answer.output.probes.map(one => ({ node, ...one })), unreached: [] };
  }
}

export const isMeantBy = (target: ProbeTarget, subject: ProbeSubject): boolean => {
  if (target === 'all') return true;
  switch (target.kind) {
    case 'gpu':
      return subject.kind === 'gpu' && (target.deviceId ?? subject.deviceId) === subject.deviceId;
    case 'link':
      return (
        subject.kind === 'link' &&
        subject.sink === target.sink &&
        (target.connectionKey ?? subject.connectionKey) === subject.connectionKey
      );
    default:
      return target satisfies never;
  }
};

const withoutUndefined = (target: Exclude<ProbeTarget, 'all'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(target).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Of one node: so many at once, then so many an hour; and the nodes that this is kept for. */
const REQUESTS_AT_ONCE_MAX = 8;
const REQUESTS_PER_HOUR_MAX = 60;
const REQUESTERS_MAX = 1_024;
const TOO_MANY = `that node has requested too many probes here: ${REQUESTS_AT_ONCE_MAX} at once, then one a minute`;
const REQUESTED_NOW = `it was ${NOT_CHOSEN}; it is being connected now, is measured as soon as it is, and stays for ten minutes`;
const REQUEST_INTERVAL_MS = 5_000;
/** Of one answer: it has to fit a frame. */
const ROWS_MAX = 128;
const NOT_UNDERSTOOD = 'its reply is not understood by this version';
/** Of one node: the links and the devices of one soak; a load lasts seconds. */
const LOAD_RATE = { burst: 16, perSecond: 0.5 };
const TOO_MANY_LOADS = 'that node has requested too many loads here: 16 at once, then one in two seconds';
/** Longer than a device may take; the most that a peer waits is two minutes. */
const LOAD_ANSWER_MS = 115_000;
