// Loads a cluster that is accepted: once with every node sending at the same time, and for the whole of a soak. The nodes decide: what
// they do not load has their reason, and runners have priority.

import { type Clock, pause } from '../../clock/clock.ts';
import { acceptedDevices } from '../../core/acceptance/accepted-device.ts';
import { directionSubject, rateOfPath } from '../../core/acceptance/accepted-path.ts';
import type { ClusterWatch } from '../../core/acceptance/cluster-watch.ts';
import { TOGETHER_SHARE } from '../../core/acceptance/load-checks.ts';
import { type LoadedHop, rateTogether, withLoads } from '../../core/acceptance/load-watch.ts';
import { formatUptime } from '../../core/figure/duration.ts';
import type { NodeId } from '../../core/ids.ts';
import { LOAD_MS_MAX, type Load } from '../../core/probe/load.ts';
import { type ProbeSubject, probeKey } from '../../core/probe/probe-status.ts';
import { isKnown, type Reported, unknown } from '../../core/unknown.ts';
import { type LoadHop, loadRounds } from '../../probe/load/load-rounds.ts';
import { loadsAnswerSchema } from '../../wire/api/load-answers.ts';
import { CommandError } from '../command-error.ts';
import type { DaemonClient } from '../daemon-client.ts';
import type { Looks } from './looks.ts';

interface ClusterLoadParts {
  readonly client: DaemonClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly print: (line: string) => Promise<void>;
  readonly watch: ClusterWatch;
  readonly looks: Looks;
  /** Loads with the same one run together. */
  readonly together: string;
}

interface Soak {
  readonly soakMs: number;
  /** Share of the time that is to be loaded. */
  readonly duty: number;
}

interface NodeLoads {
  readonly node: NodeId;
  readonly subjects: readonly ProbeSubject[];
}

export class ClusterLoad {
  readonly #parts: ClusterLoadParts;

  constructor(parts: ClusterLoadParts) {
    this.#parts = parts;
  }

  /** Each of the first rounds once. Two nodes are no more than a pair. */
  async allAtOnce(): Promise<void> {
    const { looks, print, watch } = this.#parts;
    const sources = await looks.next();
    if (watch.loads.rounds.length > 0 || sources.nodes.length < 3) return;
    // What carries RDMA is filled by a foreign tool, for which no moment is known.
    const rounds = loadRounds(sources)
      .map(round => round.filter(({ facts }) => facts.connection.kind === 'socket'))
      .filter(round => round.length > 2)
      .slice(0, ROUNDS_MAX);
    if (rounds.length === 0) return;
    await print(`All nodes send at once: ${rounds.length === 1 ? 'one round' : `${rounds.length} rounds`}`);
    const judged: (readonly LoadedHop[])[] = [];
    for (const round of rounds) {
      const hops = await this.#ratesTogether(round);
      const narrow = hops.filter(({ alone, together }) => isLower(together, alone)).slice(0, PAIRS_MAX);
      const bothWays = new Map<HopRate, Reported<number>>();
      for (const hop of narrow) bothWays.set(hop, await this.#bothWays(hop));
      judged.push(
        hops.map(one => {
          const { hop, ...rates } = one;
          return { ...rates, bothWays: bothWays.get(one) ?? rates.bothWays };
        }),
      );
      watch.loads = { ...watch.loads, rounds: judged };
    }
  }

  /** Links in rounds, and devices next to them, until the cluster was watched for long enough. */
  async soak(soak: Soak): Promise<void> {
    const { print, watch } = this.#parts;
    await print('Soak: links and devices are kept under load.');
    const baseMs = watch.watched.watchedMs - watch.loads.soakedMs;
    const isOver = (): boolean => {
      watch.loads = { ...watch.loads, soakedMs: Math.max(0, watch.watched.watchedMs - baseMs) };
      return watch.loads.soakedMs >= soak.soakMs;
    };
    await Promise.all([
      this.#soakLinks(soak, isOver),
      this.#soakDevices(soak, isOver),
      this.#report(soak, isOver),
    ]);
  }

  async #report({ soakMs }: Soak, isOver: () => boolean): Promise<void> {
    const { looks, print, watch } = this.#parts;
    for (let tenth = 0; !isOver(); await looks.next()) {
      const now = Math.floor((10 * watch.loads.soakedMs) / soakMs);
      if (now > tenth)
        await print(`  ${[watch.loads.soakedMs, soakMs].map(ms => formatUptime(ms / 1_000)).join(' of ')}`);
      tenth = now;
    }
  }

