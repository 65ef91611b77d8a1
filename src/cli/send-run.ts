// Sends a finished run to a receiver of OpenTelemetry. It never fails the run: what could not be brought is told.

import { systemClock } from '../clock/system-clock.ts';
import { errorCode } from '../core/problem.ts';
import type { ReportRun } from '../core/run/report.ts';
import { runFiles } from '../metrics/run-files.ts';
import { sendOtlp } from '../report/otlp/otlp-sender.ts';
import { runTelemetry } from '../report/otlp/run-telemetry.ts';
import type { ProcessState } from './process-state.ts';

/** Says on standard error what was sent, and what was not. */
export const sendRun = async (
  run: ReportRun,
  directory: string,
  endpoint: string,
  { program, stderr, stop, version }: ProcessState,
): Promise<void> => {
  const say = (text: string): Promise<void> => stderr.write(`plimsoll: ${text}\n`);
  if (stop.aborted)
    return await say(
      `a run that was interrupted is not sent to --otlp by itself\nTo send it: ${program} report ${directory} --otlp ${endpoint}`,
    );
  try {
    const messages = await runTelemetry(run, runFiles(directory).samples, version);
    if (messages.length === 0) return await say('nothing was sent to --otlp: no request was measured');
    const { sent, dropped, problem } = await sendOtlp(endpoint, messages, {
      clock: systemClock,
      signal: stop,
    });
    await say(
      problem === undefined
        ? `sent to ${endpoint}: ${sent} messages of OTLP`
        : `${dropped} of ${messages.length} messages of OTLP were not taken: ${problem}`,
    );
  } catch (error) {
    if (stop.aborted) return await say('the sending to --otlp was stopped');
    const code = errorCode(error);
    if (code === undefined) throw error;
    await say(`nothing was sent to --otlp: samples.jsonl cannot be read (${code})`);
  }
};
