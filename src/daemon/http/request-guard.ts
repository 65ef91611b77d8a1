// Refuses requests before their body is read: too many, under a foreign name, from a foreign page, or without the
// token; and replies past the limit of waiting ones. Whether reading needs the token depends on the bound address,
// never on headers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Clock } from '../../clock/clock.ts';
import { AddressBuckets, TokenBucket } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import { type Access, cookieName, type Grant, readCookie } from './access.ts';
import { canonicalAddress, isLoopbackAddress, isLoopbackName, MachineAddresses, parseHost } from './host.ts';
import type { HttpLimits } from './http-options.ts';
import { RequestError } from './request-error.ts';

/** `read` needs the token beyond loopback; `change` everywhere. */
export type RouteAccess = 'public' | 'read' | 'change';

interface GuardOptions {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly access: Access;
  readonly limits: HttpLimits;
  /** Whether a connection came over the Unix socket in the home, which nobody else can open. */
  readonly isOwnSocket: (socket: Socket) => boolean;
}

export class RequestGuard {
  readonly #access: Access;
  readonly #cookieName: string;
  readonly #urlBytesMax: number;
  readonly #machine: MachineAddresses;
  readonly #requests: AddressBuckets;
  readonly #refusals: AddressBuckets;
  readonly #ownRequests: TokenBucket;
  readonly #isOwnSocket: (socket: Socket) => boolean;
  readonly #answers: Record<'owner' | 'stranger', WaitingAnswers>;
  #boundHostName: string | undefined;
  #isLoopback = false;

