// Sends the digest of a run that has ended to a receiver of JSON. It never fails the run: what was not taken is reported.

import { systemClock } from '../clock/system-clock.ts';
import { errorMessage } from '../core/problem.ts';
import type { Report } from '../core/run/report.ts';
import { runWebhook } from '../core/run/run-webhook.ts';
import { deliver } from '../report/deliver.ts';
import type { ProcessState } from './process-state.ts';
import { sendingOf } from './send-run.ts';

/** Reports on standard error what became of it. After a stop it waits a few seconds at most; a second stop ends that too. */
export const sendWebhook = async (
  report: Report,
  href: string,
  { stderr, ...state }: ProcessState,
): Promise<void> => {
  const url = new URL(href);
  const { limit, budget } = sendingOf(state);
  const signal = limit();
  const print = (text: string): Promise<void> => stderr.write(`plimsoll: ${text}\n`);
  try {
    signal.throwIfAborted();
    const body = Buffer.from(JSON.stringify(runWebhook(report)));
    const delivered = await budget.spend(leftMs =>
      deliver(url, { clock: systemClock, signal, body, untilMs: systemClock.nowMs() + leftMs }),
    );
    await print(
      delivered.kind === 'taken'
        ? `the digest of the run was sent to ${url.origin}`
        : `the digest of the run was not taken by ${url.origin}: ${delivered.failure}`,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    await print(`the sending to --webhook was stopped: ${errorMessage(error)}`);
  }
};
