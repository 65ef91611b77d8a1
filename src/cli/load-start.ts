// What a command that loads a server takes from its options, in addition to what it measures: one type for a run, a sweep, a load line
// and each side of a comparison.

import type { BenchRequest } from '../bench/run/bench-request.ts';
import { resolveHome } from '../config/home.ts';
import { type Option, type OptionValues, optionValues } from '../core/option/option.ts';
import type { SweepResume } from '../core/sweep/sweep-document.ts';
import { headersToSend, type NamedAgents, namedAgents } from './agent/load-agents.ts';
import { BENCH } from './bench/bench-options.ts';
import type { ParsedBenchOptions } from './bench/parse-bench-options.ts';
import { proxyNotices } from './bench/request-headers.ts';
import type { Invocation } from './command.ts';
import { CommandError } from './command-error.ts';
import { withHubInputs } from './hub-inputs.ts';
import type { ProcessState } from './process-state.ts';
import { keptCommand } from './sweep/kept-command.ts';

/** As they were given. */
const START_OPTIONS = { id: BENCH.id, out: BENCH.out, noteGit: BENCH.noteGit, facts: BENCH.facts };

export interface LoadStart extends OptionValues<typeof START_OPTIONS> {
  readonly request: BenchRequest;
  readonly agents: NamedAgents;
  readonly home: string;
  /** What a person should know before it begins. */
  readonly notices: readonly string[];
  /** Its words, to be stored. */
  readonly kept: SweepResume;
}

interface StartedCommand {
  readonly parsed: ParsedBenchOptions;
  /** Of the command. */
  readonly options: readonly Option<unknown>[];
  /** The call that headers, codes and places belong to, where one goes on with options that were stored. */
  readonly now?: Invocation;
}

/** @throws CommandError */
export const loadStart = async (
  invocation: Invocation,
  state: ProcessState,
  { parsed, options, now = invocation }: StartedCommand,
): Promise<LoadStart> => {
  const agents = namedAgents(invocation, now);
  const { headers, notices } = await headersToSend(agents, now, state, parsed);
  const request = await withHubInputs({ ...parsed, headers }, state);
  return {
    ...optionValues(START_OPTIONS, option => now.option(option)),
    facts: invocation.option(BENCH.facts),
    request,
    agents,
    home: resolveHome({ ...state, option: now.option(BENCH.home) }),
    notices: [...proxyNotices(state.env), ...notices],
    kept: keptCommand({
      options,
      args: state.args.slice(1),
      url: invocation.arguments[0] ?? '',
      shownUrl: parsed.target.shown,
      others: (parsed.targets ?? []).slice(1).map(({ target: { shown } }, at) => ({
        given: invocation.arguments[at + 1] ?? '',
        shown,
      })),
      cwd: state.cwd,
      env: state.env,
    }),
  };
};

/** For what comes before the first request: a stop then leaves nothing to report. */
export const interrupted = async <End>(
  state: ProcessState,
  run: () => Promise<End>,
  stopped = 'the run was stopped before it started',
): Promise<End> => {
  try {
    return await run();
  } catch (error) {
    if (!state.stop.aborted || error instanceof CommandError) throw error;
    throw new CommandError('benchInterrupted', stopped, 'Nothing was measured, so there is no report.', {
      cause: error,
    });
  }
};
