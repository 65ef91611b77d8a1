// An acceptance: watches the cluster as the daemon streams it, requests the probes whose figures are missing, keeps everything under
// load during a soak, measures all of it again after that, and writes what it found into its directory, from which another call continues.

import { join } from 'node:path';
import * as v from 'valibot';
import { DocumentReporter, REPORTED_PLAIN } from '../../bench/announce/document-reporter.ts';
import {
  type DocumentFolder,
  openDocumentFolder,
  plainFolder,
  reopenDocumentFolder,
} from '../../bench/run/document-folder.ts';
import { newDocumentId } from '../../bench/run/new-id.ts';
import type { Clock } from '../../clock/clock.ts';
import { openHome } from '../../config/home.ts';
import {
  ACCEPTED_NODES_MAX,
  acceptanceSources,
  acceptCluster,
  type Measurable,
  measurables,
} from '../../core/acceptance/accept-cluster.ts';
import type { AcceptanceSources } from '../../core/acceptance/acceptance-check.ts';
import {
  ACCEPTANCE_SCHEMA,
  type Acceptance,
  acceptanceOutcome,
  acceptanceSchema,
} from '../../core/acceptance/acceptance-document.ts';
import type { AcceptancePlan } from '../../core/acceptance/acceptance-plan.ts';
import { ClusterWatch, NOTHING_WATCHED } from '../../core/acceptance/cluster-watch.ts';
import { counted } from '../../core/figure/figure.ts';
import type { NodeId } from '../../core/ids.ts';
import { LinkWatch } from '../../core/link/link-view.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import type { State } from '../../core/state.ts';
import { showable } from '../../core/text/single-line.ts';
import { knownOr, unknown } from '../../core/unknown.ts';
import { runsFolder } from '../../daemon/runs/run-reports.ts';
import { PLAIN_FILES, readStored } from '../../metrics/stored-file.ts';
import { ACCEPTANCE } from '../../render/acceptance/acceptance-report.ts';
import { type PlainReport, plainReport } from '../../render/document/plain-kind.ts';
import { runningDaemon } from '../bench/bench-process.ts';
import { clusterStream } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';
import { ClusterLoad } from './cluster-load.ts';
import { Looks } from './looks.ts';
import { ProbeRound, probeTargets, requestProbes } from './probe-round.ts';

interface AcceptanceCall {
  readonly home: string;
  readonly state: ProcessState;
  readonly clock: Clock;
  /** Called with each line of progress. */
  readonly print: (line: string) => Promise<void>;
  readonly request: NewAcceptance | ResumedAcceptance;
}

interface NewAcceptance {
  readonly kind: 'new';
  readonly command: string;
  readonly soakMs: number;
  /** Share of the soak in which everything is to be under load. */
  readonly duty: number;
  readonly plan: AcceptancePlan | undefined;
  /** Undefined: all. @throws CommandError for a name that no node has */
  readonly nodes: (state: State) => readonly NodeId[] | undefined;
}

interface ResumedAcceptance {
  readonly kind: 'resumed';
  readonly directory: string;
}

export interface EndedAcceptance {
  readonly acceptance: Acceptance;
  readonly report: PlainReport;
  readonly directory: string;
  /** A sentence each. */
  readonly diskProblems: readonly string[];
}

export const runAcceptance = async (call: AcceptanceCall): Promise<EndedAcceptance> => {
  const { home, state, clock, print, request } = call;
  const client = await findDaemon(home, state);
  await openHome(home);
  const {
    document: first,
    folder: opened,
    nodesOf,
    plan,
  } = request.kind === 'new' ? await begun(call, request) : await resumed(request.directory);
  using folder = opened;
  const stopRequested = new AbortController();
  const stop = AbortSignal.any([state.stop, stopRequested.signal]);
  let acceptance = first;
  const report = (): PlainReport => plainReport(ACCEPTANCE, acceptance);
  await folder.write(report());
  await using reporter = new DocumentReporter(REPORTED_PLAIN, {
    document: report(),
    directory: folder.path,
    findDaemon: () => runningDaemon(home, state),
    clock,
    onStopRequested: () => stopRequested.abort(),
  });
  await print(`Acceptance ${acceptance.id} in ${folder.path}. Ctrl-C stops it; --resume continues it.`);
  const write = async (change: Partial<Acceptance>): Promise<void> => {
    acceptance = { ...acceptance, ...change };
    await folder.write(report());
    reporter.update(report());
  };
  const end = await (async (): Promise<Pick<Acceptance, 'state' | 'reason'>> => {
    await followed({ client, clock, stop, print, write, plan, nodesOf, first });
    return { state: 'complete', reason: '' };
  })().catch((error: unknown): Pick<Acceptance, 'state' | 'reason'> => {
    if (stop.aborted) return { state: 'interrupted', reason: 'it was stopped: what was found is stored' };
    // Where nothing was judged yet, the error is all there is to report.
    if (error instanceof CommandError && acceptance.stages.length > 0)
      return { state: 'interrupted', reason: error.problem.problem };
    throw error;
  });
  await write(end);
  const diskProblems = await folder.writeText(report());
  await reporter.end(report());
  return { acceptance, report: report(), directory: folder.path, diskProblems };
};

