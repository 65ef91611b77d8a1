// A server that a command line started for a comparison: refused if something replies already at its address, awaited
// until it replies, and ended with its whole process group by its supervisor.

import * as v from 'valibot';
import type { Env } from '../../process/child.ts';
import { entryUrl } from '../../process/entry.ts';
import { type OwnProcess, startOwnProcess } from '../../process/own-process.ts';
import { BenchError } from '../bench-error.ts';
import { type AwaitedServer, awaitServer, serverState } from '../target/await-server.ts';
import { SUPERVISOR_VARIABLE, type SupervisorOrder, supervisorMessageSchema } from './supervisor-message.ts';

interface StartedServerOptions extends AwaitedServer {
  /** Side for people: "A". */
  readonly side: string;
  /** The command as it was typed, for /bin/sh. Written nowhere. */
  readonly command: string;
  readonly cwd: string;
  /** Absolute path of the file for the server's output. */
  readonly log: string;
  /** Environment of the server. */
  readonly env: Env;
  readonly nodePath: string;
  readonly startMsMax: number;
}

export interface StartedServer extends AsyncDisposable {
  /** @throws BenchError if the server has ended. */
  check(): void;
}

/** Resolves when it replies. @throws BenchError; the signal's reason. Nothing is left running. */
export const startServer = async (
  options: StartedServerOptions,
  signal: AbortSignal,
): Promise<StartedServer> => {
  const { side, command, cwd, log, target } = options;
  if ((await serverState(options, signal)) !== 'nobody')
    throw new BenchError({
      code: 'unreachable',
      problem: `something answers at ${target.shown} already, before ${side} was started`,
      advice: 'End it, or choose another port for the server that the comparison starts.',
    });
  const order: SupervisorOrder = { command, cwd, log };
  let ended: string | undefined;
  const supervisor = await startOwnProcess({
    entry: entryUrl(import.meta.url, './server-supervisor-process.ts'),
    args: [],
    nodePath: options.nodePath,
    env: { ...options.env, [SUPERVISOR_VARIABLE]: JSON.stringify(order) },
    readyTimeoutMs: SUPERVISOR_MS_MAX,
    signal,
    onMessage: message => {
      const parsed = v.safeParse(supervisorMessageSchema, message);
      if (parsed.success && parsed.output.kind === 'exited') ended = parsed.output.reason;
    },
  });
  const check = (): void => {
    if (ended === undefined) return;
    throw new BenchError({
      code: 'unreachable',
      problem: `the server of ${side} has ended: ${ended}`,
      advice: `What it printed is in ${log}`,
    });
  };
  try {
    await awaitServer(
      options,
      {
        waitMs: options.startMsMax,
        problem: `the server of ${side} did not answer at ${target.shown} within ${Math.round(options.startMsMax / 1000)} s`,
        advice: `Give it more time with --start-timeout; what it printed is in ${log}`,
        check,
      },
      signal,
    );
    // A reply may come from another server when the one that we started has just ended.
    check();
    return { check, [Symbol.asyncDispose]: () => stopSupervisor(supervisor) };
  } catch (error) {
    await stopSupervisor(supervisor);
    throw error;
  }
};

const stopSupervisor = async (supervisor: OwnProcess): Promise<void> => {
  await supervisor.stop(SUPERVISOR_STOP_MS);
};

const SUPERVISOR_MS_MAX = 10_000;
/** Added to the grace period that the supervisor gives the server, ms. */
const SUPERVISOR_STOP_MS = 15_000;
