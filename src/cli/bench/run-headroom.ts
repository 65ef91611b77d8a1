// Compares a run with the bound at its end: the loaded machine comes from the local daemon, the facts of the model from the
// server or from an option. Missing facts become a reason in the report, never a failed run.

import { resolve } from 'node:path';
import type { runBench } from '../../bench/bench.ts';
import { isLoopbackHost } from '../../core/address/host-port.ts';
import { errorMessage } from '../../core/problem.ts';
import type { Report } from '../../core/run/report.ts';
import { isUnknown, type Unknown, unknown } from '../../core/unknown.ts';
import { hubFolder } from '../../model/hub-cache.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';
import type { JudgedPart, ServedFacts } from './judged-report.ts';

interface JudgeOptions {
  readonly home: string;
  /** The model's file, folder or URL, as --facts names it. */
  readonly facts: string | undefined;
}

/** As it was named on a command line; a command may go on from another folder than the one in which it was begun. */
export const factsPath = (cwd: string, facts: string | undefined): string | undefined =>
  facts === undefined || /^https?:/i.test(facts) ? facts : resolve(cwd, facts);

/**
 * For the runs of one command: the header of a model is read once for all of them.
 * @returns the same run, judged at its end.
 */
export const judgedRuns = (
  state: ProcessState,
  options: JudgeOptions,
  run: typeof runBench,
): typeof runBench => {
  const models = new Map<string, Promise<ServedFacts>>();
  return (request, parts) => {
    const factsOf = async (signal: AbortSignal): Promise<ServedFacts> => {
      const { servedFacts } = await loadJudge();
      const key = `${request.target.shown} ${request.model ?? ''}`;
      const known =
        models.get(key) ?? servedFacts(request, { named: options.facts, hub: hubFolder(state.env) }, signal);
      models.set(key, known);
      // The next run requests again what was not reported in time.
      known.then(
        ({ model }) => isUnknown(model) && models.delete(key),
        () => models.delete(key),
      );
      return await known;
    };
    return run(request, { ...parts, judge: judgeRun(state, options.home, factsOf) });
  };
};

/** Never rejects. */
const judgeRun =
  (state: ProcessState, home: string, factsOf: (signal: AbortSignal) => Promise<ServedFacts>) =>
  async (report: Report): Promise<JudgedPart> => {
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(JUDGE_MS_MAX)]);
    try {
      const daemon = await daemonFor(report, state, home);
      // Without a ceiling only a depth profile has use for the model.
      if (isUnknown(daemon) && report.depth === undefined) return { headroom: daemon };
      const { judgedReport } = await loadJudge();
      return await judgedReport(report, daemon, { factsOf, signal, withoutDaemon: NO_DAEMON });
    } catch (error) {
      return {
        headroom: unknown(
          signal.aborted ? 'not determined in time' : errorMessage(error).slice(0, REASON_LENGTH_MAX),
        ),
      };
    }
  };

const daemonFor = async (
  { run }: Report,
  state: ProcessState,
  home: string,
): Promise<DaemonClient | Unknown> => {
  if (run.from !== undefined && isLoopbackUrl(run.target))
    return unknown('the URL means the own machine of each agent, so each agent loaded a different one');
  try {
    return await findDaemon(home, state);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return NO_DAEMON;
  }
};

const isLoopbackUrl = (url: string): boolean =>
  URL.canParse(url) && isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));

/** Loaded late: a run without a daemon needs none of it. */
const loadJudge = () => import('./judged-report.ts');

const NO_DAEMON = unknown('no daemon runs here that has measured the machine: plimsoll up');
/** At the end of a run, for daemon, server and file together. */
const JUDGE_MS_MAX = 10_000;
const REASON_LENGTH_MAX = 300;