  constructor({ nodeId, clock, access, limits, isOwnSocket }: GuardOptions) {
    this.#access = access;
    this.#isOwnSocket = isOwnSocket;
    this.#cookieName = cookieName(nodeId);
    this.#urlBytesMax = limits.urlBytesMax;
    const {
      answersMax,
      answersOwnerMax,
      answersBytesMax: bytesMax,
      silentUnderPressureMs: silentMs,
    } = limits;
    this.#answers = {
      owner: new WaitingAnswers(clock, { max: answersOwnerMax, bytesMax, silentMs }),
      stranger: new WaitingAnswers(clock, { max: answersMax, bytesMax, silentMs }),
    };
    this.#machine = new MachineAddresses(() => clock.nowMs());
    const { requestsPerSecondMax, refusalsPerMinuteMax, rateAddressesMax } = limits;
    const requests = { burst: requestsPerSecondMax * 2, perSecond: requestsPerSecondMax };
    this.#requests = new AddressBuckets(clock, requests, rateAddressesMax);
    this.#ownRequests = new TokenBucket(clock, requests);
    const refusals = { burst: refusalsPerMinuteMax, perSecond: refusalsPerMinuteMax / 60 };
    this.#refusals = new AddressBuckets(clock, refusals, rateAddressesMax);
  }

  /** What the server is bound to: the name it was asked for and the address it got. */
  bind(bound: { readonly host: string; readonly address: string }): void {
    this.#isLoopback = isLoopbackAddress(bound.address);
    // A bound address belongs to this machine; 0.0.0.0 is not a usable name.
    this.#boundHostName = isIP(bound.host) === 0 ? parseHost(bound.host)?.name : undefined;
  }

  get isLoopback(): boolean {
    return this.#isLoopback;
  }

  /**
   * Whether the request shows the token, or comes over the socket in the home. Slots, rates and streams of the owner do not
   * depend on what others of the same address do. A wrong token is not refused here: `grant` does that where one is needed.
   */
  isOwner(request: IncomingMessage): boolean {
    return this.#isOwnSocket(request.socket) || this.#shown(request).granted !== undefined;
  }

  /** Whether it comes over the socket in the home, which only the user of the daemon can open. */
  isHomeSocket({ socket }: IncomingMessage): boolean {
    return this.#isOwnSocket(socket);
  }

  /** @throws RequestError for what no route may answer. */
  check(request: IncomingMessage, isOwner: boolean): void {
    this.#checkShape(request);
    const rate = isOwner ? this.#ownRequests : this.#requests.of(remoteAddress(request));
    if (!rate.take()) {
      throw new RequestError(
        {
          code: 'too-many-requests',
          problem: 'Too many requests from this address.',
          advice: 'Wait a second, or read /api/stream instead of polling.',
        },
        { headers: { 'retry-after': '1' } },
      );
    }
    const host = this.#checkHost(request);
    checkOrigin(request, host);
    checkFetchMetadata(request);
  }

  /** @throws RequestError 401 when the route needs a token that the request does not carry. */
  grant(request: IncomingMessage, need: RouteAccess): Grant {
    const isFree = this.#isLoopback || this.#isOwnSocket(request.socket);
    if (need === 'public' || (need === 'read' && isFree)) return { kind: 'open' };
    const { isAny, granted } = this.#shown(request);
    // The right one is good however many wrong ones came from its address.
    if (granted !== undefined) return granted;
    if (!isAny) throw unauthorized('This needs the access token.');
    this.checkRefusals(request);
    this.noteRefusal(request);
    throw unauthorized('The access token is not the current one, or the sign-in of this browser has ended.');
  }

  /**
   * Limits the replies that wait for their readers: a reply may be megabytes, and a client that never reads keeps it in
   * memory until its connection is closed. @throws RequestError 503 while too many answers wait for their readers.
   */
  enter(response: ServerResponse, isOwner: boolean): void {
    const answers = this.#answers[isOwner ? 'owner' : 'stranger'];
    if (answers.enter(response)) return;
    throw new RequestError(
      {
        code: 'too-busy',
        problem: `Too many replies, or too large ones, wait for clients that do not read: ${answers.count}.`,
        advice: 'Try again in a second.',
      },
      { headers: { 'retry-after': '1' } },
    );
  }

  /** @throws RequestError 429 when this address was refused too often. */
  checkRefusals(request: IncomingMessage): void {
    if (this.#refusals.of(remoteAddress(request)).has()) return;
    throw new RequestError(
      {
        code: 'too-many-refusals',
        problem: 'This address has sent too many wrong tokens or codes.',
        advice: 'Wait a minute.',
      },
      { headers: { 'retry-after': '60' } },
    );
  }

  noteRefusal(request: IncomingMessage): void {
    this.#refusals.of(remoteAddress(request)).take();
  }

  /** The token or the cookie that a request carries, and what it is worth. */
  #shown({ headers: { authorization, cookie } }: IncomingMessage): {
    readonly isAny: boolean;
    readonly granted: Grant | undefined;
  } {
    const token = BEARER.exec(authorization ?? '')?.[1];
    const cookieValue = readCookie(cookie, this.#cookieName);
    return {
      isAny: token !== undefined || cookieValue !== undefined,
      granted:
        (token === undefined ? undefined : this.#access.grantForToken(token)) ??
        (cookieValue === undefined ? undefined : this.#access.grantForCookie(cookieValue)),
    };
  }

  #checkShape(request: IncomingMessage): void {
    const url = request.url ?? '';
    if (url.length > this.#urlBytesMax) {
      throw new RequestError({
        code: 'url-too-long',
        problem: `The URL is longer than ${this.#urlBytesMax} bytes.`,
        advice: '',
        bytesMax: this.#urlBytesMax,
      });
    }
    // The absolute form ("GET http://host/") and "*" are for proxies, which this is not.
    if (!url.startsWith('/') || url.includes('\\')) {
      throw new RequestError({ code: 'bad-url', problem: 'The request target must be a path.', advice: '' });
    }
  }

  #checkHost(request: IncomingMessage): string {
    const hosts = headerValues(request, 'host');
    const [text] = hosts;
    if (hosts.length !== 1 || text === undefined) {
      throw new RequestError({
        code: 'bad-host',
        problem: `The request has ${hosts.length} Host headers.`,
        advice: 'Send exactly one.',
      });
    }
    const host = parseHost(text);
    if (host === undefined) {
      throw new RequestError({
        code: 'bad-host',
        problem: 'The Host header is no host and port.',
        advice: '',
      });
    }
    const isOurs =
      isLoopbackName(host.name) ||
      host.name === this.#boundHostName ||
      this.#access.hostNames.has(host.name) ||
      this.#machine.has(host.name);
    if (isOurs) return text.toLowerCase();
    throw new RequestError({
      code: 'host-not-allowed',
      problem: `This daemon does not serve the host name ${host.name}.`,
      advice: 'Use its address, or add the name to host_names in config.toml.',
      host: host.name,
    });
  }
}

