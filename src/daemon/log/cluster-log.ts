// What happens in the cluster, as lines of the log: nodes that come and go, this node's links, and warnings. It compares what
// selectors derive from state with what they derived at the previous look, so the log, the page and the command line agree.
// Every node has a log: links and warnings of others are in theirs.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock/clock.ts';
import type { LogLevel } from '../../config/value-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { ConnectionFacts } from '../../core/link/link-facts.ts';
import { type LinkView, LinkWatch } from '../../core/link/link-view.ts';
import { lossReason } from '../../core/link/loss-text.ts';
import { nodeName, nodeView } from '../../core/node/node-view.ts';
import { nodeIds, type Presence, presence, stoppedMs } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import { ITEMS_OF_TURN, type Turns, toTheEnd } from '../../core/turns.ts';
import { knownOr } from '../../core/unknown.ts';
import { warningsInTurns } from '../../core/warnings/cluster-warnings.ts';
import type { Warning } from '../../core/warnings/warning.ts';
import type { DaemonLog, LogFields } from './daemon-log.ts';

interface ClusterLogParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly log: DaemonLog;
}

interface SeenNode {
  readonly name: string;
  /** 'known': from the journal, and not seen since the start. */
  readonly state: 'known' | 'up' | 'lost' | 'stopped';
  readonly sinceMs: number;
}

/** One path of a link of this node. */
interface SeenPath {
  readonly fields: LogFields;
  readonly isLost: boolean;
  readonly sinceMs: number;
}

interface SeenWarning {
  readonly warning: Warning;
  readonly isOwn: boolean;
  readonly sinceMs: number;
}

export class ClusterLog {
  readonly #parts: ClusterLogParts;
  readonly #nodes = new Map<NodeId, SeenNode>();
  readonly #paths = new Map<string, SeenPath>();
  #hasLooked = false;
  readonly #warnings = new Map<string, SeenWarning>();

  constructor(parts: ClusterLogParts) {
    this.#parts = parts;
    const { clock, nodeId, state } = parts;
    const known = state();
    for (const node of nodeIds(known))
      if (node !== nodeId)
        this.#nodes.set(node, { name: nodeName(known, node), state: 'known', sinceMs: clock.nowMs() });
  }

  /** Looks until the signal aborts. Of many nodes it looks more rarely, and in pieces: the mesh and readers go first. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    let reportAtMs = clock.nowMs() + DROPPED_REPORT_MS;
    try {
      for (;;) {
        const isLarge = this.#nodes.size > MANY_NODES;
        await clock.sleep(isLarge ? LOOK_OF_MANY_MS : LOOK_MS, signal);
        const turns = this.#look();
        if (!isLarge) toTheEnd(turns);
        else while (turns.next().done !== true && !signal.aborted) await nextTurn();
        if (clock.nowMs() < reportAtMs) continue;
        log.reportDropped();
        reportAtMs = clock.nowMs() + DROPPED_REPORT_MS;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      log.reportDropped();
    }
  }

  *#look(): Turns<void> {
    const { clock, state: read } = this.#parts;
    const state = read();
    const nowMs = clock.nowMs();
    const presences = new Map(nodeIds(state).map(id => [id, presence(state, id, nowMs)]));
    this.#lookAtNodes(state, presences, nowMs);
    yield;
    // Not kept from one look to the next: ten thousand links would take memory all the time for a look every half minute.
    const links = yield* new LinkWatch().turns(state, nowMs, presences);
    this.#lookAtLinks(state, links, nowMs);
    const views = [];
    for (const [index, id] of [...presences.keys()].entries()) {
      if (index % ITEMS_OF_TURN === 0) yield;
      views.push(nodeView(state, id, nowMs));
    }
    const warnings = yield* warningsInTurns({ state, views, nowMs, links });
    this.#lookAtWarnings(state, warnings, nowMs);
  }

  #lookAtNodes(state: State, presences: ReadonlyMap<NodeId, Presence>, nowMs: number): void {
    const { nodeId, log } = this.#parts;
    for (const [node, now] of presences) {
      if (node === nodeId) continue;
      const before = this.#nodes.get(node);
      const isGone = now === 'offline';
      if (isGone && (before === undefined || before.state !== 'up')) {
        // Its records arrived through others, or it was gone before.
        if (before === undefined) this.#see(state, node, 'known', nowMs);
        continue;
      }
      if (!isGone && before?.state === 'up') continue;
      const isStopped = isGone && stoppedMs(state, node, nowMs) !== undefined;
      const seen = this.#see(state, node, isGone ? (isStopped ? 'stopped' : 'lost') : 'up', nowMs);
      const awayMs = before === undefined ? undefined : nowMs - before.sinceMs;
      const fields = { node: seen.name, node_id: node };
      const subject = { subject: node };
      if (isGone)
        log.write(isStopped ? 'node-stopped' : 'node-lost', { ...fields, up_s: seconds(awayMs) }, subject);
      else if (before === undefined) log.write('node-joined', fields, subject);
      else if (before.state === 'known') log.write('node-seen', fields, subject);
      else log.write('node-restored', { ...fields, away_s: seconds(awayMs) }, subject);
    }
    for (const [node, { name }] of this.#nodes) {
      if (presences.has(node)) continue;
      this.#nodes.delete(node);
      log.write('node-forgotten', { node: name, node_id: node }, { subject: node });
    }
  }

  #see(state: State, node: NodeId, now: SeenNode['state'], nowMs: number): SeenNode {
    const seen = { name: nodeName(state, node), state: now, sinceMs: nowMs };
    this.#nodes.set(node, seen);
    return seen;
  }

  /** The core decides what is lost and what only waits for a node that is away: docs/probes.md. */
  #lookAtLinks(state: State, links: readonly LinkView[], nowMs: number): void {
    const { nodeId, log } = this.#parts;
    const there = new Set<string>();
    for (const link of links) {
      if (!link.nodes.includes(nodeId)) continue;
      const peer = link.nodes[0] === nodeId ? link.nodes[1] : link.nodes[0];
      const nameOf = (path: string): string => `${link.key} ${path}`;
      for (const { path } of link.away) there.add(nameOf(path));
      for (const lost of link.lost) {
        const name = nameOf(lost.path);
        there.add(name);
        const before = this.#paths.get(name);
        if (before?.isLost === true) continue;
        const fields = pathFields(state, peer, lost.of);
        this.#keep(name, { fields, isLost: true, sinceMs: lost.lostAtMs });
        // What was lost before the start is among the warnings.
        if (!this.#hasLooked) continue;
        const reason = lossReason(lost, node => nodeName(state, node));
        const upMs = before === undefined ? undefined : lost.lostAtMs - before.sinceMs;
        log.write('link-lost', { ...fields, reason, up_s: seconds(upMs) }, { subject: name });
      }
      for (const of of link.connections) {
        const name = nameOf(of.path);
        if (there.has(name)) continue;
        there.add(name);
        const before = this.#paths.get(name);
        if (before?.isLost === false) continue;
        const fields = pathFields(state, peer, of);
        this.#keep(name, { fields, isLost: false, sinceMs: nowMs });
        if (before === undefined) log.write('link-opened', fields, { subject: name });
        else
          log.write(
            'link-restored',
            { ...fields, away_s: seconds(nowMs - before.sinceMs) },
            { subject: name },
          );
      }
    }
    for (const [name, { fields, isLost }] of this.#paths) {
      if (there.has(name)) continue;
      this.#paths.delete(name);
      if (isLost) log.write('link-forgotten', fields, { subject: name });
    }
    this.#hasLooked = true;
  }

