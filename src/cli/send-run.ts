// Sends a finished run to a receiver of OpenTelemetry. It never fails the run: what could not be sent is reported.

import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { counted } from '../core/figure/figure.ts';
import { errorCode } from '../core/problem.ts';
import type { Report } from '../core/run/report.ts';
import { shellCommand } from '../core/text/shell-words.ts';
import { runFiles } from '../metrics/run-files.ts';
import { sendOtlp } from '../report/otlp/otlp-sender.ts';
import { runTelemetry } from '../report/otlp/run-telemetry.ts';
import type { ProcessState } from './process-state.ts';

/**
 * Reports on standard error what was sent and what was not. After a stop it waits a few seconds at most; a second stop ends that too.
 * @returns whether all of it was taken
 */
export const sendRun = async (
  { run, interrupted }: Pick<Report, 'run' | 'interrupted'>,
  directory: string,
  endpoint: string,
  { program, stderr, version, ...state }: ProcessState,
  { limit, budget }: Sending = sendingOf(state),
): Promise<boolean> => {
  const print = async (text: string): Promise<false> => {
    await stderr.write(`plimsoll: ${text}\n`);
    return false;
  };
  const again = `To send it: ${program} ${shellCommand`report ${directory} --otlp ${endpoint}`}`;
  const signal = limit();
  try {
    signal.throwIfAborted();
    const messages = await runTelemetry(run, runFiles(directory).samples, {
      version,
      isInterrupted: interrupted,
    });
    if (messages.length === 0) return await print('nothing was sent to --otlp: no request was measured');
    const { sent, dropped, problem } = await budget.spend(budgetMs =>
      sendOtlp(endpoint, messages, { clock: systemClock, signal, budgetMs }),
    );
    if (problem !== undefined)
      return await print(
        `${dropped} of ${counted(messages.length, 'message')} of OTLP were not taken: ${problem}${dropped === 0 ? '' : `\n${again}`}`,
      );
    await print(
      `sent to ${endpoint}: ${counted(sent, 'message')} of OTLP${interrupted ? ', marked as of an interrupted run' : ''}`,
    );
    return true;
  } catch (error) {
    if (signal.aborted) return await print(`the sending to --otlp was stopped\n${again}`);
    const code = errorCode(error);
    if (code === undefined) throw error;
    return await print(`nothing was sent to --otlp: samples.jsonl cannot be read (${code})`);
  }
};

/** Of all that one command sends. */
interface Sending {
  readonly limit: SendingLimit;
  readonly budget: SendingBudget;
}

export const sendingOf = (state: Pick<ProcessState, 'stop' | 'takeSecondStop'>): Sending => ({
  limit: sendingLimitOf(state),
  budget: new SendingBudget(systemClock),
});

/** What a command may take longer because of what it sends: a receiver that is slow must not be waited for. */
export class SendingBudget {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #leftMs = SENDING_MS_MAX;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  async spend<T>(send: (leftMs: number) => Promise<T>): Promise<T> {
    const fromMs = this.#clock.nowMs();
    try {
      return await send(this.#leftMs);
    } finally {
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.nowMs() - fromMs));
    }
  }
}

/** Ends what is being sent. */
type SendingLimit = () => AbortSignal;

/** Of all that one command sends: who stopped it waits once, not for each of its stages. */
export const sendingLimitOf = ({
  stop,
  takeSecondStop,
}: Pick<ProcessState, 'stop' | 'takeSecondStop'>): SendingLimit => {
  let stopped: AbortSignal | undefined;
  return () => {
    if (!stop.aborted) return stop;
    stopped ??= AbortSignal.any([takeSecondStop(), AbortSignal.timeout(STOPPED_SEND_MS_MAX)]);
    return stopped;
  };
};

/** All messages of a command that was stopped: its person waits. Bound in docs/limits.md. */
const STOPPED_SEND_MS_MAX = 5_000;
/** All messages of a command, those of its stages among them. Bound in docs/limits.md. */
const SENDING_MS_MAX = 5_000;
