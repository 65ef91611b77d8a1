// The printed address carries a one-time code in its fragment, which never reaches a server by itself. The page swaps it
// for a cookie and takes it out of the address bar, so that it is neither bookmarked nor shared.

import { codeOf } from './one-time-code.ts';

export type CodeResult = 'none' | 'accepted' | 'refused';

/** Pasted into a tab that shows the page already, the address only changes its fragment: the page then restarts with it. */
export const watchForCode = (): void => {
  addEventListener('hashchange', () => {
    if (codeOf(location.hash) !== undefined) location.reload();
  });
};

export const swapCode = async (): Promise<CodeResult> => {
  const code = codeOf(location.hash);
  if (code === undefined) return 'none';
  history.replaceState(null, '', location.pathname + location.search);
  const answer = await fetch('/api/access/code', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => undefined);
  return answer?.ok === true ? 'accepted' : 'refused';
};
