// One request for probes of an acceptance, and what of it has not ended. The nodes decide what runs when, and let runners finish
// first; what nothing happens to for minutes is left with the reason for which it waits.

import type { Measurable } from '../../core/acceptance/accept-cluster.ts';
import { type ProbeTarget, probesAnswerSchema } from '../../wire/api/probe-answers.ts';
import { CommandError } from '../command-error.ts';
import type { DaemonClient } from '../daemon-client.ts';

export class ProbeRound {
  readonly #keys: ReadonlySet<string>;
  readonly #startedAtMs: number;
  #leftCount: number;
  #newsAtMs: number;

  constructor(due: readonly Measurable[], nowMs: number) {
    this.#keys = new Set(due.map(({ key }) => key));
    this.#startedAtMs = nowMs;
    this.#leftCount = due.length;
    this.#newsAtMs = nowMs;
  }

  get count(): number {
    return this.#keys.size;
  }

  /** How many have not been attempted since; 0 when it is over, also where nothing happened for minutes. */
  left(all: readonly Measurable[], nowMs: number): number {
    const left = all.filter(({ key, triedAtMs }) => this.#keys.has(key) && triedAtMs < this.#startedAtMs);
    if (left.length !== this.#leftCount) this.#newsAtMs = nowMs;
    this.#leftCount = left.length;
    return nowMs - this.#newsAtMs > QUIET_MS_MAX ? 0 : left.length;
  }
}

/**
 * What is requested for these: all devices of a node and all connections of two nodes in one request each, where all of them are due,
 * because a node takes few requests of another one in an hour.
 */
export const probeTargets = (
  due: readonly Measurable[],
  all: readonly Measurable[],
): readonly ProbeTarget[] => {
  const counts = new Map([...Map.groupBy(all, groupOf)].map(([group, { length }]) => [group, length]));
  return [...Map.groupBy(due, groupOf)].flatMap(([group, own]) => {
    const [first] = own;
    return first !== undefined && own.length === counts.get(group)
      ? [targetOf(first, false)]
      : own.map(one => targetOf(one, true));
  });
};

const groupOf = ({ node, subject }: Measurable): string =>
  JSON.stringify([node, subject.kind, subject.kind === 'link' ? subject.sink : '']);

const targetOf = ({ node, subject }: Measurable, isOne: boolean): ProbeTarget =>
  subject.kind === 'gpu'
    ? { kind: 'gpu', nodeId: node, ...(isOne ? { deviceId: subject.deviceId } : {}) }
    : {
        kind: 'link',
        source: node,
        sink: subject.sink,
        ...(isOne ? { connectionKey: subject.connectionKey } : {}),
      };

/** One after the other. @returns refusals, a sentence each */
export const requestProbes = async (
  client: DaemonClient,
  targets: readonly ProbeTarget[],
  stop: AbortSignal,
): Promise<readonly string[]> => {
  const refusals = new Set<string>();
  for (const target of targets) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_MS_MAX)]);
    try {
      const answer = await client.answer(probesAnswerSchema, '/api/probes', signal, 'POST', {
        subject: target,
      });
      for (const { result, reason } of answer.probes) if (result === 'refused') refusals.add(reason);
      for (const { reason } of answer.unreached) refusals.add(reason);
    } catch (error) {
      // A connection may close in between; others can still be measured.
      if (!(error instanceof CommandError) || stop.aborted) throw error;
      refusals.add(error.problem.problem);
    }
    if (refusals.size >= REFUSALS_MAX) break;
  }
  return [...refusals];
};

const REQUEST_MS_MAX = 30_000;
/** Longer than any probe takes, and than one waits for its turn. */
const QUIET_MS_MAX = 180_000;
const REFUSALS_MAX = 100;
