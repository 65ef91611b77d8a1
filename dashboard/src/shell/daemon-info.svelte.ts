// What the daemon says of itself beside the stream: things a person should know now (a config file with an error, a
// journal that was moved aside). Asked for with each snapshot of the stream, and now and then while somebody looks.

import { problemText } from '../../../src/core/problem.ts';
import type { ToldNotice } from '../../../src/wire/notice.ts';
import { decodeNotices } from '../../../src/wire/notice.ts';

const ASK_MS = 10_000;

export class DaemonInfo {
  notices: readonly ToldNotice[] = $state.raw([]);
  /** What the page shows was recorded. */
  isRecording = $state(false);
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Asks now and then; returns what ends it. */
  start(): () => void {
    this.#timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.ask();
    }, ASK_MS);
    return () => clearInterval(this.#timer);
  }

  async ask(): Promise<void> {
    const answer = await fetch('/api/daemon', { cache: 'no-store' }).catch(() => undefined);
    if (answer?.ok !== true) return;
    const body: unknown = await answer.json().catch(() => undefined);
    const notices = decodeNotices(body);
    if (notices.map(problemText).join() !== this.notices.map(problemText).join()) this.notices = notices;
    this.isRecording = typeof body === 'object' && body !== null && 'recording' in body;
  }
}
