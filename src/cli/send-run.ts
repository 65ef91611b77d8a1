// Sends a finished run to a receiver of OpenTelemetry. It never fails the run: what could not be brought is told.

import { systemClock } from '../clock/system-clock.ts';
import { counted } from '../core/figure/figure.ts';
import { errorCode } from '../core/problem.ts';
import type { Report } from '../core/run/report.ts';
import { runFiles } from '../metrics/run-files.ts';
import { sendOtlp } from '../report/otlp/otlp-sender.ts';
import { runTelemetry } from '../report/otlp/run-telemetry.ts';
import type { ProcessState } from './process-state.ts';

/** Says on standard error what was sent, and what was not. Who stopped the run waits a few seconds at most, or stops that too. */
export const sendRun = async (
  { run, interrupted }: Pick<Report, 'run' | 'interrupted'>,
  directory: string,
  endpoint: string,
  { program, stderr, version, ...state }: ProcessState,
  sendingLimit: SendingLimit = sendingLimitOf(state),
): Promise<void> => {
  const say = (text: string): Promise<void> => stderr.write(`plimsoll: ${text}\n`);
  const signal = sendingLimit();
  try {
    signal.throwIfAborted();
    const messages = await runTelemetry(run, runFiles(directory).samples, {
      version,
      isInterrupted: interrupted,
    });
    if (messages.length === 0) return await say('nothing was sent to --otlp: no request was measured');
    const { sent, dropped, problem } = await sendOtlp(endpoint, messages, {
      clock: systemClock,
      signal,
    });
    await say(
      problem === undefined
        ? `sent to ${endpoint}: ${counted(sent, 'message')} of OTLP${interrupted ? ', marked as of an interrupted run' : ''}`
        : `${dropped} of ${counted(messages.length, 'message')} of OTLP were not taken: ${problem}`,
    );
  } catch (error) {
    if (signal.aborted)
      return await say(
        `the sending to --otlp was stopped\nTo send it: ${program} report ${directory} --otlp ${endpoint}`,
      );
    const code = errorCode(error);
    if (code === undefined) throw error;
    await say(`nothing was sent to --otlp: samples.jsonl cannot be read (${code})`);
  }
};

/** Ends what is being sent. */
export type SendingLimit = () => AbortSignal;

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
