// A code with which one other machine can join: asked for, counted down, and asked after, until it is over.

import {
  type JoinCodeAnswer,
  type JoinCodeStandingAnswer,
  joinCodeAnswerSchema,
  joinCodeStandingSchema,
} from '../../../src/wire/api/daemon-answers.ts';
import { fetchDaemon, NOT_SIGNED_IN } from '../shell/fetch-daemon.ts';

type Shown =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: string; readonly needsSignIn: boolean }
  | {
      readonly kind: 'code';
      readonly given: JoinCodeAnswer;
      readonly state: JoinCodeStandingAnswer['state'];
      /** Undefined until the daemon has reported them. */
      readonly triesLeft: number | undefined;
      /** On this page's own clock. */
      readonly overAtMs: number;
    };

export class PageJoinCode {
  shown: Shown = $state.raw({ kind: 'none' });
  isFetching: boolean = $state(false);
  nowMs: number = $state(performance.now());
  #seconds = 0;

  /** Once a second while the page shows it; returns what ends it. */
  start(): () => void {
    const timer = setInterval(() => void this.#second(), SECOND_MS);
    return () => clearInterval(timer);
  }

  async request(): Promise<void> {
    this.isFetching = true;
    const reply = await fetchDaemon('/api/mesh/join-code', joinCodeAnswerSchema, { method: 'POST' });
    this.isFetching = false;
    this.nowMs = performance.now();
    if (reply.kind === 'refused') {
      this.shown = { kind: 'refused', reason: reply.reason, needsSignIn: reply.code === NOT_SIGNED_IN };
      return;
    }
    const overAtMs = this.nowMs + reply.value.expiresInMs;
    this.shown = { kind: 'code', given: reply.value, state: 'valid', triesLeft: undefined, overAtMs };
    await this.#look(reply.value);
  }

  hide(): void {
    this.shown = { kind: 'none' };
  }

  async #second(): Promise<void> {
    const { shown } = this;
    if (shown.kind !== 'code' || shown.state !== 'valid' || document.visibilityState !== 'visible') return;
    this.nowMs = performance.now();
    this.#seconds += 1;
    if (this.nowMs >= shown.overAtMs) {
      this.shown = { ...shown, state: 'expired' };
      // A machine may have joined while nobody looked at this page.
      await this.#look(shown.given);
    } else if (this.#seconds % LOOK_SECONDS === 0) await this.#look(shown.given);
  }

  /** A value that the daemon does not report leaves the countdown as it is. */
  async #look(given: JoinCodeAnswer): Promise<void> {
    if (given.id === undefined) return;
    const path = `/api/mesh/join-code?id=${encodeURIComponent(given.id)}`;
    const reply = await fetchDaemon(path, joinCodeStandingSchema);
    const { shown } = this;
    if (reply.kind === 'refused' || shown.kind !== 'code' || shown.given !== given) return;
    const { state, triesLeft, expiresInMs } = reply.value;
    this.shown = { ...shown, state, triesLeft, overAtMs: performance.now() + expiresInMs };
  }
}

const SECOND_MS = 1_000;
const LOOK_SECONDS = 3;