interface AnswerLimits {
  readonly max: number;
  readonly bytesMax: number;
  readonly silentMs: number;
}

/** Replies that are not over, the oldest first. */
class WaitingAnswers {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #limits: AnswerLimits;
  readonly #since = new Map<ServerResponse, number>();

  constructor(clock: Pick<Clock, 'nowMs'>, limits: AnswerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get count(): number {
    return this.#since.size;
  }

  /** @returns false when there is no slot, not even that of a reply which nobody has read for too long */
  enter(response: ServerResponse): boolean {
    while (this.#isFull()) if (!this.#cutOldest()) return false;
    this.#since.set(response, this.#clock.nowMs());
    response.once('close', () => this.#since.delete(response));
    return true;
  }

  #isFull(): boolean {
    if (this.#since.size >= this.#limits.max) return true;
    let bytes = 0;
    for (const response of this.#since.keys()) bytes += response.writableLength;
    return bytes >= this.#limits.bytesMax;
  }

  #cutOldest(): boolean {
    const [[response, sinceMs] = []] = this.#since;
    if (response === undefined || sinceMs === undefined) return false;
    if (this.#clock.nowMs() - sinceMs < this.#limits.silentMs) return false;
    this.#since.delete(response);
    response.destroy();
    return true;
  }
}

export const remoteAddress = (request: IncomingMessage): string =>
  canonicalAddress(request.socket.remoteAddress ?? '');

const unauthorized = (problem: string): RequestError =>
  new RequestError(
    {
      code: 'token-needed',
      problem,
      advice: 'Send "Authorization: Bearer <token>", or open the URL that "plimsoll open" prints.',
    },
    { headers: { 'www-authenticate': 'Bearer realm="plimsoll"' } },
  );

/** Every value as received: Node keeps only the first of several Host headers. */
const headerValues = (request: IncomingMessage, name: string): readonly string[] =>
  request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === name,
  );

/** An Origin must name the host that the request is for. The scheme may differ: a proxy may terminate TLS before the daemon. */
const checkOrigin = (request: IncomingMessage, host: string): void => {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const match = ORIGIN.exec(origin);
  if (match?.[2] !== undefined && match[2].toLowerCase() === host) return;
  throw new RequestError({
    code: 'origin-not-allowed',
    problem: 'This daemon only answers its own pages, not those of another origin.',
    advice: '',
  });
};

/**
 * Browsers state where a request comes from. Another site may link to our pages, but neither embed nor fetch them; nor may
 * another port of this host, which counts as the same site.
 */
const checkFetchMetadata = (request: IncomingMessage): void => {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  const isNavigation =
    request.headers['sec-fetch-mode'] === 'navigate' &&
    request.headers['sec-fetch-dest'] === 'document' &&
    (request.method === 'GET' || request.method === 'HEAD');
  if (isNavigation) return;
  throw new RequestError({
    code: 'cross-site',
    problem: 'Pages of other sites and ports may link to this daemon, but not read from it.',
    advice: '',
  });
};

const BEARER = /^Bearer ([A-Za-z0-9\-._~+/=]{1,256})$/i;
const ORIGIN = /^(https?):\/\/([^/?#\s]{1,300})$/i;
