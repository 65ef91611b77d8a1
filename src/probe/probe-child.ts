// Runs one measurement in a child process and returns its result. Foreign libraries hang, crash and leave threads that
// cannot be stopped: killing the child at its deadline ends all of that.

import * as v from 'valibot';
import { lastLine } from '../core/text/single-line.ts';
import type { Env } from '../process/child.ts';
import { OwnProcessError, type OwnProcessExit, startOwnProcess } from '../process/own-process.ts';
import type { ProbeText } from './probe-answer.ts';

interface ProbeChildOptions {
  /** From `entryUrl`; the entry calls `answerParent`. */
  readonly entry: URL;
  /** Its request, as JSON. */
  readonly request: unknown;
  /** process.execPath */
  readonly nodePath: string;
  readonly env: Env;
  /** From its start to its result. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

export type ProbeAnswer =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * No child is left behind, however it ends.
 * @throws only the signal's reason, when it aborts.
 */
export const runProbeChild = async (options: ProbeChildOptions): Promise<ProbeAnswer> => {
  const { deadlineMs, signal } = options;
  const name =
    options.entry.pathname
      .split('/')
      .at(-1)
      ?.replace(/-process\.[tj]s$/, '') ?? 'probe';
  const deadline = AbortSignal.timeout(deadlineMs);
  const late: ProbeAnswer = { kind: 'failed', reason: `${name} gave no answer in ${deadlineMs / 1_000} s` };
  try {
    await using child = await startOwnProcess({
      entry: options.entry,
      args: [JSON.stringify(options.request)],
      nodePath: options.nodePath,
      env: options.env,
      readyTimeoutMs: deadlineMs,
      signal,
    });
    const kill = (): void => void child.kill();
    const ends = AbortSignal.any([signal, deadline]);
    ends.addEventListener('abort', kill, { once: true });
    if (ends.aborted) kill();
    const exit = await child.exited;
    ends.removeEventListener('abort', kill);
    signal.throwIfAborted();
    const message = v.safeParse(textSchema, exit.lastMessage);
    if (exit.code === 0 && message.success) {
      return message.output.kind === 'answer'
        ? { kind: 'answered', answer: message.output.answer }
        : { kind: 'failed', reason: message.output.reason.slice(0, REASON_LENGTH_MAX) };
    }
    return deadline.aborted ? late : { kind: 'failed', reason: `${name} ${endingOf(exit)}` };
  } catch (error) {
    if (!(error instanceof OwnProcessError)) throw error;
    return error.code === 'not-ready' ? late : { kind: 'failed', reason: error.message };
  }
};

const endingOf = ({ code, signal, stderr }: OwnProcessExit): string => {
  const how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was killed by ${signal}`;
  const reported = lastLine(stderr);
  return reported === '' ? `${how} without a message` : `${how}: ${reported.slice(0, REASON_LENGTH_MAX)}`;
};

const textSchema: v.GenericSchema<unknown, ProbeText> = v.variant('kind', [
  v.object({ kind: v.literal('answer'), answer: v.unknown() }),
  v.object({ kind: v.literal('failed'), reason: v.string() }),
]);

const REASON_LENGTH_MAX = 300;
