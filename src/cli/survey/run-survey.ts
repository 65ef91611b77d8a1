// A survey: readings of each machine over its own connection, then one link after the other, all of it in one state. A machine that
// cannot be read is reported, and the others go on.

import type { Clock } from '../../clock/clock.ts';
import { eventClass, type Fact, factKey } from '../../core/event-kinds.ts';
import type { NodeId } from '../../core/ids.ts';
import type { Sentences } from '../../core/problem.ts';
import type { State } from '../../core/state.ts';
import { Cluster } from '../../daemon/cluster.ts';
import { generateNodeKey } from '../../daemon/node-key.ts';
import type { Env } from '../../process/child.ts';
import { type ProbedMachine, probeLink } from './link-probe.ts';
import { RemoteShell, SurveyError } from './remote-shell.ts';
import type { SurveyedLink, SurveyedMachine } from './survey-document.ts';
import { MachineSurvey } from './survey-machine.ts';

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

interface ReadMachine extends ProbedMachine {
  readonly survey: MachineSurvey;
}

type Reading = { readonly target: string } & (
  | { readonly machine: ReadMachine; readonly failure: undefined }
  | { readonly machine: undefined; readonly failure: Sentences }
);

const surveyed = async (options: SurveyOptions, cluster: Cluster, shells: RemoteShell[]): Promise<Survey> => {
  const { targets, probesLinks, clock, signal, onStep } = options;
  // Of no home: none can be a node of a cluster. In the order of the targets, as views list nodes.
  const nodeIds = targets.map(() => generateNodeKey().nodeId).sort();
  const read = await Promise.all(
    nodeIds.map(async (nodeId, at): Promise<Reading> => {
      const target = targets[at] ?? '';
      const name = nameOf(target);
      const record = recorder(nodeId, cluster, clock);
      const outcome = await attempted(signal, async () => {
        const { shell, system } = await RemoteShell.open({ ...options, target });
        shells.push(shell);
        const node = { nodeId, name, state: () => cluster.state, record };
        const survey = new MachineSurvey({ ...options, shell, system, node });
        await survey.prepare();
        return { nodeId, name, shell, record, survey };
      });
      const isRead = 'survey' in outcome;
      await onStep(isRead ? `${target}: read` : outcome.problem);
      return isRead
        ? { target, machine: outcome, failure: undefined }
        : { target, machine: undefined, failure: outcome };
    }),
  );
  const machines = read.flatMap(({ machine }) => machine ?? []);
  const links = probesLinks ? await probedLinks(cluster, machines, options) : [];
  const ends = await Promise.all(
    machines.map(({ survey }) =>
      attempted(signal, async () => {
        await survey.finish();
        return undefined;
      }),
    ),
  );
  return {
    machines: read.map(({ target, machine, failure }) => {
      const problem = machine === undefined ? failure : ends[machines.indexOf(machine)];
      return {
        target,
        nodeId: machine?.nodeId ?? null,
        problem: problem?.problem ?? null,
        advice: problem?.advice ?? null,
      };
    }),
    links,
    state: cluster.state,
  };
};

/** What it returns, or why the machine could not be read. */
const attempted = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | Sentences> => {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SurveyError) return error.problem;
    throw error;
  }
};

const probedLinks = async (
  cluster: Cluster,
  machines: readonly ProbedMachine[],
  { signal, onStep }: Pick<SurveyOptions, 'signal' | 'onStep'>,
): Promise<readonly SurveyedLink[]> => {
  const pairs = machines.flatMap((one, at) => machines.slice(at + 1).map(other => [one, other] as const));
  const links: SurveyedLink[] = [];
  // One after the other: two at once may share a cable.
  for (const [one, other] of pairs) {
    const outcome = await attempted(signal, () => probeLink(cluster.state, one, other));
    const reason = outcome === 'measured' ? null : 'reason' in outcome ? outcome.reason : outcome.problem;
    await onStep(reason ?? `${one.name} to ${other.name}: measured`);
    links.push({ nodes: [one.nodeId, other.nodeId], reason });
  }
  return links;
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
