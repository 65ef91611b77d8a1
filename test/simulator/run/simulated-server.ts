// The server of a simulated run and the cables to it: sockets as load threads know them, replies cut anywhere, and a book of what
// really happened to each sample, kept on the server's side.

import { EventEmitter } from 'node:events';
import type { DialedSocket, ReadReceiver, TargetDialer } from '../../../src/bench/target/http1/dialer.ts';
import type { SeededRandom } from '../../../src/core/random.ts';
import type { RunFault } from './run-faults.ts';
import type { LoopOwner, VirtualLoop } from './virtual-loop.ts';

/** What the server recorded of a sample. */
interface ServedSample {
  requests: number;
  /** The last byte of a good reply has been read by the client. */
  isWhole: boolean;
  /** Enough of a good reply to show that the answer is over. */
  isAnswered: boolean;
  /** Read by the client, of the request that came last. */
  bytesRead: number;
  tokens: number;
  /** It is no good reply. */
  isSpoiled: boolean;
  /** When the client read its first byte, the end of each chunk that it has content in, and the last that came. */
  firstReadNs: number | undefined;
  readonly chunksReadNs: number[];
  lastReadNs: number;
}

/** What a client wrote of a sample, in all its attempts. */
interface WrittenRequest {
  readonly firstNs: number;
  bytes: number;
}

interface SimulatedServerParts {
  readonly loop: VirtualLoop;
  readonly random: SeededRandom;
  readonly faults: readonly RunFault[];
  readonly isStreaming: boolean;
  /** Before the eight hexadecimal digits of a sample's number in its request. */
  readonly noncePrefix: string;
}

export class SimulatedServer {
  readonly served: Map<number, ServedSample> = new Map();
  readonly written: Map<number, WrittenRequest> = new Map();
  readonly parts: SimulatedServerParts;
  #connections = 0;
  #requests = 0;
  /** The server itself: it continues regardless of its clients. */
  readonly owner: LoopOwner;

  constructor(parts: SimulatedServerParts, owner: LoopOwner) {
    this.parts = parts;
    this.owner = owner;
  }

  /** For one load thread. */
  dialer(thread: LoopOwner): TargetDialer {
    const buffer = Buffer.alloc(READ_BYTES);
    const dialer = {
      isTls: false,
      roundTripNs: 0,
      shookHands: (tookNs: number): void => {
        dialer.roundTripNs = dialer.roundTripNs === 0 ? tookNs : Math.min(dialer.roundTripNs, tookNs);
      },
      dial: (received: ReadReceiver): DialedSocket => {
        const number = this.#connections;
        this.#connections += 1;
        const isRefused = this.parts.faults.some(
          fault => fault.kind === 'refuse' && fault.connection === number,
        );
        return new SimulatedSocket(this, thread, bytes => {
          bytes.copy(buffer);
          return received(buffer, 0, bytes.length);
        }).open(isRefused);
      },
    };
    return dialer;
  }

  wrote(request: Buffer): void {
    const sampleId = this.#sampleIdOf(request);
    const known = this.written.get(sampleId);
    if (known === undefined) this.written.set(sampleId, { firstNs: this.nowNs, bytes: request.length });
    else known.bytes += request.length;
  }

  /** Without taking time. */
  get nowNs(): number {
    return Number(this.parts.loop.monotonicNs());
  }

  #sampleIdOf(request: Buffer): number {
    const at = request.indexOf(this.parts.noncePrefix) + this.parts.noncePrefix.length;
    return Number.parseInt(request.toString('latin1', at, at + 8), 16);
  }

  /** @returns what is sent to it, undefined: the connection ends at once. */
  reply(request: Buffer): SentReply {
    const { faults, random, isStreaming } = this.parts;
    const number = this.#requests;
    this.#requests += 1;
    const sampleId = this.#sampleIdOf(request);
    const fault = faults.find(one => one.kind === 'reply' && one.request === number);
    const how = fault?.kind === 'reply' ? fault.how : undefined;
    const before = this.served.get(sampleId);
    const tokens = 1 + random.below(8);
    const sample: ServedSample = {
      requests: (before?.requests ?? 0) + 1,
      isWhole: false,
      isAnswered: false,
      bytesRead: 0,
      tokens,
      isSpoiled: how === 'refused' || how === 'garbage',
      firstReadNs: undefined,
      chunksReadNs: [],
      lastReadNs: 0,
    };
    this.served.set(sampleId, sample);
    const good = isStreaming ? streamed(tokens) : plain(tokens);
    const bytes = how === 'refused' ? ERROR_REPLY : how === 'garbage' ? GARBAGE : good;
    const isCut = how === 'reset' || how === 'end' || how === 'stall';
    const part = fault?.kind === 'reply' ? fault.part : 1;
    const length = isCut ? Math.floor(part * bytes.length) : bytes.length;
    const cuts = [...Array(1 + random.below(isStreaming ? tokens + 3 : 3))]
      .map(() => random.below(length + 1))
      .concat(length)
      .sort((a, b) => a - b);
    return { sample, bytes, cuts, how, gapNs: how === 'slow' ? 60e6 : 0.2e6 + random.below(8) * 1e6 };
  }
}

