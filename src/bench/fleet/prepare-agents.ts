// Everything before the start of a run on several machines: the agents, the server's properties, the requests of all,
// and the offsets of their clocks. All are ready, or none begins.

import { counted, formatCount } from '../../core/figure/figure.ts';
import { AGENTS_MAX } from '../../core/run/live-agent.ts';
import { judgedObjectives, objectiveFields } from '../../core/run/objective.ts';
import { isOfSessions } from '../../core/run/run-shape.ts';
import { knownOr } from '../../core/unknown.ts';
import type { WantedFacts } from '../../wire/agent-message.ts';
import type { AgentRequest } from '../../wire/agent-request.ts';
import { BenchError } from '../bench-error.ts';
import { type PlannedPrompts, type PromptOptions, plannedPrompts } from '../dataset/planned-prompts.ts';
import { type LoadPlan, loadDigest } from '../load/load-plan.ts';
import type { BenchParts } from '../run/bench-parts.ts';
import type { BenchRequest } from '../run/bench-request.ts';
import { contextNotices } from '../run/context-room.ts';
import { threadsFor } from '../run/load-size.ts';
import { loadPlan } from '../run/run-plan.ts';
import type { ServerSurvey } from '../run/survey-server.ts';
import { shareOf, WHOLE_LOAD } from '../schedule/arrivals.ts';
import { type AgentLink, AgentLostError, type AgentReplyOf, lossText } from './agent-link.ts';
import { type ClockOffset, clockErrorNsMax } from './clock-offset.ts';
import { deflatedParts } from './file-parts.ts';
import { LiveFacts } from './live-facts.ts';
import { medianGapNs } from './planned-arrivals.ts';
import { arrivedSurvey, linesOfDataset, travellingRequest, travellingSurvey } from './travelling-request.ts';

export interface PreparedAgent {
  readonly link: AgentLink;
  readonly hello: AgentReplyOf<'hello'>;
  readonly ready: AgentReplyOf<'ready'>;
  /** Measured before the start. */
  readonly clock: ClockOffset;
}

export interface PreparedFleet {
  readonly survey: ServerSurvey;
  readonly dataset: PlannedPrompts;
  readonly plan: LoadPlan;
  readonly agents: readonly PreparedAgent[];
  readonly notices: readonly string[];
}

interface FleetPreparation {
  /** With its warm-up requests counted. */
  readonly request: BenchRequest;
  readonly parts: BenchParts;
  readonly prompts: PromptOptions;
  readonly links: readonly AgentLink[];
}

/**
 * @throws BenchError for a request that cannot be split, and if an agent refuses or is lost; the reason of `stop`.
 */
export const prepareAgents = async ({
  request,
  parts,
  prompts,
  links,
}: FleetPreparation): Promise<PreparedFleet> => {
  const { runId, startedAt, noncePrefix, settings, stop } = parts;
  const judged = judgedObjectives(objectiveFields(request.objectives, request.attainment));
  const facts = LiveFacts.wanted({ tap: parts.tap, judged });
  checkSplit(request, links.length);
  try {
    const hellos = await inTime(Promise.all(links.map(link => link.receive('hello'))), parts, HELLO_MS_MAX);
    const warmupRequests = request.warmup.kind === 'requests' ? request.warmup.count : 0;
    const requested = travellingRequest(request, { prompts, runId, startedAt, noncePrefix, warmupRequests });
    await Promise.all(links.map(link => sendDataset(link, prompts)));
    const survey = await inTime(surveyed(links, requested), parts, SURVEY_MS_MAX);
    const dataset = plannedPrompts(prompts, survey.costs);
    const plan = loadPlan({
      request,
      dataset,
      server: survey,
      cores: parts.environment.cores,
      noncePrefix,
      heartbeatMsMax: settings.heartbeatMsMax,
      share: WHOLE_LOAD,
    });
    const readies = await inTime(readyAll(links, requested, { survey, plan, facts }), parts, READY_MS_MAX);
    checkPorts(plan, links, readies);
    // One after the other: parallel round trips would lengthen each other.
    const clocks: ClockOffset[] = [];
    for (const link of links) clocks.push(await inTime(link.reportTime(stop), parts, CLOCK_MS_MAX));
    checkClocks(plan, links, clocks);
    const agents = links.flatMap((link, index): PreparedAgent[] => {
      const [hello, ready, clock] = [hellos[index], readies[index], clocks[index]];
      return hello === undefined || ready === undefined || clock === undefined
        ? []
        : [{ link, hello, ready, clock }];
    });
    const notices = agents.flatMap(({ link, ready }) => ready.notices.map(text => `${link.name}: ${text}`));
    return {
      survey,
      dataset,
      plan,
      agents,
      notices: [...contextNotices(survey, dataset), ...survey.notices, ...notices],
    };
  } catch (error) {
    throw error instanceof AgentLostError ? lostBefore(links, error) : error;
  }
};

