// What a running daemon says of itself, as checks: most of it is something to put right.

import type { Check } from './check.ts';

/** The first line of a notice says what, the others what to do. */
export const noticeChecks = (notices: readonly string[]): readonly Check[] =>
  notices
    .filter(notice => !TOLD_ELSEWHERE.some(pattern => pattern.test(notice)))
    .map((notice): Check => {
      const [text = '', ...advice] = notice.split('\n');
      const verdict = IS_HARMLESS.test(text) ? 'note' : 'problem';
      return { section: 'daemon', verdict, text, advice: advice.join(' ') };
    });

/** The sections of the mesh and of the home say more of these. */
const TOLD_ELSEWHERE: readonly RegExp[] = [
  /^No link to /,
  /^The journal .* was removed while the daemon runs/,
];
/** The daemon has helped itself at its start, and says elsewhere where it listens. */
const IS_HARMLESS = /^(HTTP|Mesh) port \d+ is taken; using \d+\.$/;
