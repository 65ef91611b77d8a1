// Sends the stages of a sweep or a load line to a receiver of OpenTelemetry, each as the run that it is, behind the last of them.

import { join } from 'node:path';
import type { Stage } from '../../core/sweep/stage.ts';
import { RunDirectoryError, rebuildReport } from '../../metrics/report-sources.ts';
import type { Invocation } from '../command.ts';
import { otlpOption } from '../otlp-option.ts';
import type { ProcessState } from '../process-state.ts';
import { sendingLimitOf, sendRun } from '../send-run.ts';

export interface EndedStages {
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
  const limit = sendingLimitOf(state);
  for (const stage of document.stages) {
    if (stage.state !== 'ended' || stage.startedAt < since) continue;
    const folder = join(directory, stage.directory);
    try {
      await sendRun(await rebuildReport(folder), folder, endpoint, state, limit);
    } catch (error) {
      if (!(error instanceof RunDirectoryError)) throw error;
      await state.stderr.write(`plimsoll: ${stage.directory} was not sent to --otlp: ${error.message}\n`);
    }
  }
};
