// The address of the dashboard that a command prints and opens. The one-time code signs a browser in, so it is only for a person who
// reads it now: what is not a terminal is a journal, a file or the log of a container, which stores what is printed.

import { shellCommand } from '../core/text/shell-words.ts';
import { hasBrowser, openBrowser } from './browser.ts';
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
