// A survey: readings of each machine over its own connection, then one link after the other, all of it in one state. A machine that
// cannot be read is reported, and the others go on.

import type { Clock } from '../../clock/clock.ts';
import { eventClass, type Fact, factKey } from '../../core/event-kinds.ts';
import { counted } from '../../core/figure/figure.ts';
import type { NodeId } from '../../core/ids.ts';
import type { State } from '../../core/state.ts';
import { isUnknown, type Unknown } from '../../core/unknown.ts';
import { Cluster } from '../../daemon/cluster.ts';
import { generateNodeKey } from '../../daemon/node-key.ts';
import type { Env } from '../../process/child.ts';
import { type ProbedMachine, probeLink } from './link-probe.ts';
import { RemoteShell, SurveyError } from './remote-shell.ts';
import type { SurveyedLink, SurveyedMachine } from './survey-document.ts';
import { surveyMachine } from './survey-machine.ts';

interface SurveyOptions {
  readonly targets: readonly string[];
  readonly configFile: string | undefined;
  readonly env: Env;
  readonly plimsollVersion: string;
  readonly probesLinks: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What is being done, a line each. */
  readonly onStep: (text: string) => Promise<void>;
}

export interface Survey {
  readonly machines: readonly SurveyedMachine[];
  readonly links: readonly SurveyedLink[];
  readonly state: State;
}

/** @throws the signal's reason when it aborts. */
export const runSurvey = async (options: SurveyOptions): Promise<Survey> => {
  const cluster = new Cluster();
  const shells: RemoteShell[] = [];
  try {
    return await surveyed(options, cluster, shells);
  } finally {
    await Promise.all(shells.map(shell => shell[Symbol.asyncDispose]()));
  }
};

const surveyed = async (options: SurveyOptions, cluster: Cluster, shells: RemoteShell[]): Promise<Survey> => {
  const { targets, probesLinks, clock, signal, onStep } = options;
  // Of no home: none can be a node of a cluster. In the order of the targets, as views list nodes.
  const nodeIds = targets.map(() => generateNodeKey().nodeId).sort();
  const read = await Promise.all(
    nodeIds.map(async (nodeId, at) => {
      const target = targets[at] ?? '';
      const name = nameOf(target);
      const record = recorder(nodeId, cluster, clock);
      try {
        const { shell, system } = await RemoteShell.open({ ...options, target });
        shells.push(shell);
        const node = { nodeId, name, state: () => cluster.state, record };
        await surveyMachine({ ...options, shell, system, node });
        await onStep(`${target}: read`);
        return { target, machine: { nodeId, name, shell, record }, failure: undefined };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SurveyError)) throw error;
        await onStep(`${target}: ${error.problem.problem}`);
        return { target, machine: undefined, failure: error.problem };
      }
    }),
  );
  const probed = read.flatMap(({ machine }) => machine ?? []);
  const links: SurveyedLink[] = [];
  const pairs = probed.flatMap((one, at) => probed.slice(at + 1).map(other => [one, other] as const));
  if (probesLinks && pairs.length > 0) await onStep(`probing ${counted(pairs.length, 'link')}`);
  // One after the other: two at once may share a cable.
  for (const [one, other] of probesLinks ? pairs : []) {
    signal.throwIfAborted();
    links.push(await surveyedLink(cluster.state, one, other));
  }
  return {
    machines: read.map(({ target, machine, failure }) => ({
      target,
      nodeId: machine?.nodeId ?? null,
      problem: failure?.problem ?? null,
      advice: failure?.advice ?? null,
    })),
    links,
    state: cluster.state,
  };
};

const surveyedLink = async (
  state: State,
  one: ProbedMachine,
  other: ProbedMachine,
): Promise<SurveyedLink> => {
  const nodes = [one.nodeId, other.nodeId] as const;
  const outcome = await probed(state, one, other);
  return { nodes, reason: isUnknown(outcome) ? outcome.reason : null };
};

const probed = async (
  state: State,
  one: ProbedMachine,
  other: ProbedMachine,
): Promise<'measured' | Unknown> => {
  try {
    return await probeLink(state, one, other);
  } catch (error) {
    if (!(error instanceof SurveyError)) throw error;
    return { kind: 'unknown', reason: error.problem.problem };
  }
};

/** Events of one node, numbered as its daemon would. */
const recorder = (origin: NodeId, cluster: Cluster, clock: Clock): ((fact: Fact) => void) => {
  const numbers = { durable: 0, live: 0 };
  return fact => {
    const kind = eventClass(fact.kind);
    numbers[kind] += 1;
    const head = { origin, epoch: 1, class: kind, seq: numbers[kind], key: factKey(fact) };
    cluster.dispatch([{ ...fact, ...head, ageMs: 0, receivedAtMs: clock.nowMs() }]);
  };
};

/** Without the user and the port: "ssh://root@gpu1:22" is gpu1. */
const nameOf = (target: string): string =>
  target
    .replace(/^ssh:\/\//, '')
    .replace(/^[^@]*@/, '')
    .replace(/(?<=^[^:]*|\]):\d+$/, '');