  async #soakLinks({ soakMs, duty }: Soak, isOver: () => boolean): Promise<void> {
    const { looks } = this.#parts;
    for (let at = 0; !isOver(); at += 1) {
      const rounds = loadRounds(await looks.next());
      const round = rounds[at % Math.max(1, rounds.length)];
      if (round === undefined) return await this.#rest(REST_MS);
      // So short that each direction is loaded twice in each quarter at least.
      const durationMs = Math.min(
        LOAD_MS_MAX,
        Math.max(ROUND_MS_MIN, Math.floor((soakMs * duty) / (ROUNDS_OF_EACH * rounds.length))),
      );
      const startedAtMs = this.#parts.clock.nowMs();
      const isLoaded = await this.#loaded(round.map(loadsOf), { durationMs, soakMs });
      await this.#restAfter(startedAtMs, duty, isLoaded);
    }
  }

  async #soakDevices({ soakMs, duty }: Soak, isOver: () => boolean): Promise<void> {
    const { clock, looks } = this.#parts;
    // A node whose device takes longer keeps no other one waiting.
    const loops = acceptedDevices(await looks.next());
    await Promise.all(
      [...Map.groupBy(loops, ({ nodeId }) => nodeId)].map(async ([node, devices]) => {
        const subjects = devices.map(({ deviceId }): ProbeSubject => ({ kind: 'gpu', deviceId }));
        while (!isOver()) {
          const startedAtMs = clock.nowMs();
          const isLoaded = await this.#loaded([{ node, subjects }], { durationMs: LOAD_MS_MAX, soakMs });
          await this.#restAfter(startedAtMs, duty, isLoaded);
        }
      }),
    );
  }

  async #restAfter(startedAtMs: number, duty: number, isLoaded: boolean): Promise<void> {
    const tookMs = this.#parts.clock.nowMs() - startedAtMs;
    await this.#rest(isLoaded ? Math.max(GAP_MS, tookMs * (1 / duty - 1)) : REST_MS);
  }

  async #rest(durationMs: number): Promise<void> {
    const { clock, signal } = this.#parts;
    await pause(clock, durationMs, signal);
    signal.throwIfAborted();
  }

  /** @returns whether anything was loaded */
  async #loaded(
    nodes: readonly NodeLoads[],
    { durationMs, soakMs }: { readonly durationMs: number; readonly soakMs: number },
  ): Promise<boolean> {
    const { watch } = this.#parts;
    const answers = await this.#request(nodes, durationMs);
    const share = watch.loads.soakedMs / soakMs;
    for (const [node, loads] of answers) watch.loads = withLoads(watch.loads, share, { node, loads });
    return [...answers.values()].some(loads => loads.some(({ kind }) => kind === 'loaded'));
  }

  /** Tried again while an end is busy with something else: such a probe takes seconds. */
  async #ratesTogether(round: readonly LoadHop[]): Promise<readonly HopRate[]> {
    for (let left = TRIES; ; left -= 1) {
      const answers = await this.#request(round.map(loadsOf), TOGETHER_MS);
      const loads = round.map(hop => loadOf(answers, hop));
      if (left <= 1 || loads.every(({ kind }) => kind === 'loaded'))
        return round.map((hop, at): HopRate => {
          const load = loads[at] ?? loadOf(answers, hop);
          const { source, sink, path, from } = hop;
          const together = rateTogether(load, loads);
          const alone = rateOfPath(path, from);
          return { hop, source, sink, path: path.subject, alone, bothWays: NOT_NEEDED, together };
        });
      await this.#rest(REST_MS);
    }
  }

  /** Of a direction while only it and its opposite are loaded. */
  async #bothWays({ hop }: HopRate): Promise<Reported<number>> {
    const sources = await this.#parts.looks.next();
    const pair = loadRounds(sources)
      .flat()
      .filter(({ path }) => path.link.key === hop.path.link.key && path.of.path === hop.path.of.path);
    const rates = await this.#ratesTogether(pair);
    return rates.find(one => one.hop.facts.source === hop.facts.source)?.together ?? NOT_NEEDED;
  }

  async #request(
    nodes: readonly NodeLoads[],
    durationMs: number,
  ): Promise<ReadonlyMap<string, readonly Load[]>> {
    const { client, signal, together } = this.#parts;
    const grouped = [...Map.groupBy(nodes, ({ node }) => node)].map(([node, own]) => ({
      node,
      subjects: own.flatMap(({ subjects }) => subjects),
    }));
    const answers = new Map<string, readonly Load[]>();
    const reasons = new Map<string, string>();
    let failure = 'it did not reply';
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const body = { together, durationMs, nodes: grouped };
      const answer = await client.answer(loadsAnswerSchema, '/api/loads', limit, 'POST', body);
      for (const { node, loads } of answer.nodes) answers.set(node, loads);
      for (const { node, reason } of answer.unreached) reasons.set(node, reason);
    } catch (error) {
      if (!(error instanceof CommandError) || signal.aborted) throw error;
      failure = error.problem.problem;
    }
    return new Map(
      grouped.map(({ node, subjects }) => {
        const reason = reasons.get(node) ?? failure;
        const none = subjects.map((subject): Load => ({ kind: 'idle', subject, reason }));
        return [node, answers.get(node) ?? none];
      }),
    );
  }
}

interface HopRate extends LoadedHop {
  readonly hop: LoadHop;
}

const loadsOf = (hop: LoadHop): NodeLoads => ({
  node: hop.facts.source,
  subjects: [directionSubject(hop)],
});

const loadOf = (answers: ReadonlyMap<string, readonly Load[]>, hop: LoadHop): Load => {
  const subject = directionSubject(hop);
  const load = answers.get(hop.facts.source)?.find(one => probeKey(one.subject) === probeKey(subject));
  return load ?? { kind: 'idle', subject, reason: 'it is not in the reply' };
};

/** Slower than in its turn alone, or not known to be as fast. */
const isLower = (together: Reported<number>, alone: Reported<number>): boolean =>
  isKnown(together) && isKnown(alone) && together < TOGETHER_SHARE * alone;

/** More than two in each quarter of a soak. */
const ROUNDS_OF_EACH = 10;
/** Of a cluster of eight at one switch, all of them. */
const ROUNDS_MAX = 7;
/** Directions of one round that are measured again as pairs. */
const PAIRS_MAX = 4;
/** Three runs, of which the middle one is under load from everyone, although children do not start at the same moment. */
const TOGETHER_MS = 15_000;
const ROUND_MS_MIN = 6_000;
/** After something that had priority. */
const REST_MS = 5_000;
/** Between two rounds, for the control connections of the nodes. */
const GAP_MS = 500;
const TRIES = 3;
/** More than the two minutes that a daemon waits for its peers. */
const ANSWER_MS = 130_000;
const NOT_NEEDED = unknown('not needed');
