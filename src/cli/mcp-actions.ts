// What `plimsoll mcp --allow-actions` may start, and where: probes of machines, and jobs for the endpoints and files that the person named
// when starting it. The daemon's POST /mcp has no such tools: a client that may read may not load.

import { setTimeout as after } from 'node:timers/promises';
import * as v from 'valibot';
import { parseTargetUrl } from '../bench/target/target-url.ts';
import { systemClock } from '../clock/system-clock.ts';
import { counted } from '../core/figure/figure.ts';
import type { NodeId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { nodeName } from '../core/node/node-view.ts';
import type { Option } from '../core/option/option.ts';
import { documentEntries, documentTexts } from '../core/option/option-document.ts';
import type { Infer } from '../core/schema.ts';
import type { State } from '../core/state.ts';
import { JobRunner } from '../daemon/jobs/job-runner.ts';
import { quoted } from '../daemon/mcp/figure-fields.ts';
import { type McpAnswer, McpToolError, type McpToolHead, readArguments } from '../daemon/mcp/mcp-tool.ts';
import { NODE, nodeOf } from '../daemon/mcp/tool-arguments.ts';
import { type ProbesAnswer, type ProbeTarget, probesAnswerSchema } from '../wire/api/probe-answers.ts';
import { clusterNow } from './cluster-stream.ts';
import { CommandError } from './command-error.ts';
import { findDaemon } from './daemon-client.ts';
import { type CommandJob, loadJobKinds } from './job-kinds.ts';
import type { ProcessState } from './process-state.ts';

export interface McpAction extends McpToolHead {
  readonly isReadOnly: false;
  start(given: unknown): Promise<McpAnswer>;
}

/** What a person named: endpoints that may be loaded, machines that may be measured. */
export interface AllowedTargets {
  /** By the form that is shown: without credentials and query, because clients see the list. */
  readonly urls: ReadonlyMap<string, string>;
  /** Results of other tools that may be imported, as they were given. */
  readonly files: ReadonlyMap<string, string>;
  /** Names or ids; "cluster" is each of them. */
  readonly nodes: readonly string[];
}

/** @throws CommandError for a URL that cannot be loaded. */
export const allowedTargets = (given: readonly string[]): AllowedTargets => {
  const urls = new Map<string, string>();
  for (const url of given.filter(isUrl)) {
    const parsed = parseTargetUrl(url);
    if (parsed.kind === 'wrong')
      throw new CommandError('usage', `--allow-target: ${parsed.problem}`, parsed.advice);
    const { shown } = parsed.value;
    if (urls.has(shown) && urls.get(shown) !== url)
      throw new CommandError(
        'usage',
        `--allow-target: ${shown} is there twice, with other credentials or another query`,
        'Name it once: a client could not distinguish the two.',
      );
    urls.set(shown, url);
  }
  const others = given.filter(target => !isUrl(target));
  return {
    urls,
    files: new Map(others.filter(isFile).map(file => [file, file])),
    nodes: others.filter(target => !isFile(target)),
  };
};

const isUrl = (target: string): boolean => target.includes('://') || /^unix:/i.test(target);

const isFile = (target: string): boolean => /^\.{0,2}[\\/]/.test(target);

export interface ActionParts {
  readonly home: string;
  readonly state: ProcessState;
  /** Ends what was started. */
  readonly until: AbortSignal;
  /** An answer waits so long for a load test that cannot even begin. Default: 2 s. */
  readonly earlyMs?: number;
}

export const mcpActions = async (
  { urls, files, nodes }: AllowedTargets,
  parts: ActionParts,
): Promise<readonly McpAction[]> => {
  const { home, state, until, earlyMs } = parts;
  const runner = new JobRunner({ ...state, home, kinds: loadJobKinds }, 1);
  until.addEventListener('abort', () => void runner[Symbol.asyncDispose](), { once: true });
  const jobs = urls.size + files.size === 0 ? [] : await loadJobKinds();
  return [
    ...(nodes.length === 0 ? [] : [startProbe(nodes, parts)]),
    ...jobs.flatMap(job => {
      const targets = job.targets.includes('file') ? files : urls;
      return targets.size === 0 ? [] : [startJob(job, targets, { runner, earlyMs })];
    }),
  ];
};

const PROBE_INPUT = v.object({
  node: v.pipe(NODE, v.description('Whose devices are measured; with `to`, where the link begins.')),
  to: v.optional(NODE),
});

const PROBE_OUTPUT = v.object({
  probes: v.array(
    v.object({
      measuredBy: v.string(),
      what: v.string(),
      result: v.picklist(['started', 'queued', 'refused']),
      reason: v.string(),
    }),
  ),
  unreached: v.array(v.object({ node: v.string(), reason: v.string() })),
});

const startProbe = (nodes: readonly string[], { home, state, until }: ActionParts): McpAction => ({
  name: 'start_probe',
  title: 'Start a probe',
  description:
    'Measures the devices of a node, or with `to` the link to another one, now. It takes some seconds of the device or the cable, waits while another probe runs, and is refused while a runner is active. node_detail and worst_links return the figures.',
  input: PROBE_INPUT,
  output: PROBE_OUTPUT,
  isReadOnly: false,
  start: async given => {
    const { node, to } = readArguments(PROBE_INPUT, given);
    const signal = AbortSignal.any([until, AbortSignal.timeout(ANSWER_MS)]);
    const client = await findDaemon(home, state);
    const moment = await clusterNow(client, systemClock, signal);
    const source = allowedNode(moment.state, node, nodes);
    const subject: ProbeTarget =
      to === undefined
        ? { kind: 'gpu', nodeId: source }
        : { kind: 'link', source, sink: allowedNode(moment.state, to, nodes) };
    const answer = await client.answer(probesAnswerSchema, '/api/probes', signal, 'POST', { subject });
    const structured: Infer<typeof PROBE_OUTPUT> = {
      probes: answer.probes.slice(0, ROWS_REPORTED).map(({ node: by, subject: of, result, reason }) => ({
        measuredBy: quoted(nodeName(moment.state, by)),
        what: quoted(of.kind === 'gpu' ? of.deviceId : of.connectionKey),
        result,
        reason: quoted(reason),
      })),
      unreached: answer.unreached.slice(0, ROWS_REPORTED).map(({ node: of, reason }) => ({
        node: quoted(nodeName(moment.state, of)),
        reason: quoted(reason),
      })),
    };
    return { text: sentenceOf(answer), structured };
  },
});

const sentenceOf = ({ probes, unreached }: ProbesAnswer): string => {
  const count = (result: ProbesAnswer['probes'][number]['result']): number =>
    probes.filter(probe => probe.result === result).length;
  const isCut = probes.length > ROWS_REPORTED || unreached.length > ROWS_REPORTED;
  return `Of ${counted(probes.length, 'probe')} ${count('started')} have started, ${count('queued')} wait and ${count('refused')} are refused; nodes that were not reached: ${unreached.length}.${isCut ? ` The first ${ROWS_REPORTED} are listed.` : ''}`;
};

const allowedNode = (state: State, requested: string, nodes: readonly string[]): NodeId => {
  const id = nodeOf(state, requested);
  if (nodes.some(each => each === EVERY_NODE || each === id || each === nodeName(state, id))) return id;
  throw new McpToolError('this node is not among those that may be measured: --allow-target names them');
};

const JOB_OUTPUT = v.object({
  id: v.pipe(v.string(), v.description('Of the run in list_runs, and of the sweep, line or comparison.')),
  state: v.picklist(['running', 'ended', 'failed', 'stopped']),
  reason: v.string(),
});

/** The options that people need first, with the limits of a client that no person watches. */
const startJob = (
  job: CommandJob,
  targets: ReadonlyMap<string, string>,
  { runner, earlyMs = EARLY_MS }: { readonly runner: JobRunner; readonly earlyMs?: number | undefined },
): McpAction => {
  const offered = job.options.filter(
    option =>
      option.isCommon === true &&
      !job.targets.includes(option.name) &&
      option.reads?.(ANY_TEXT) === undefined,
  );
  const target = v.pipe(v.picklist([...targets.keys()]), v.description('Of those that a person has named.'));
  const input = v.object({
    ...Object.fromEntries(job.targets.map(name => [name, target])),
    ...documentEntries(offered),
  });
  return {
    name: `start_${job.command}`,
    title: `Start plimsoll ${job.command}`,
    description: `${job.summary}. One at a time; list_runs shows the runs while they are in progress, run_report when they have ended.`,
    input,
    output: JOB_OUTPUT,
    isReadOnly: false,
    start: async given => {
      const request: JsonObject = { ...readArguments(input, given) };
      if (runner.isFull)
        throw new McpToolError('something that was started here is in progress: try again when it has ended');
      checkCaps(offered, request);
      const named = Object.fromEntries(
        job.targets.map(name => [name, targets.get(String(request[name])) ?? request[name]]),
      );
      const started = runner.start(job, { ...request, ...named }, job.targets.includes('file'));
      if (started.kind === 'wrong') throw new McpToolError(`${started.problem}. ${started.advice}`);
      const { jobId } = started.value;
      await Promise.race([runner.find(jobId)?.ended, after(earlyMs, undefined, { ref: false })]);
      const { state, messages } = runner.find(jobId)?.job ?? started.value;
      const reason = state === 'failed' ? quoted(messages.at(-1) ?? '') : '';
      const structured: Infer<typeof JOB_OUTPUT> = { id: jobId, state, reason };
      return { text: `What was started ${OUTCOMES[state]}.`, structured };
    },
  };
};

/** @throws McpToolError */
const checkCaps = (offered: readonly Option<unknown>[], request: JsonObject): void => {
  for (const option of offered) {
    const cap = CAPS[option.name];
    const given = request[option.name];
    if (cap === undefined || given === undefined) continue;
    const texts = documentTexts(option, given);
    const read = texts.kind === 'ok' ? option.read(texts.value) : texts;
    if (read.kind === 'wrong') throw new McpToolError(`${option.name}: ${read.problem}. ${read.advice}`);
    if ([read.value].flat().some(value => typeof value === 'number' && value > cap))
      throw new McpToolError(`${option.name} may be at most ${cap}${cap >= 60_000 ? ' ms' : ''} here`);
  }
};

/** By the name of an option; times in ms. */
const CAPS: Readonly<Record<string, number>> = {
  concurrency: 64,
  rate: 200,
  rates: 200,
  'load-max': 200,
  requests: 10_000,
  duration: 300_000,
  budget: 1_800_000,
  pairs: 12,
};
const OUTCOMES = {
  running: 'is in progress',
  ended: 'has ended',
  failed: 'did not succeed',
  stopped: 'was stopped',
} as const;
/** An option that reads it reads every text that it is given. */
const ANY_TEXT = '1';
const EVERY_NODE = 'cluster';
const ANSWER_MS = 10_000;
const ROWS_REPORTED = 32;
/** What cannot begin, because nobody answers there, is known by then. */
const EARLY_MS = 2_000;
