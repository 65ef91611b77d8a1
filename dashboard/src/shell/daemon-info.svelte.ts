// What the daemon reports about itself outside the stream: things a person should know now (a config file with an error, a
// journal that was moved aside). Requested with each snapshot of the stream, and at intervals while the page is visible.

import { problemText } from '../../../src/core/problem.ts';
import { daemonAnswerSchema } from '../../../src/wire/api/daemon-answers.ts';
import type { ReportedNotice } from '../../../src/wire/notice.ts';
import { fetchDaemon } from './fetch-daemon.ts';

const REQUEST_INTERVAL_MS = 10_000;

export class DaemonInfo {
  notices: readonly ReportedNotice[] = $state.raw([]);
  /** What the page shows was recorded. */
  isRecording = $state(false);
  /** How the command is typed on the machine of the daemon. */
  program = $state('plimsoll');
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Asks now and then; returns what ends it. */
  start(): () => void {
    this.#timer = setInterval(() => {
      if (document.visibilityState === 'visible') void this.request();
    }, REQUEST_INTERVAL_MS);
    return () => clearInterval(this.#timer);
  }

  async request(): Promise<void> {
    const reply = await fetchDaemon('/api/daemon', daemonAnswerSchema);
    if (reply.kind === 'refused') return;
    const { problems, program, recording } = reply.value;
    if (problems.map(problemText).join() !== this.notices.map(problemText).join()) this.notices = problems;
    this.isRecording = recording !== undefined;
    this.program = program ?? 'plimsoll';
  }
}
