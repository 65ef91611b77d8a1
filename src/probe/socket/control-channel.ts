// The control connection between the ends of a probe: JSON lines, checked on arrival. The number and size of
// waiting messages are limited for any input.

import type { Socket } from 'node:net';
import * as v from 'valibot';
import { shortReason } from '../../core/problem.ts';
import { TextLines } from '../../process/text-lines.ts';
import { ProbeError } from './probe-error.ts';

export class ControlChannel<Sent, Received extends { readonly kind: string }> {
  readonly #socket: Socket;
  readonly #schema: v.GenericSchema<unknown, Received>;
  readonly #lines = new TextLines(LINE_LENGTH_MAX);
  readonly #intercept: (message: Received) => boolean;
  readonly #received: Received[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #failure: ProbeError | undefined;
  #wake: (() => void) | undefined;

  /**
   * @param intercept called with each message as it arrives: returns whether it was handled, so it is not
   * queued
   */
  constructor(
    socket: Socket,
    schema: v.GenericSchema<unknown, Received>,
    intercept: (message: Received) => boolean = () => false,
  ) {
    this.#intercept = intercept;
    this.#socket = socket;
    this.#schema = schema;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('close', () => {
      const cause = socket.errored === null ? '' : ` (${shortReason(socket.errored)})`;
      this.#fail(new ProbeError('closed', `the other end disappeared${cause}`));
      this.#closed.resolve();
    });
    socket.resume(); // the handshake left it paused
  }

  /** Resolves when the connection is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  send(message: Sent): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message if it is there. @throws ProbeError once the connection is gone and everything was taken. */
  take(): Received | undefined {
    const message = this.#received.shift();
    if (message === undefined && this.#failure !== undefined) throw this.#failure;
    return message;
  }

  /** @throws ProbeError `timeout` when the signal aborts; otherwise as `take`. */
  async next(signal: AbortSignal): Promise<Received> {
    while (true) {
      const message = this.take();
      if (message !== undefined) return message;
      if (signal.aborted) throw new ProbeError('timeout', 'the other end does not answer');
      await new Promise<void>(resolve => {
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }

  close(): void {
    this.#socket.destroySoon();
  }

  #take(chunk: Buffer): void {
    const offence = this.#offenceOf(this.#lines.add(chunk));
    if (offence === undefined) {
      this.#wake?.();
      return;
    }
    this.#fail(new ProbeError('protocol', `the other end sends ${offence}`));
    this.#socket.destroy();
  }

  /** Takes the messages; reports what is wrong with the first invalid one. */
  #offenceOf(lines: readonly string[]): string | undefined {
    if (this.#lines.leftOut > 0) return 'a message above its limit';
    for (const line of lines) {
      const parsed = v.safeParse(this.#schema, jsonOrUndefined(line));
      if (!parsed.success) return 'something that is not a message';
      if (this.#intercept(parsed.output)) continue;
      if (this.#received.length >= RECEIVED_MAX) return 'more messages than were requested';
      this.#received.push(parsed.output);
    }
    return undefined;
  }

  #fail(failure: ProbeError): void {
    this.#failure ??= failure;
    this.#wake?.();
  }
}

const jsonOrUndefined = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const LINE_LENGTH_MAX = 4_096;
const RECEIVED_MAX = 1_024;
