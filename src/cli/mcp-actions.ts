// What `plimsoll mcp --allow-actions` may start, and where: probes of machines and loads of endpoints that the person named when
// starting it, with the limits of the command line. The daemon's POST /mcp has no such tools: a client that may read may not load.

import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import * as v from 'valibot';
import { parseTargetUrl } from '../bench/target/target-url.ts';
import { systemClock } from '../clock/system-clock.ts';
import { counted } from '../core/figure/figure.ts';
import type { NodeId } from '../core/ids.ts';
import { nodeName } from '../core/node/node-view.ts';
import type { Infer } from '../core/schema.ts';
import type { State } from '../core/state.ts';
import { lastLine } from '../core/text/single-line.ts';
import { quoted } from '../daemon/mcp/figure-fields.ts';
import { type McpAnswer, McpToolError, type McpToolHead, readArguments } from '../daemon/mcp/mcp-tool.ts';
import { countFrom, NODE, nodeOf } from '../daemon/mcp/tool-arguments.ts';
import { runTool, type ToolResult } from '../process/child.ts';
import { type ProbesAnswer, type ProbeTarget, probesAnswerSchema } from '../wire/api/probe-answers.ts';
import { clusterNow } from './cluster-stream.ts';
import { CommandError } from './command-error.ts';
import { findDaemon } from './daemon-client.ts';
import type { ProcessState } from './process-state.ts';

export interface McpAction extends McpToolHead {
  readonly isReadOnly: false;
  start(given: unknown): Promise<McpAnswer>;
}

/** What a person named: endpoints that may be loaded, machines that may be measured. */
export interface AllowedTargets {
  /** By the form that is shown: without credentials and query, because clients see the list. */
  readonly urls: ReadonlyMap<string, string>;
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
  return { urls, nodes: given.filter(target => !isUrl(target)) };
};

const isUrl = (target: string): boolean => target.includes('://') || /^unix:/i.test(target);

export interface ActionParts {
  readonly home: string;
  readonly state: ProcessState;
  /** Ends what was started. */
  readonly until: AbortSignal;
  /** An answer waits so long for a load test that cannot even begin. Default: 2 s. */
  readonly earlyMs?: number;
}

export const mcpActions = ({ urls, nodes }: AllowedTargets, parts: ActionParts): readonly McpAction[] => [
  ...(nodes.length === 0 ? [] : [startProbe(nodes, parts)]),
  ...(urls.size === 0 ? [] : [startBench(urls, parts)]),
];

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

const BENCH_OUTPUT = v.object({
  name: v.pipe(v.string(), v.description('The name of the run in list_runs.')),
  state: v.picklist(['running', 'ended', 'failed']),
  reason: v.string(),
});

const startBench = (
  urls: AllowedTargets['urls'],
  { home, state, until, earlyMs = EARLY_MS }: ActionParts,
): McpAction => {
  const input = v.object({
    target: v.pipe(v.picklist([...urls.keys()]), v.description('Endpoints that may be loaded.')),
    concurrency: countFrom({ least: 1, most: 64, usual: 8, what: 'Requests at once' }),
    seconds: countFrom({ least: 5, most: 300, usual: 30, what: 'How long' }),
  });
  let running: string | undefined;
  return {
    name: 'start_bench',
    title: 'Start a load test',
    description:
      'Loads an endpoint with requests, one test at a time. list_runs shows it while it runs, run_report when it has ended; use the name in the reply.',
    input,
    output: BENCH_OUTPUT,
    isReadOnly: false,
    start: async given => {
      const { target, concurrency, seconds } = readArguments(input, given);
      if (running !== undefined)
        throw new McpToolError(
          'a load test that was started here is in progress: try again when it has ended',
        );
      const name = `asked-${randomBytes(4).toString('hex')}`;
      running = name;
      const args = [
        ...['bench', urls.get(target) ?? target, '--quiet', '--json', `--home=${home}`, `--name=${name}`],
        ...[`--concurrency=${concurrency}`, `--duration=${seconds}s`],
      ];
      const ended = runTool(state.nodePath, [state.script, ...args], {
        env: state.env,
        signal: until,
        timeoutMs: seconds * 1_000 + LONGER_MS,
      }).finally(() => (running = undefined));
      // A later failure is reported by list_runs.
      ended.catch(() => undefined);
      const first = await Promise.race([ended, after(earlyMs, undefined, { ref: false })]);
      const structured: Infer<typeof BENCH_OUTPUT> = { name, ...outcomeOf(first) };
      return { text: `The load test ${OUTCOMES[structured.state]}.`, structured };
    },
  };
};

const outcomeOf = (
  result: ToolResult | undefined,
): { readonly state: 'running' | 'ended' | 'failed'; readonly reason: string } => {
  if (result === undefined) return { state: 'running', reason: '' };
  if (result.kind !== 'exited') return { state: 'failed', reason: quoted(result.reason) };
  return result.code === 0
    ? { state: 'ended', reason: '' }
    : { state: 'failed', reason: quoted(lastLine(result.stderr)) };
};

const OUTCOMES = { running: 'runs', ended: 'has ended', failed: 'did not succeed' } as const;
const EVERY_NODE = 'cluster';
const ANSWER_MS = 10_000;
const ROWS_REPORTED = 32;
/** What cannot begin, because nobody answers there, is known by then. */
const EARLY_MS = 2_000;
/** A run drains, and looks for the model before it begins. */
const LONGER_MS = 120_000;
