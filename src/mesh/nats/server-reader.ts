// The bytes of a fleet's server on their way to the client library, cut into whole frames and checked: the
// library grows its buffers for as long as a line goes on, prints what it cannot parse, and stops reading for
// good after a malformed header. So only well-formed frames of a limited size reach it. An error that only a
// server can make ends the connection; what a member can make a server pass on (a subject, headers, a message
// that is too large) is left out and counted.

import { Buffer } from 'node:buffer';
import * as v from 'valibot';
import type { Clock } from '../../clock/clock.ts';
import { TokenBucket } from '../../clock/token-bucket.ts';
import type { Infer } from '../../core/schema.ts';
import { showable } from '../../core/text/single-line.ts';
import { SEAL_VERSION } from './sealed-message.ts';

/** A violation of the protocol by the server: it ends the connection, and a person reads the reason. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Whole frames in order of arrival. */
interface FrameRun {
  readonly bytes: Uint8Array;
  readonly frames: number;
}

export class ServerReader {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #control: TokenBucket;
  readonly #ready: FrameRun[] = [];
  #readyBytes = 0;
  /** The start of a frame, and how many bytes it has. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Bytes from the start of the rest without which nothing can be decided; 0: up to the end of a line. */
  #need = 0;
  #restSinceMs = 0;
  /** For a frame that is too large: bytes still to come. */
  #skip = 0;
  #info: ServerInfoFields | undefined;
  #refused = 0;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#control = new TokenBucket(clock, { burst: CONTROL_BURST, perSecond: CONTROL_PER_SECOND });
  }

  /** The server's latest INFO. */
  get info(): ServerInfoFields | undefined {
    return this.#info;
  }

  /** Frames left out. */
  get refused(): number {
    return this.#refused;
  }

  /** Checked and not taken. */
  get readyBytes(): number {
    return this.#readyBytes;
  }

  get readyFrames(): number {
    return this.#ready.reduce((sum, { frames }) => sum + frames, 0);
  }

  /** A frame has begun and is not complete. */
  get isWithinFrame(): boolean {
    return this.#restBytes > 0 || this.#skip > 0;
  }

  /** @throws ProtocolViolation */
  push(chunk: Buffer): void {
    const within = chunk.subarray(Math.min(this.#skip, chunk.length));
    this.#skip -= chunk.length - within.length;
    if (within.length === 0) return;
    if (this.#restBytes === 0) {
      this.#cut(within);
      return;
    }
    if (this.#clock.nowMs() - this.#restSinceMs > FRAME_MS_MAX)
      throw new ProtocolViolation(`one message took more than ${FRAME_MS_MAX / 1_000} s`);
    this.#rest.push(within);
    this.#restBytes += within.length;
    // Not joined for each piece: a line or message that arrives byte by byte would be copied as often.
    if (this.#need === 0) {
      if (within.includes(LF)) this.#again();
      else checkLine(this.#restBytes);
    } else if (this.#restBytes >= this.#need) this.#again();
  }

  take(): FrameRun | undefined {
    const run = this.#ready.shift();
    this.#readyBytes -= run?.bytes.length ?? 0;
    return run;
  }

  #again(): void {
    const joined = Buffer.concat(this.#rest, this.#restBytes);
    this.#rest = [];
    this.#restBytes = 0;
    this.#cut(joined);
  }

  #cut(bytes: Buffer): void {
    let at = 0;
    let runFrom = 0;
    let frames = 0;
    /** Unchanged up to here. */
    const endRun = (): void => {
      if (at > runFrom) this.#deliver(bytes.subarray(runFrom, at), frames);
      frames = 0;
    };
    while (at < bytes.length) {
      const lineEnd = bytes.indexOf(LF, at);
      checkLine((lineEnd < 0 ? bytes.length : lineEnd) - at);
      if (lineEnd < 0) break;
      const line = bytes.toString('latin1', at, lineEnd + 1);
      const payload = payloadOf(line);
      if (payload === undefined) {
        const instead = this.#lineInstead(line);
        if (instead === undefined) {
          frames += 1;
          at = lineEnd + 1;
        } else {
          endRun();
          this.#deliver(instead, 1);
          at = lineEnd + 1;
          runFrom = at;
        }
      } else {
        const end = lineEnd + 1 + payload.size + LINE_END.length;
        const isTooLarge = payload.size > SERVER_PAYLOAD_BYTES_MAX;
        if (end > bytes.length && !isTooLarge) {
          this.#need = end - at;
          break;
        }
        const isLeftOut = isTooLarge || !isWellFormed(payload, bytes, lineEnd + 1);
        if (isLeftOut || isLongReply(payload, bytes, lineEnd + 1)) {
          endRun();
          this.#refused += 1;
          this.#skip = Math.max(0, end - bytes.length);
          at = Math.min(end, bytes.length);
          runFrom = at;
          continue;
        }
        if (bytes[end - 2] !== CR || bytes[end - 1] !== LF)
          throw new ProtocolViolation('a message does not end at its stated length');
        frames += 1;
        at = end;
      }
      if (frames >= RUN_FRAMES_MAX || at - runFrom >= RUN_BYTES_MAX) {
        endRun();
        runFrom = at;
      }
    }
    endRun();
    this.#keep(bytes.subarray(at));
  }

  #deliver(bytes: Uint8Array, frames: number): void {
    this.#ready.push({ bytes, frames });
    this.#readyBytes += bytes.length;
  }

  #keep(rest: Buffer): void {
    this.#rest = rest.length > 0 ? [rest] : [];
    this.#restBytes = rest.length;
    this.#restSinceMs = this.#clock.nowMs();
    if (rest.length === 0 || !rest.includes(LF)) this.#need = 0;
  }

  /**
   * @returns what the library reads instead; undefined: the unchanged line.
   * @throws ProtocolViolation
   */
  #lineInstead(line: string): Uint8Array | undefined {
    // An error arrives for each thing that this node may not do: there are as many of these as it tries.
    if (line.startsWith('-ERR ') && line.endsWith(LINE_END)) return errorLine(line);
    if (line === 'PONG\r\n') return undefined;
    if (!this.#control.take())
      throw new ProtocolViolation(`more than ${CONTROL_PER_SECOND} lines per second that are not messages`);
    if (line === 'PING\r\n' || line === '+OK\r\n') return undefined;
    if (line.startsWith('INFO ') && line.endsWith(LINE_END)) {
      const info = serverInfoOf(Buffer.from(line.slice(5), 'latin1').toString('utf8'));
      if (info === undefined) throw new ProtocolViolation('its INFO is not that of a nats-server');
      this.#info = info;
      return infoLine(info);
    }
    throw new ProtocolViolation('a line that is not part of the protocol');
  }
}

interface Payload {
  readonly subject: string;
  readonly reply: string;
  readonly headerBytes: number | undefined;
  readonly size: number;
}

/**
 * For a line that announces a message; undefined for other lines.
 * @throws ProtocolViolation
 */
const payloadOf = (line: string): Payload | undefined => {
  if (!line.startsWith('MSG ') && !line.startsWith('HMSG ')) return undefined;
  const [verb, subject = '', sid = '', ...more] = line.slice(0, -LINE_END.length).split(' ');
  const numbers = verb === 'HMSG' ? 2 : 1;
  const reply = more.length > numbers ? (more.shift() ?? '') : '';
  if (!line.endsWith(LINE_END) || more.length !== numbers || ![sid, ...more].every(isCount))
    throw new ProtocolViolation('a message whose head is malformed');
  const [first = 0, size = first] = more.map(Number);
  const headerBytes = verb === 'HMSG' ? first : undefined;
  if (size > SKIPPED_BYTES_MAX || (headerBytes ?? 0) > size)
    throw new ProtocolViolation('a message of a size that no nats-server sends');
  return { subject, reply, headerBytes, size };
};

const isCount = (text: string): boolean => /^\d{1,9}$/.test(text);

const isWellFormed = ({ subject, reply, headerBytes }: Payload, bytes: Buffer, from: number): boolean => {
  if (!PLAIN.test(subject) || !PLAIN.test(reply)) return false;
  if (headerBytes === undefined) return true;
  if (headerBytes > HEADER_BYTES_MAX) return false;
  const header = bytes.toString('latin1', from, from + headerBytes);
  return HEADER.test(header) && header.split(LINE_END).length - 2 <= HEADER_LINES_MAX;
};

const isLongReply = ({ subject, headerBytes = 0, size }: Payload, bytes: Buffer, from: number): boolean =>
  size - headerBytes > REPLY_BYTES_MAX &&
  subject.startsWith('_INBOX') &&
  bytes[from + headerBytes] !== SEAL_VERSION;

const checkLine = (bytes: number): void => {
  if (bytes > LINE_BYTES_MAX) throw new ProtocolViolation(`a line of more than ${LINE_BYTES_MAX} bytes`);
};

const errorLine = (line: string): Uint8Array =>
  Buffer.from(
    `-ERR ${line
      .slice(5, -LINE_END.length)
      .slice(0, ERROR_LENGTH_MAX)
      .replace(/[^\x20-\x7e]/g, '?')}\r\n`,
    'latin1',
  );

const LF = 10;
const CR = 13;
const LINE_END = '\r\n';
const PLAIN = /^[\x21-\x7e]*$/;
/** RFC 9110 field names; printable ASCII values, as in everything that a server adds. */
const HEADER = /^NATS\/1\.0[\x20-\x7e]*\r\n(?:[!#$%&'*+.^_`|~\w-]+:[\x20-\x7e]*\r\n)*\r\n$/;

/** INFO names each server of a cluster; all else is far shorter (max_control_line of a server: 4,096). */
export const LINE_BYTES_MAX = 65_536;
/** Limit for one message; the largest record of a fleet has 1 MB. */
export const SERVER_PAYLOAD_BYTES_MAX = 4_194_304;
/**
 * Limit for a reply to a request, which the library may parse as JSON: nested brackets take long. A stored
 * message is sealed.
 */
export const REPLY_BYTES_MAX = 524_288;
/** The most that a server may be configured to pass on. */
const SKIPPED_BYTES_MAX = 67_108_864;
export const HEADER_BYTES_MAX = 8_192;
export const HEADER_LINES_MAX = 64;
const ERROR_LENGTH_MAX = 512;
/** A slow network transfers 1 MB in a second; 8 MB over a bad one may take a while. */
export const FRAME_MS_MAX = 30_000;
/** PING arrives every two minutes, INFO when servers of a cluster join and leave. */
const CONTROL_BURST = 256;
const CONTROL_PER_SECOND = 16;
/** What is parsed in one turn of the event loop. */
const RUN_FRAMES_MAX = 128;
const RUN_BYTES_MAX = 131_072;

// The INFO of a fleet's server, copied field by field: a library reads it after this, and none of its texts
// may be of a kind or length that a server does not send. Fields that are not needed are left out.
const TEXT_LENGTH_MAX = 256;

const PAYLOAD_BYTES_DEFAULT = 1_048_576;

const text = v.optional(
  v.pipe(
    v.string(),
    v.transform(reported => showable(reported).slice(0, TEXT_LENGTH_MAX)),
  ),
  '',
);
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = v.optional(whole, 0);
const flag = v.optional(v.boolean(), false);

const SERVER_INFO = v.object({
  // "2.9.10", "2.12.0-preview.1"
  version: v.pipe(v.string(), v.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]{0,40}$/)),
  server_id: text,
  server_name: text,
  host: text,
  port: count,
  proto: count,
  client_id: count,
  max_payload: v.optional(whole, PAYLOAD_BYTES_DEFAULT),
  headers: flag,
  jetstream: flag,
  auth_required: flag,
  tls_required: flag,
  tls_available: flag,
  ldm: flag,
  /** To be signed by a client with credentials. */
  nonce: v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{0,256}$/))),
});

/** Fields by their names on the wire. */
type ServerInfoFields = Infer<typeof SERVER_INFO>;

/** Undefined: not the INFO of a nats-server. */
const serverInfoOf = (json: string): ServerInfoFields | undefined => {
  let reported: unknown;
  try {
    reported = JSON.parse(json);
  } catch {
    return undefined;
  }
  const parsed = v.safeParse(SERVER_INFO, reported);
  return parsed.success ? parsed.output : undefined;
};

/** The line as the library should read it. */
const infoLine = (info: ServerInfoFields): Uint8Array =>
  Buffer.from(`INFO ${JSON.stringify(info)}\r\n`, 'utf8');