/** One request for each possible load thread, as with a single machine, and at least one for each agent. */
export const countedWarmup = (request: BenchRequest, agents: number): BenchRequest => {
  if (request.warmup.kind !== 'default') return request;
  const threads = threadsFor(request, Number.POSITIVE_INFINITY);
  return { ...request, warmup: { kind: 'requests', count: Math.max(agents, threads) } };
};

const checkSplit = ({ pattern, shape, samplesMax }: BenchRequest, agents: number): void => {
  const input = (problem: string, advice: string): BenchError =>
    new BenchError({ code: 'input', problem, advice });
  if (agents > AGENTS_MAX)
    throw input(`${agents} agents are more than a run can have`, `Name at most ${AGENTS_MAX}.`);
  // A session stays on one agent.
  const what = isOfSessions(shape) ? 'session' : 'request';
  if (samplesMax !== undefined && samplesMax < agents)
    throw input(
      `${formatCount(samplesMax)} ${samplesMax === 1 ? what : `${what}s`} cannot be split over ${counted(agents, 'agent')}`,
      `Use --${what}s ${agents} or more, or fewer agents.`,
    );
  const placed = knownOr(shape.sessions, undefined)?.concurrencyOf ?? 'requests';
  if (pattern.kind === 'concurrency' && pattern.concurrency < agents)
    throw input(
      `${formatCount(pattern.concurrency)} ${placed} at a time cannot be split over ${counted(agents, 'agent')}`,
      `Use --concurrency ${agents} or more, or fewer agents.`,
    );
  const cap = knownOr(shape.inFlightCap, Number.POSITIVE_INFINITY);
  if (cap < agents)
    throw input(
      `--max-in-flight ${cap} cannot be split over ${counted(agents, 'agent')}`,
      `Use --max-in-flight ${agents} or more, or fewer agents.`,
    );
};

const sendDataset = async (link: AgentLink, { file }: PromptOptions): Promise<void> => {
  if (file === undefined) return;
  for await (const part of deflatedParts(linesOfDataset(file))) await link.send({ kind: 'dataset', ...part });
};

const surveyed = async ([first]: readonly AgentLink[], request: AgentRequest): Promise<ServerSurvey> => {
  if (first === undefined)
    throw new BenchError({ code: 'input', problem: 'no agent was named', advice: 'Name one with --from.' });
  await first.send({ kind: 'survey', request });
  return arrivedSurvey((await first.receive('surveyed')).survey);
};

const readyAll = async (
  links: readonly AgentLink[],
  requested: AgentRequest,
  {
    survey,
    plan,
    facts,
  }: Pick<PreparedFleet, 'survey' | 'plan'> & { readonly facts: WantedFacts | undefined },
): Promise<readonly AgentReplyOf<'ready'>[]> => {
  const { model } = survey;
  const promptsDigest = loadDigest(plan);
  const reported = travellingSurvey(survey);
  return await Promise.all(
    links.map(async (link, index) => {
      const share = { index, of: links.length };
      const wanted = facts === undefined ? {} : { facts };
      const request = { ...requested, model };
      await link.send({ kind: 'prepare', request, share, survey: reported, promptsDigest, ...wanted });
      return await link.receive('ready');
    }),
  );
};

