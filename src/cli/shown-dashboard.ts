// The address of the dashboard that a command prints and opens. The one-time code signs a browser in, so it is only for a person who
// reads it now: what is not a terminal is a journal, a file or the log of a container, which stores what is printed.

import { shellCommand } from '../core/text/shell-words.ts';
import { runTool } from '../process/child.ts';
import { homeText } from './daemon-client.ts';
import type { ProcessState } from './process-state.ts';

export interface ServedDashboard {
  readonly dashboardUrl: string;
  signInUrl(): string;
}

interface ShownDashboard {
  /** Undefined: a recording, which has none. */
  readonly home: string | undefined;
  readonly isToBeOpened: boolean;
}

/** Prints its address and how a browser signs in, with `more` lines, and opens it if there is a desktop. */
export const showDashboard = async (
  served: ServedDashboard,
  { home, isToBeOpened }: ShownDashboard,
  state: ProcessState,
  more: readonly string[] = [],
): Promise<void> => {
  const isRead = state.stdout.isTerminal;
  const url = isRead ? served.signInUrl() : served.dashboardUrl;
  const lines = [
    `Dashboard: ${url}`,
    ...(isRead ? [] : [home === undefined ? ELSEWHERE : signInAdvice(home, state)]),
    ...more,
    'Ctrl-C stops it.',
  ];
  await state.stdout.write(`\n${lines.join('\n')}\n`);
  if (isToBeOpened && hasBrowser(state)) await openBrowser(url, state);
};

const signInAdvice = (home: string, state: ProcessState): string =>
  `To sign a browser in: ${shellCommand`plimsoll open ${homeText(home, state)}`}`;

const ELSEWHERE =
  'Only browsers of this machine can see it: a browser elsewhere signs in with the code that is printed in a terminal.';

// Opens a page in the person's browser, where there is a person with a desktop.

/** Never for root, in CI, over SSH or without a desktop: there nobody would see it, or the wrong user would. */
export const hasBrowser = (state: ProcessState): boolean => {
  const { env, platform } = state;
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  if (!state.stdout.isTerminal || state.userId === 0 || isSet('CI') || isSet('SSH_CONNECTION')) return false;
  return platform === 'darwin' || (platform === 'linux' && (isSet('DISPLAY') || isSet('WAYLAND_DISPLAY')));
};

/** Tries; the URL is printed as well, so failing needs no word. */
export const openBrowser = async (url: string, state: ProcessState): Promise<void> => {
  const command = state.platform === 'darwin' ? 'open' : 'xdg-open';
  try {
    await runTool(command, [url], { env: state.env, signal: state.stop, timeoutMs: OPEN_TIMEOUT_MS });
  } catch (error) {
    if (!state.stop.aborted) throw error;
  }
};

const OPEN_TIMEOUT_MS = 10_000;