interface Begun {
  readonly document: Acceptance;
  readonly folder: DocumentFolder<PlainReport>;
  readonly nodesOf: NewAcceptance['nodes'];
  readonly plan: AcceptancePlan;
}

const begun = async (
  { home, state, clock }: AcceptanceCall,
  { command, soakMs, duty, plan, nodes }: NewAcceptance,
): Promise<Begun> => {
  const id = newDocumentId();
  const folder = await openDocumentFolder(plainFolder(ACCEPTANCE), join(runsFolder(home), id));
  const document: Acceptance = {
    schema: ACCEPTANCE_SCHEMA,
    id,
    plimsoll: { version: state.version },
    name: unknown('not given'),
    startedAt: new Date(clock.wallMs()).toISOString(),
    command,
    state: 'running',
    reason: '',
    outcome: 'undecided',
    nodes: [],
    expected: plan?.nodes ?? [],
    soakMs,
    duty,
    ageMsMax: AGE_MS_MAX,
    plan: plan?.limits ?? unknown('no plan was given'),
    skipped: plan?.skip ?? [],
    stages: [],
    watched: NOTHING_WATCHED,
  };
  return { document, folder, nodesOf: nodes, plan: plan ?? {} };
};

/** With the same nodes, plan and soak. @throws CommandError `benchRunDirectory` */
const resumed = async (directory: string): Promise<Begun> => {
  const stored = await readStored(directory, PLAIN_FILES);
  const read = stored.kind === 'here' ? v.safeParse(acceptanceSchema, stored.document.document) : undefined;
  if (stored.kind !== 'here' || read?.success !== true)
    throw new CommandError(
      'benchRunDirectory',
      `no acceptance can be resumed in ${directory}: ${stored.kind === 'here' ? 'it has another document' : stored.reason}`,
      'To list those that are stored: plimsoll runs',
    );
  const document: Acceptance = { ...read.output, state: 'running', reason: '' };
  const { folder } = await reopenDocumentFolder(plainFolder(ACCEPTANCE), directory, async () => []);
  const { nodes, expected, plan: limits, skipped } = document;
  return {
    document,
    folder,
    nodesOf: state => (nodes.length === 0 ? undefined : idsOf(state, nodes)),
    plan: { nodes: expected, limits: knownOr(limits, {}), skip: skipped },
  };
};

/** Of those that are known. */
const idsOf = (state: State, names: readonly string[]): readonly NodeId[] =>
  nodeIds(state).filter(id => names.includes(nodeName(state, id)) || names.includes(id));

interface Following {
  readonly client: DaemonClient;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly print: AcceptanceCall['print'];
  readonly write: (change: Partial<Acceptance>) => Promise<void>;
  readonly plan: AcceptancePlan;
  readonly nodesOf: NewAcceptance['nodes'];
  readonly first: Acceptance;
}