  #keep(name: string, path: SeenPath): void {
    if (this.#paths.size < PATHS_MAX || this.#paths.has(name)) this.#paths.set(name, path);
  }

  #lookAtWarnings(state: State, warnings: readonly Warning[], nowMs: number): void {
    const { nodeId, log } = this.#parts;
    const found = new Map(
      warnings
        // A lost link has lines of its own.
        .filter(({ id }) => !id.startsWith('link lost '))
        .slice(0, WARNINGS_MAX)
        .map(warning => [warning.id, warning]),
    );
    for (const [id, warning] of found) {
      if (this.#warnings.has(id)) continue;
      const isOwn = warning.nodes.length === 0 || warning.nodes.includes(nodeId);
      this.#warnings.set(id, { warning, isOwn, sinceMs: nowMs });
      const { title, why, on, command } = warning;
      const nodes = warning.nodes.slice(0, NODES_NAMED_MAX).map(node => nodeName(state, node));
      log.write(
        'warning-raised',
        { warning: title, id, nodes: nodes.join(','), why, on, command },
        { level: isOwn ? LOG_LEVEL_OF[warning.level] : 'debug', subject: id },
      );
    }
    for (const [id, { warning, isOwn, sinceMs }] of this.#warnings) {
      if (found.has(id)) continue;
      this.#warnings.delete(id);
      log.write(
        'warning-cleared',
        { warning: warning.title, id, lasted_s: seconds(nowMs - sinceMs) },
        { level: isOwn ? 'info' : 'debug', subject: id },
      );
    }
  }
}

const pathFields = (state: State, peer: NodeId, { connection }: ConnectionFacts): LogFields => ({
  peer: nodeName(state, peer),
  peer_id: peer,
  type: knownOr(connection.type, undefined),
  interface: knownOr(connection.sourceInterface, undefined),
  to: connection.kind === 'socket' ? connection.sinkAddress : connection.sinkInterface,
});

const seconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms / 1_000);

const LOG_LEVEL_OF = { danger: 'error', caution: 'warn', note: 'info' } as const satisfies Record<
  Warning['level'],
  LogLevel
>;

const LOOK_MS = 5_000;
const LOOK_OF_MANY_MS = 30_000;
const MANY_NODES = 64;
const DROPPED_REPORT_MS = 600_000;
const PATHS_MAX = 2_048;
/** The serious ones come first. */
const WARNINGS_MAX = 2_000;
const NODES_NAMED_MAX = 8;
