// The facts of a run's provenance as they are now, before it is run again and once a person has agreed to it. The server is asked what
// every run asks it, with no key unless its target was repeated; nothing is loaded.

import { BenchError } from '../../bench/bench-error.ts';
import { plannedPrompts, promptsSha256, sizedPromptOptions } from '../../bench/dataset/planned-prompts.ts';
import { traceSha256 } from '../../bench/dataset/trace/trace-sessions.ts';
import { WORDS_AS_TOKENS } from '../../bench/dataset/word-costs.ts';
import { benchEnvironment } from '../../bench/run/bench-environment.ts';
import type { BenchRequest } from '../../bench/run/bench-request.ts';
import { readPromptOptions } from '../../bench/run/read-prompt-options.ts';
import { queryTargets } from '../../bench/run/target-spread.ts';
import { queryServer, type ServerAnswer } from '../../bench/target/query-server.ts';
import type { BenchTarget } from '../../bench/target/target-url.ts';
import { errorCode } from '../../core/problem.ts';
import type { PromptsProvenance } from '../../core/run/provenance.ts';
import type { RerunFacts } from '../../core/run/rerun-differences.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { runProvenance } from '../bench/run-provenance.ts';
import type { ProcessState } from '../process-state.ts';

export const factsToday = async (
  request: BenchRequest,
  state: ProcessState,
  { home, noteGit }: { readonly home: string; readonly noteGit: string | undefined },
): Promise<RerunFacts> => {
  const call = unknown('not run yet');
  const [{ machine, node, git }, server, prompts] = await Promise.all([
    runProvenance(state, { home, noteGit, call }),
    serverToday(request, state.stop),
    promptsToday(request, state.stop),
  ]);
  return {
    version: state.version,
    environment: benchEnvironment(state),
    model: server.model,
    provenance: { machine, node, git, server: server.reported, prompts },
  };
};

const serverToday = async (
  { api, target, targets = [{ target, weight: 1 }], headers, model }: BenchRequest,
  signal: AbortSignal,
): Promise<Pick<RerunFacts, 'model'> & Pick<ServerAnswer, 'reported'>> => {
  try {
    const request = (requested: BenchTarget): Promise<ServerAnswer> =>
      queryServer({ api, target: requested, headers, model, timeoutMs: REQUEST_TIMEOUT_MS, signal });
    return targets.length === 1 ? await request(target) : await queryTargets(targets, request);
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    const reason = unknown(error.problem.problem);
    return { model: reason, reported: reason };
  }
};

const promptsToday = async (
  request: BenchRequest,
  signal: AbortSignal,
): Promise<Reported<PromptsProvenance>> => {
  try {
    if (request.dataset.kind === 'timed-trace') {
      const { sha256, requests, file } = request.dataset.trace;
      return { sha256, count: requests, file };
    }
    if (request.dataset.kind === 'agent-trace') {
      const { trace, facts } = request.dataset;
      return { sha256: traceSha256(trace), count: facts.requests, file: trace.file };
    }
    if (request.depth !== undefined) return unknown('prompts of --profile depth are other ones in each run');
    const options = await readPromptOptions(request, signal, NO_NONCE);
    const file = options.file?.file ?? unknown('prompts were generated');
    if (sizedPromptOptions(options) !== undefined)
      return unknown('prompts of a length in tokens are planned with the server');
    const { prompts } = plannedPrompts(options, WORDS_AS_TOKENS);
    return { sha256: promptsSha256(prompts), count: prompts.length, file };
  } catch (error) {
    if (error instanceof BenchError) return unknown(error.problem.problem);
    if (errorCode(error) === undefined) throw error;
    return unknown(`the data set cannot be read: ${errorCode(error)}`);
  }
};

const REQUEST_TIMEOUT_MS = 5_000;
/** Of depths alone, which are not planned here. */
const NO_NONCE = '00000000';
