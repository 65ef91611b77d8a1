// Lends this machine to coordinators of the cluster, if its config allows it: one at a time, each with its own process that loads
// only what the config lists. Meanwhile state contains a benchmark here, so that probes wait.

import { join } from 'node:path';
import type { AgentLoad } from '../bench/agent/session-parts.ts';
import { type AgentProcess, startAgentProcess } from '../bench/agent/start-agent-process.ts';
import { type Clock, pause, untilAborted } from '../clock/clock.ts';
import { AddressBuckets } from '../clock/token-bucket.ts';
import type { BenchConfig } from '../config/config.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import { nodeName } from '../core/node/node-view.ts';
import { errorMessage, ProblemError } from '../core/problem.ts';
import type { State } from '../core/state.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import type { Requests } from '../mesh/requests.ts';
import type { Env } from '../process/child.ts';
import { AGENT_QUERY_TOPIC, type AgentAnswer, refusedAgent } from '../wire/agent-query.ts';

interface AgentServerParts {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact) => unknown;
  readonly home: string;
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly version: string;
  readonly config: () => BenchConfig;
  readonly nodeOf: (target: string) => NodeId | Unknown;
  /** undefined without a mesh. */
  readonly requests: Requests | undefined;
}

export class AgentServer {
  readonly #parts: AgentServerParts;
  readonly #requests: AddressBuckets;
  readonly #stop = new AbortController();
  #active: AgentProcess | undefined;
  /** Between the question and the process. */
  #isStarting = false;
  #load: AgentLoad | undefined;

  constructor(parts: AgentServerParts) {
    this.#parts = parts;
    this.#requests = new AddressBuckets(parts.clock, REQUEST_RATE, REQUESTERS_MAX);
  }

  /** Answers peers, and reports what is loaded, until the signal aborts; then no process is left. */
  async run(signal: AbortSignal): Promise<void> {
    const { requests, clock } = this.#parts;
    const end = requests?.serve(AGENT_QUERY_TOPIC, async ({ from }) => ({
      kind: 'answer',
      body: { ...(await this.lend(from)) },
    }));
    try {
      for (; !signal.aborted; await pause(clock, LEASE_REPEAT_MS, signal)) this.#report();
    } finally {
      end?.();
      this.#stop.abort(new Error('the daemon is stopping'));
      await this.#active?.[Symbol.asyncDispose]();
    }
  }

  /** To a peer, or to a coordinator on this machine. Never rejects for what they can cause. */
  async lend(to: NodeId): Promise<AgentAnswer> {
    const config = this.#parts.config();
    const name = nodeName(this.#parts.state(), this.#parts.nodeId);
    if (!config.isAgent || config.targets.length === 0) {
      const what = config.isAgent ? 'has no targets listed that it may load' : 'makes no load for others';
      return refusedAgent('not-allowed', `${name} ${what}`, ALLOW_ADVICE);
    }
    if (!this.#requests.of(to).take())
      return refusedAgent('busy', `${name} received too many requests`, 'Wait some seconds.');
    if (!(await this.#isFree()))
      return refusedAgent('busy', `${name} works for another coordinator`, BUSY_ADVICE);
    this.#isStarting = true;
    try {
      const agent = await this.#start(config, name);
      return { kind: 'granted', port: agent.port, ticket: agent.ticket };
    } catch (error) {
      const { problem, advice } =
        error instanceof ProblemError ? error.problem : { problem: errorMessage(error), advice: '' };
      return refusedAgent('failed', `${name}: ${problem}`, advice);
    } finally {
      this.#isStarting = false;
    }
  }

  async #start(config: BenchConfig, name: string): Promise<AgentProcess> {
    const { env, nodePath, version, home } = this.#parts;
    const { port, ...policy } = config;
    const agent = await startAgentProcess({
      argument: {
        port: port ?? 0,
        policy,
        name,
        version,
        folder: join(home, 'agent'),
        waitMsMax: TICKET_MS_MAX,
      },
      env,
      nodePath,
      signal: this.#stop.signal,
      onLoad: load => {
        this.#load = load;
        this.#report();
      },
    });
    this.#active = agent;
    void agent.exited.then(() => {
      if (this.#active !== agent) return;
      this.#active = undefined;
      this.#load = undefined;
    });
    return agent;
  }

  /** The process of the run before may need a moment more to end: a sweep asks again at once. */
  async #isFree(): Promise<boolean> {
    if (this.#isStarting) return false;
    const active = this.#active;
    if (active === undefined) return true;
    if (this.#load !== undefined) return false;
    const over = new AbortController();
    const stopped = untilAborted(this.#stop.signal);
    await Promise.race([active.exited, stopped, pause(this.#parts.clock, LEAVE_MS_MAX, over.signal)]);
    over.abort();
    return this.#active === undefined && !this.#isStarting;
  }

  /** A lease that ends by itself, like that of a run of this machine. */
  #report(): void {
    if (this.#load === undefined) return;
    this.#parts.record({
      kind: 'runner.reported',
      payload: {
        runnerKey: 'agent',
        source: 'run',
        targetNode: this.#parts.nodeOf(this.#load.target),
        requestsInFlight: unknown('its coordinator knows'),
      },
    });
  }
}

const ALLOW_ADVICE =
  'The person who runs it can allow it there: [bench] agent = true and targets = ["https://…"] in its config.toml.';
const BUSY_ADVICE = 'Wait until that run is over, or use another node.';
/** Of one node: a search for a load line asks once a stage. */
const REQUEST_RATE = { burst: 16, perSecond: 0.5 };
const REQUESTERS_MAX = 1_024;
/** From the answer to the coordinator's connection. */
const TICKET_MS_MAX = 30_000;
const LEAVE_MS_MAX = 3_000;
const LEASE_REPEAT_MS = 2_000;
