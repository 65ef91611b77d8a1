// Sends the stages of a sweep or a load line to a receiver of OpenTelemetry, each as the run that it is, behind the last of them.

import { join } from 'node:path';
import { counted } from '../../core/figure/figure.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import type { Invocation } from '../command.ts';
import { otlpOption } from '../otlp-option.ts';
import type { ProcessState } from '../process-state.ts';
import { sendingOf, sendRun } from '../send-run.ts';

interface EndedStages {
  readonly document: { readonly stages: readonly Stage[] };
  readonly directory: string;
}

/**
 * Nothing where it was not asked for.
 * @param since ISO 8601: what a sweep that is gone on with had before was sent, or not asked to be
 */
export const sendStages = async (
  { document, directory }: EndedStages,
  { invocation, since }: { readonly invocation: Invocation; readonly since: string },
  state: ProcessState,
): Promise<void> => {
  const endpoint = invocation.option(otlpOption);
  if (endpoint === undefined) return;
  const sending = sendingOf(state);
  const stages = document.stages.filter(({ state, startedAt }) => state === 'ended' && startedAt >= since);
  for (const [index, stage] of stages.entries()) {
    const folder = join(directory, stage.directory);
    try {
      if (await sendRun(await rebuildReport(folder), folder, endpoint, state, sending)) continue;
      // What the receiver did not take of one stage it would not take of the next.
      const left = stages.length - index - 1;
      if (left > 0)
        await state.stderr.write(`plimsoll: ${counted(left, 'further stage')} not sent to --otlp\n`);
      return;
    } catch (error) {
      if (!(error instanceof RunDirectoryError)) throw error;
      await state.stderr.write(`plimsoll: ${stage.directory} was not sent to --otlp: ${error.message}\n`);
    }
  }
};
