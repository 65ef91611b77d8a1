// A reader of the event stream that can stop reading, and frames as they come.

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Json } from './http-exchange.ts';

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Json;
  readonly text: string;
}

export class StreamReader implements Disposable {
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;
  readonly #frames: Frame[] = [];
  readonly #waiting: ((frame: Frame | 'end') => void)[] = [];
  #text = '';
  #hasEnded = false;

  constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    const end = (): void => {
      this.#hasEnded = true;
      for (const wake of this.#waiting.splice(0)) wake('end');
    };
    response.on('end', end);
    response.on('error', end);
    response.on('close', end);
  }

  /** The next frame of an event, passing over others; 'end' when the stream ended before one came. */
  async next(event?: string): Promise<Frame | 'end'> {
    for (;;) {
      const frame = this.#frames.shift() ?? (this.#hasEnded ? 'end' : await this.#arrival());
      if (frame === 'end' || event === undefined || frame.event === event) return frame;
    }
  }

  /** Like `next`, where the test cannot go on without it. */
  async need(event: string): Promise<Frame> {
    const frame = await this.next(event);
    if (frame === 'end') throw new Error(`the stream ended before a ${event} came`);
    return frame;
  }

  [Symbol.dispose](): void {
    this.#request.destroy();
  }

  #arrival(): Promise<Frame | 'end'> {
    return new Promise(resolve => this.#waiting.push(resolve));
  }

  #take(text: string): void {
    const parts = (this.#text + text).split('\n\n');
    this.#text = parts.pop() ?? '';
    for (const part of parts) {
      const fields = new Map(
        part.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const event = fields.get('event');
      if (event === undefined) continue;
      const frame = {
        event,
        id: fields.get('id'),
        data: JSON.parse(fields.get('data') ?? 'null'),
        text: part,
      };
      const wake = this.#waiting.shift();
      if (wake === undefined) this.#frames.push(frame);
      else wake(frame);
    }
  }
}

export const openStream = async (
  port: number,
  headers: Readonly<Record<string, string>> = {},
  path = '/api/stream',
): Promise<StreamReader> => {
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
  sent.on('error', () => sent.destroy());
  sent.end();
  const [response] = await once(sent, 'response');
  return new StreamReader(sent, response);
};
