// A live view of the cluster, redrawn in place: `plimsoll top`, `plimsoll status --watch`. Losing the daemon does not end it: the last figures stay, grow old, and the
// connection is tried again.

import { pause } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { formatAge } from '../core/figure/duration.ts';
import { figureText } from '../core/figure/figure.ts';
import { type Sentences, sentencesOf } from '../core/problem.ts';
import type { State } from '../core/state.ts';
import type { TopOptions } from '../tui/render-top.ts';
import { LiveScreen } from '../tui/terminal.ts';
import { typedKeys } from '../tui/top-view.ts';
import { decodeNotices } from '../wire/notice.ts';
import { type ClusterMoment, clusterStream } from './cluster-stream.ts';
import { CommandError } from './command-error.ts';
import { findDaemon } from './daemon-client.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { ProcessState } from './process-state.ts';

/** One frame. `reported`: the daemon's notices about itself, or that it cannot be reached. */
type DrawCluster = (
  cluster: State,
  nowMs: number,
  reported: readonly Sentences[],
  options: TopOptions,
) => readonly string[];

/** Takes what is typed; 'quit' ends the view. Its frames have a last line of their own. */
type TakeKey = (key: string) => 'quit' | 'drawn';

/** @throws CommandError `noDaemon` when there is none to begin with. */
export const watchCluster = async (
  home: string,
  state: ProcessState,
  draw: DrawCluster,
  takeKey?: TakeKey,
): Promise<ExitCode> => {
  const view: View = { moment: undefined, notices: [], lost: undefined };
  await findDaemon(home, state);
  const ended = new AbortController();
  const until = AbortSignal.any([state.stop, state.stdout.closed, ended.signal]);
  await using screen = new LiveScreen(state.stdout);
  const take = async (key: TakeKey): Promise<void> => {
    for await (const text of state.typedText(until)) {
      for (const name of typedKeys(text)) {
        if (name === 'ctrl-l') screen.forget();
        else if (key(name) === 'quit') ended.abort();
      }
      // However fast somebody types, a frame is drawn only after the one before it was taken.
      woken.resolve();
    }
  };
  const following = follow(home, state, view, until).finally(() => ended.abort());
  let woken = Promise.withResolvers<void>();
  const typing = takeKey === undefined ? undefined : take(takeKey);
  while (!until.aborted) {
    woken = Promise.withResolvers<void>();
    await screen.draw(linesOf(view, state, draw, takeKey !== undefined));
    const waited = new AbortController();
    await Promise.race([
      pause(systemClock, REDRAW_MS, AbortSignal.any([until, waited.signal])),
      woken.promise,
    ]);
    waited.abort();
  }
  await Promise.all([following, typing]);
  return EXIT_CODES.ok.code;
};

interface View {
  moment: ClusterMoment | undefined;
  notices: readonly Sentences[];
  /** Since when, and why there is no connection. */
  lost: { readonly sinceMs: number; readonly reason: string } | undefined;
}

const follow = async (home: string, state: ProcessState, view: View, until: AbortSignal): Promise<void> => {
  while (!until.aborted) {
    try {
      const client = await findDaemon(home, state);
      let noticesAtMs = Number.NEGATIVE_INFINITY;
      for await (const moment of clusterStream(client, systemClock, until)) {
        view.moment = moment;
        view.lost = undefined;
        if (systemClock.nowMs() - noticesAtMs < NOTICES_MS) continue;
        noticesAtMs = systemClock.nowMs();
        view.notices = decodeNotices(await client.json('/api/daemon', until));
      }
    } catch (error) {
      if (until.aborted) return;
      if (!(error instanceof CommandError)) throw error;
      view.lost ??= { sinceMs: systemClock.nowMs(), reason: error.problem.problem };
    }
    await pause(systemClock, RECONNECT_MS, until);
  }
};

const linesOf = (
  { moment, notices, lost }: View,
  { stdout }: ProcessState,
  draw: DrawCluster,
  hasKeys: boolean,
): readonly string[] => {
  const nowMs = systemClock.nowMs();
  const { columns, rows, hasColor, isUnicode } = stdout;
  const reported = lost === undefined ? notices : [lostFor(nowMs - lost.sinceMs, lost.reason), ...notices];
  if (moment === undefined)
    return reported.length > 0 ? reported.flatMap(sentencesOf) : ['Waiting for the daemon.'];
  const self = moment.snapshot.nodeId;
  const options = { columns, rows: hasKeys ? rows : rows - 2, color: hasColor, isUnicode, self };
  if (hasKeys) return draw(moment.state, nowMs, reported, options);
  return [...draw(moment.state, nowMs, reported, options), '', 'Ctrl-C quits.'];
};

const lostFor = (durationMs: number, reason: string): Sentences => ({
  problem: `No connection for ${figureText(formatAge(durationMs))}: ${reason}`,
  advice: '',
});

const REDRAW_MS = 500;
const RECONNECT_MS = 1_000;
const NOTICES_MS = 5_000;
