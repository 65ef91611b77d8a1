// Starts the process of an agent for one ticket, and follows its messages.

import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import { type OwnProcess, startOwnProcess } from '../../process/own-process.ts';
import { BenchError } from '../bench-error.ts';
import { AGENT_ARGUMENT_VARIABLE, type AgentArgument, agentProcessMessageSchema } from './child-argument.ts';
import type { AgentLoad } from './session-parts.ts';

interface AgentProcessOptions {
  readonly argument: Omit<AgentArgument, 'ticket'>;
  /** Contains the keys that the policy names. */
  readonly env: Env;
  /** process.execPath */
  readonly nodePath: string;
  readonly signal: AbortSignal;
  readonly onLoad: (load: AgentLoad | undefined) => void;
}

export interface AgentProcess extends AsyncDisposable {
  readonly port: number;
  readonly ticket: string;
  readonly pid: number;
  /** Never rejects. */
  readonly exited: Promise<unknown>;
}

/** @throws BenchError when it cannot listen; OwnProcessError when it does not start; the signal's reason. */
export const startAgentProcess = async (options: AgentProcessOptions): Promise<AgentProcess> => {
  const ticket = randomBytes(TICKET_BYTES).toString('hex');
  const argument: AgentArgument = { ...options.argument, ticket };
  const child: OwnProcess = await startOwnProcess({
    entry: entryUrl(import.meta.url, './agent-process.ts'),
    args: [],
    nodePath: options.nodePath,
    env: { ...options.env, [AGENT_ARGUMENT_VARIABLE]: JSON.stringify(argument) },
    readyTimeoutMs: READY_MS_MAX,
    signal: options.signal,
    onMessage: message => {
      const parsed = v.safeParse(agentProcessMessageSchema, message);
      if (parsed.success && parsed.output.kind === 'load') options.onLoad(parsed.output.load ?? undefined);
    },
  });
  const ready = v.safeParse(agentProcessMessageSchema, child.ready);
  if (!ready.success || ready.output.kind !== 'listening') {
    await child.kill();
    const reason = ready.success && ready.output.kind === 'cannot-listen' ? ready.output.reason : 'no answer';
    throw new BenchError({
      code: 'failed',
      problem: `its agent cannot listen: ${reason}`,
      advice: 'Check [bench] port in its config.toml, and whether another program has that port.',
    });
  }
  return {
    port: ready.output.port,
    ticket,
    pid: child.pid,
    exited: child.exited,
    [Symbol.asyncDispose]: async () => {
      await child.stop(STOP_MS_MAX);
    },
  };
};

/** 128 bits cannot be guessed in the half minute that a ticket waits. */
const TICKET_BYTES = 16;
const READY_MS_MAX = 20_000;
/** A load that is stopped is reported to its coordinator first. */
const STOP_MS_MAX = 5_000;
