// What the daemon says of itself beside the stream: things a person should know now (a config file with an error, a
// journal that was moved aside). Asked for with each snapshot of the stream, and now and then while somebody looks.

const ASK_MS = 10_000;

export class DaemonInfo {
  notices: readonly string[] = $state.raw([]);
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
    const notices = noticesOf(body);
    if (notices.join('\n') !== this.notices.join('\n')) this.notices = notices;
    this.isRecording = typeof body === 'object' && body !== null && 'recording' in body;
  }
}

const noticesOf = (body: unknown): readonly string[] =>
  typeof body === 'object' && body !== null && 'notices' in body && Array.isArray(body.notices)
    ? body.notices.filter(notice => typeof notice === 'string')
    : [];
