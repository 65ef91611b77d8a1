// Makes an agent's plan in a thread of its own: reading a data set of 256 MiB and writing its bodies takes seconds,
// in which the agent would otherwise miss every ping and every `stop`.

import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../core/problem.ts';
import type { AgentRequest } from '../../wire/agent-request.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import { BenchError } from '../bench-error.ts';
import { plannedPrompts } from '../dataset/planned-prompts.ts';
import { arrivedRequest, datasetOfLines } from '../fleet/travelling-request.ts';
import type { PlannedPart } from '../run/bench-parts.ts';
import { plannedPart } from '../run/planned-part.ts';
import { readPromptOptions } from '../run/read-prompt-options.ts';
import { loadPlan, type PlanOptions } from '../run/run-plan.ts';
import type { BenchTarget } from '../target/target-url.ts';

export interface PlanWork
  extends Pick<PlanOptions, 'server' | 'cores' | 'heartbeatMsMax' | 'share' | 'connectionsMax'> {
  readonly requested: AgentRequest;
  /** The target after admission: checked, reached and pinned. */
  readonly target: BenchTarget;
  readonly headers: Parameters<typeof arrivedRequest>[1]['headers'];
  /** The lines of a data set that was sent before; undefined if prompts are generated. */
  readonly dataset: { readonly description: string; readonly lines: Uint8Array } | undefined;
  readonly costs: Parameters<typeof plannedPrompts>[1];
}

export type PlanWorkResult =
  | { readonly kind: 'planned'; readonly part: PlannedPart }
  | { readonly kind: 'refused'; readonly problem: BenchError['problem'] }
  | { readonly kind: 'malformed'; readonly problem: string };

const planned = async (work: PlanWork): Promise<PlanWorkResult> => {
  const { requested, target, headers, costs, dataset: sent, ...options } = work;
  try {
    const dataset =
      sent === undefined
        ? undefined
        : datasetOfLines(sent.description, Buffer.from(sent.lines).toString('utf8'));
    const request = { ...arrivedRequest(requested, { headers, dataset }), target };
    const promptOptions = await readPromptOptions(
      request,
      new AbortController().signal,
      requested.noncePrefix,
    );
    const prompts = plannedPrompts(promptOptions, costs);
    const plan = loadPlan({ ...options, request, dataset: prompts, noncePrefix: requested.noncePrefix });
    return { kind: 'planned', part: plannedPart(plan, prompts) };
  } catch (error) {
    if (error instanceof BenchError) return { kind: 'refused', problem: error.problem };
    if (error instanceof DecodeError || error instanceof RangeError)
      return { kind: 'malformed', problem: errorMessage(error) };
    throw error;
  }
};

const work: PlanWork = workerData;
parentPort?.postMessage(await planned(work));