/** Each connection to one target uses one port of its source address; a closed one occupies it for another minute. */
const checkPorts = (
  { connections, pattern }: LoadPlan,
  links: readonly AgentLink[],
  readies: readonly AgentReplyOf<'ready'>[],
): void => {
  for (const [index, { ephemeralPorts }] of readies.entries()) {
    const ports = knownOr(ephemeralPorts, EPHEMERAL_PORTS);
    const needed = shareOf(connections.opened, { index, of: links.length });
    if (needed <= ports) continue;
    throw new BenchError({
      code: 'input',
      problem: `${links[index]?.name} would open ${formatCount(needed)} connections to one target, and its system gives out ${formatCount(ports)} ports`,
      advice:
        pattern.kind === 'concurrency'
          ? 'Use more agents, or a smaller --concurrency.'
          : 'Use more agents, or a lower rate.',
    });
  }
};

const checkClocks = (plan: LoadPlan, links: readonly AgentLink[], clocks: readonly ClockOffset[]): void => {
  const limitNs = clockErrorNsMax(medianGapNs(plan, links.length));
  for (const [index, { errorNs }] of clocks.entries()) {
    if (errorNs <= limitNs) continue;
    throw new BenchError({
      code: 'input',
      problem: `the clock of ${links[index]?.name} is known to ${ms(errorNs)} only, and this schedule needs ${ms(limitNs)}`,
      advice: 'Use agents with shorter round trips to this machine, a lower rate, or --concurrency.',
    });
  }
};

const inTime = async <T>(work: Promise<T>, { clock, stop }: BenchParts, limitMs: number): Promise<T> => {
  const over = new AbortController();
  const late = clock.sleep(limitMs, AbortSignal.any([stop, over.signal])).then(() => {
    throw new BenchError({
      code: 'failed',
      problem: `the agents were not ready within ${limitMs / 1_000} s`,
      advice: 'Are they and the target up? Look at what `plimsoll agent` prints there.',
    });
  });
  try {
    return await Promise.race([work, late]); // the loser's rejection is handled, too
  } finally {
    over.abort();
  }
};

const lostBefore = (links: readonly AgentLink[], cause: AgentLostError): BenchError => {
  const lost = links.find(({ loss }) => loss === cause.loss);
  const { loss } = cause;
  const code = loss.kind === 'refused' ? codeOf(loss.problem.code) : 'failed';
  const advice =
    loss.kind === 'refused'
      ? loss.problem.advice
      : 'Nothing was started on the others. Is it up, and can this machine reach it?';
  return new BenchError(
    { code, problem: `${lost?.name ?? 'an agent'}: ${lossText(loss)}`, advice },
    { cause },
  );
};

const codeOf = (code: string): 'unreachable' | 'prompts-differ' | 'rejected' | 'input' | 'failed' => {
  switch (code) {
    case 'unreachable':
    case 'prompts-differ':
    case 'rejected':
    case 'failed':
      return code;
    default:
      return 'input';
  }
};

const ms = (ns: number): string => `${Number((ns / 1e6).toPrecision(2))} ms`;

const HELLO_MS_MAX = 10_000;
/** Calibration of words takes up to 120 s on a slow server. */
const SURVEY_MS_MAX = 180_000;
/** Time for connections, and for a warm-up of a server that may load its model first. */
const READY_MS_MAX = 600_000;
const CLOCK_MS_MAX = 30_000;
/** Linux's default range, 32768 to 60999 (Documentation/networking/ip-sysctl.rst). */
const EPHEMERAL_PORTS = 28_232;