/** Until everything is measured, every node has sent at once, and the soak is over. */
const followed = async (following: Following): Promise<void> => {
  const { client, clock, stop, print, write, plan, nodesOf, first } = following;
  const { id, soakMs } = first;
  const left = new AbortController();
  const signal = AbortSignal.any([stop, left.signal]);
  const watch = new ClusterWatch(first.watched);
  const links = new LinkWatch();
  const looks = new Looks(signal);
  const load = new ClusterLoad({ client, clock, signal, print, watch, looks, together: id });
  let nodes: readonly NodeId[] | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let wroteAtMs = Number.NEGATIVE_INFINITY;
  let ended: { readonly failure: unknown } | undefined;
  let unwritten: AcceptanceSources | undefined;
  const judged = (sources: AcceptanceSources): Partial<Acceptance> => {
    const stages = acceptCluster(sources, plan);
    return {
      stages,
      outcome: acceptanceOutcome(stages),
      nodes: sources.nodes.map(({ name }) => name),
      watched: sources.watched,
    };
  };
  const steps = async (): Promise<void> => {
    const measuring = { client, looks, signal, print };
    await measured(measuring, ({ isFresh }) => !isFresh);
    await load.allAtOnce();
    if (watch.loads.soakedMs >= soakMs) return;
    await load.soak({ soakMs, duty: knownOr(first.duty, DUTY) });
    await measured(measuring, () => true);
  };
  const working = steps().then(
    () => {
      ended = { failure: undefined };
    },
    (failure: unknown) => {
      ended ??= { failure };
    },
  );
  try {
    for await (const { state } of clusterStream(client, clock, signal)) {
      const nowMs = clock.nowMs();
      if (ended?.failure !== undefined) throw ended.failure;
      if (nowMs - lookedAtMs < LOOK_MS) continue;
      const isLast = ended !== undefined;
      lookedAtMs = nowMs;
      nodes ??= acceptedNodes(state, nodesOf, plan);
      const before = acceptanceSources({
        state,
        nowMs,
        links: links.read(state, nowMs),
        requested: nodes,
        plan,
        ageMsMax: AGE_MS_MAX,
        watchedMsMin: soakMs > 0 ? soakMs : WATCHED_MS_MIN,
        watched: NOTHING_WATCHED,
      });
      watch.look(before);
      const sources = { ...before, watched: watch.watched };
      looks.look(sources);
      unwritten = sources;
      if (isLast || nowMs - wroteAtMs >= WRITE_MS) {
        wroteAtMs = nowMs;
        unwritten = undefined;
        await write(judged(sources));
      }
      if (isLast) return;
    }
  } finally {
    left.abort();
    await working;
    if (unwritten !== undefined) await write(judged(unwritten));
  }
};

interface Measuring {
  readonly client: DaemonClient;
  readonly looks: Looks;
  readonly signal: AbortSignal;
  readonly print: AcceptanceCall['print'];
}

/** Once each, as the nodes allow it; until that is over, or nothing more happens. */
const measured = async (
  { client, looks, signal, print }: Measuring,
  isDue: (measurable: Measurable) => boolean,
): Promise<void> => {
  const sources = await looks.next();
  const all = measurables(sources);
  const due = all.filter(isDue);
  if (due.length === 0) return;
  const round = new ProbeRound(due, sources.nowMs);
  await print(`${counted(due.length, 'probe')} of ${all.length} requested`);
  const [refusals] = await Promise.all([
    requestProbes(client, probeTargets(due, all), signal),
    looks.until(now => round.left(measurables(now), now.nowMs) === 0),
  ]);
  for (const refusal of refusals) await print(`  not now: ${showable(refusal)}`);
  await print('Measured.');
};

/** @throws CommandError `usage` if there are too many */
const acceptedNodes = (
  state: State,
  nodesOf: NewAcceptance['nodes'],
  { nodes: planned }: AcceptancePlan,
): readonly NodeId[] => {
  const chosen =
    nodesOf(state) ??
    (planned === undefined || planned.length === 0 ? nodeIds(state) : idsOf(state, planned));
  if (chosen.length > ACCEPTED_NODES_MAX)
    throw new CommandError(
      'usage',
      `${counted(chosen.length, 'node')} are more than an acceptance judges, ${ACCEPTED_NODES_MAX}`,
      'Accept them in groups: --nodes A,B,…',
    );
  return chosen;
};

/** Often enough to see a port that is down for a second. */
const LOOK_MS = 250;
const WRITE_MS = 10_000;
/** Unless a person sets another one. */
export const DUTY: number = 0.9;
/** As long as the profile of a device stays fresh. */
const AGE_MS_MAX = 3_600_000;
/** Shorter than this, nothing is seen of growth without a soak. */
const WATCHED_MS_MIN = 600_000;