interface SentReply {
  readonly sample: ServedSample;
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
  readonly how: string | undefined;
  readonly gapNs: number;
}

class SimulatedSocket extends EventEmitter implements DialedSocket {
  readonly writableLength = 0;
  readonly #server: SimulatedServer;
  readonly #thread: LoopOwner;
  readonly #read: (bytes: Buffer) => boolean;
  #isGone = false;
  /** The server has closed its end: requests that come now are answered by a reset. */
  #isClosedThere = false;

  constructor(server: SimulatedServer, thread: LoopOwner, read: (bytes: Buffer) => boolean) {
    super();
    this.#server = server;
    this.#thread = thread;
    this.#read = read;
  }

  open(isRefused: boolean): this {
    this.#here(1_000, () => this.emit('connectionAttempt'));
    this.#here(ROUND_TRIP_NS, () => {
      if (isRefused) this.#fail('ECONNREFUSED');
      else this.emit('connect');
    });
    return this;
  }

  write(bytes: Uint8Array): boolean {
    const request = Buffer.from(bytes);
    this.#server.wrote(request);
    this.#there(ROUND_TRIP_NS / 2, () => {
      if (this.#isClosedThere) this.#here(ROUND_TRIP_NS / 2, () => this.#fail('ECONNRESET'));
      else this.#send(this.#server.reply(request));
    });
    return true;
  }

  setNoDelay(): this {
    return this;
  }

  destroy(): this {
    this.#isGone = true;
    return this;
  }

  #send({ sample, bytes, cuts, how, gapNs }: SentReply): void {
    let from = 0;
    let afterNs = FIRST_BYTE_NS + gapNs;
    for (const to of cuts) {
      const piece = bytes.subarray(from, to);
      const chunks = chunksIn(bytes, from, to);
      from = to;
      if (piece.length === 0) continue;
      afterNs += gapNs;
      this.#here(afterNs, () => {
        sample.bytesRead += piece.length;
        sample.lastReadNs = this.#server.nowNs;
        sample.firstReadNs ??= sample.lastReadNs;
        for (let chunk = 0; chunk < chunks; chunk += 1) sample.chunksReadNs.push(sample.lastReadNs);
        if (!sample.isSpoiled) {
          sample.isWhole = to === bytes.length;
          sample.isAnswered = to >= answeredAt(bytes);
        }
        this.#read(piece);
      });
    }
    if (how === 'reset') this.#here(afterNs + 1_000, () => this.#fail('ECONNRESET'));
    if (how === 'end') this.#here(afterNs + 1_000, () => this.#end());
    if (how !== 'closes') return;
    this.#there(afterNs + gapNs / 4, () => {
      this.#isClosedThere = true;
      this.#here(ROUND_TRIP_NS / 2, () => this.#end());
    });
  }

  #fail(code: string): void {
    this.emit('error', Object.assign(new Error(`simulated ${code}`), { code }));
    this.emit('close');
  }

  #end(): void {
    this.emit('end');
    this.emit('close');
  }

  /** On the thread's own loop, unless it has closed the socket. */
  #here(ns: number, act: () => void): void {
    this.#server.parts.loop.in(ns, this.#thread, () => {
      if (!this.#isGone) act();
    });
  }

  #there(ns: number, act: () => void): void {
    this.#server.parts.loop.in(ns, this.#server.owner, act);
  }
}

const streamed = (tokens: number): Buffer => {
  const known = STREAMED[tokens];
  if (known !== undefined) return known;
  const events = [
    ...Array.from({ length: tokens }, (_, at) =>
      JSON.stringify({ choices: [{ index: 0, delta: { content: `word ${at} ` }, finish_reason: null }] }),
    ),
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: tokens } }),
    '[DONE]',
  ];
  const body = events.map(event => `data: ${event}\n\n`);
  const chunks = body.map(text => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
  const made = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  );
  STREAMED[tokens] = made;
  return made;
};

const plain = (tokens: number): Buffer => {
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'an answer' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: tokens },
  });
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
};

/**
 * A stream has ended properly once every choice has its finish reason (docs/metrics.md), even if what follows
 * is cut off.
 */
const answeredAt = (bytes: Buffer): number => {
  const finish = bytes.indexOf('"finish_reason":"stop"');
  const isStream = bytes.includes('data: ');
  return isStream ? bytes.indexOf('\n\n', finish) + 2 : bytes.length;
};

/** How many chunks with content have their end in these bytes. */
const chunksIn = (bytes: Buffer, from: number, to: number): number => {
  let count = 0;
  for (let at = bytes.indexOf(CONTENT); at !== -1; at = bytes.indexOf(CONTENT, at + 1)) {
    const end = bytes.indexOf('\n\n', at) + 2;
    if (end > from && end <= to) count += 1;
  }
  return count;
};

const CONTENT = '"delta":{"content"';
const STREAMED: Buffer[] = [];
const ERROR_REPLY = Buffer.from(
  'HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n{"error":"busy"}',
);
const GARBAGE = Buffer.from('this is no HTTP\r\n\r\n');
const READ_BYTES = 4_096;
const ROUND_TRIP_NS = 200_000;
const FIRST_BYTE_NS = 500_000;
