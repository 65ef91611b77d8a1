// Opens a page in the person's browser, where there is a person with a desktop.

import { runTool } from '../process/child.ts';
import type { ProcessState } from './process-state.ts';

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
