// The daemon's HTTP server: every route behind one guard, one form of error, one table of limits. Built without a port;
// `listen` binds it, and the bound address decides who needs the token.

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { systemClock } from '../../clock/system-clock.ts';
import { ByteBudget } from '../../core/byte-budget.ts';
import { NESTING_MAX } from '../../core/input/json-footprint.ts';
import { clusterHeadroom } from '../../core/model/cluster-headroom.ts';
import { headroomDocument } from '../../core/model/headroom-document.ts';
import { agentLoadRequestSchema, grantedAgentSchema } from '../../wire/api/agent-answers.ts';
import { headroomRequestSchema } from '../../wire/api/headroom-request.ts';
import { headroomDocumentSchema } from '../../wire/headroom-schema.ts';
import { isNestedTooDeep } from '../../wire/shallow-json.ts';
import type { Grant } from './access.ts';
import { accessRoutes } from './access-routes.ts';
import { clusterRoutes } from './cluster-routes.ts';
import { ConnectionSlots } from './connection-slots.ts';
import { daemonRoutes } from './daemon-routes.ts';
import { addDashboardRoutes } from './dashboard-routes.ts';
import { groupRoutes } from './group-routes.ts';
import { historyRoute } from './history-route.ts';
import type { HttpLimits, HttpServerOptions } from './http-options.ts';
import { jobRoutes } from './job-routes.ts';
import { type Listening, type ListenRequest, listenOn } from './listen.ts';
import { mcpRoutes } from './mcp-routes.ts';
import { meshRoutes } from './mesh-routes.ts';
import { listenOnOwnerSocket, type OwnerSocket } from './owner-socket.ts';
import { storedDocumentRoutes } from './plain-routes.ts';
import { probeRoutes } from './probe-routes.ts';
import {
  addErrorHandlers,
  answerBrokenRequest,
  RequestError,
  refuseConnection,
  SECURITY_HEADERS,
  sendError,
} from './request-error.ts';
import { RequestGuard } from './request-guard.ts';
import { RequestTurns } from './request-turns.ts';
import {
  type ApiRoute,
  addApiRoutes,
  checkQuery,
  foldMethod,
  jsonAnswer,
  readBody,
  sendJson,
} from './route.ts';
import { stateRoutes } from './state-routes.ts';
import { allStreams, FleetHub } from './stream/fleet-hub.ts';
import { StreamHub } from './stream/stream-hub.ts';
import { streamRoute } from './stream-route.ts';

/** @see HttpServer.listen; nothing runs before it. */
export const createHttpServer = (options: HttpServerOptions): HttpServer => new HttpServer(options);

export class HttpServer implements AsyncDisposable {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #app: FastifyInstance;
  readonly #guard: RequestGuard;
  readonly #slots: ConnectionSlots;
  readonly #turns: RequestTurns;
  readonly #ownSockets = new WeakSet<Socket>();
  #ownerSocket: OwnerSocket | undefined;
  readonly #hub: StreamHub;
  readonly #fleets: FleetHub;
  readonly #served = new Set<ApiRoute>();
  readonly #bodies: ByteBudget;
  /** Serves a connection without taking a slot. */
  readonly #admit: (socket: Socket) => void;
  #bound: Listening | undefined;
  #closing: Promise<void> | undefined;
  #forgetAccess: () => void = () => undefined;

  constructor(options: HttpServerOptions) {
    const { clock, cluster, limits, nodeId, version, access } = options;
    this.#options = options;
    this.#guard = new RequestGuard({
      nodeId,
      clock,
      access,
      limits,
      isOwnSocket: socket => this.#ownSockets.has(socket),
    });
    const streams = {
      clock,
      cluster,
      limits,
      nodeId,
      version,
      daemonStart: `${Math.round(clock.wallMs()).toString(36)}-${randomBytes(6).toString('hex')}`,
      isStillGranted: (grant: Grant) => access.isStillGranted(grant),
      onFailure: (message: string, cause: unknown) => options.logger?.warn(message, cause),
    };
    this.#hub = new StreamHub(streams);
    this.#fleets = new FleetHub(streams);
    this.#bodies = new ByteBudget(limits.bodiesBytesMax);
    this.#slots = new ConnectionSlots(limits, socket => socket.destroy());
    this.#server = createNodeServer(limits);
    this.#admit = admitConnections(this.#server, this.#slots);
    this.#turns = new RequestTurns({ clock: systemClock, pipelinedMax: limits.pipelinedMax });
    this.#app = createApp(this.#server, {
      limits,
      slots: this.#slots,
      guard: this.#guard,
      turns: this.#turns,
    });
    this.#addRoutes();
  }

  /** The registered API, for tests that compare /openapi.json and the replies with it. */
  get served(): ReadonlySet<ApiRoute> {
    return this.#served;
  }

  /** @throws HttpServerError, its `code` stable, when the address or port cannot be had. */
  async listen(request: ListenRequest): Promise<Listening> {
    await this.#app.ready();
    // Until the guard has the address, it treats no client as one on loopback.
    const listening = await listenOn(this.#server, request);
    const address = this.#server.address();
    if (typeof address === 'object' && address !== null) {
      this.#guard.bind({ host: request.host, address: address.address });
    }
    this.#bound = listening;
    this.#server.on('error', error =>
      this.#options.logger?.warn(`The HTTP server failed: ${error.message}.`, error),
    );
    this.#forgetAccess = this.#options.access.onChange(() => {
      this.#hub.checkGrants();
      this.#fleets.checkGrants();
    });
    this.#hub.start();
    this.#fleets.start();
    return listening;
  }

  /** Also accepts connections on a Unix socket that only this user can open. Never throws. */
  async listenForOwner(path: string): Promise<OwnerSocket['path']> {
    this.#ownerSocket = await listenOnOwnerSocket({
      path,
      connectionsMax: this.#options.limits.connectionsOwnerMax,
      onConnection: socket => {
        this.#ownSockets.add(socket);
        this.#admit(socket);
      },
    });
    return this.#ownerSocket.path;
  }

  /** Streams are notified, everything else in flight is cut. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#forgetAccess();
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    await Promise.all([this.#hub[Symbol.asyncDispose](), this.#fleets[Symbol.asyncDispose]()]);
    const ownClosed = this.#ownerSocket?.close();
    this.#server.closeAllConnections();
    await Promise.all([closed, ownClosed]);
    await this.#app.close();
    await this.#turns[Symbol.asyncDispose]();
  }

  /** Reserves memory for the body that a request declares, until the request is closed. */
  #reserve(request: IncomingMessage): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const { bodyBytesMax } = this.#options.limits;
    const bytes = encoding === undefined ? Math.min(Number(length ?? 0), bodyBytesMax) : bodyBytesMax;
    if (!(bytes > 0)) return;
    const share = this.#bodies.share(() => request.destroy());
    for (const event of ['end', 'close']) request.once(event, () => share.release());
    share.resize(bytes);
  }

  #addRoutes(): void {
    const app = this.#app;
    const { dashboardDir, limits, logger } = this.#options;
    const routes: readonly ApiRoute[] = [
      ...stateRoutes(this.#options),
      streamRoute({
        hub: this.#hub,
        fleets: this.#fleets,
        guard: this.#guard,
        nodeCount: () => Object.keys(this.#options.cluster.state.nodeIdentities).length,
      }),
      historyRoute(this.#options),
      ...clusterRoutes(this.#options),
      ...groupRoutes(this.#options),
      ...headroomRoutes(this.#options),
      ...meshRoutes(this.#options),
      ...storedDocumentRoutes(this.#options),
      ...jobRoutes(this.#options, this.#guard),
      ...probeRoutes(this.#options),
      ...agentRoutes(this.#options),
      ...mcpRoutes(this.#options),
      ...accessRoutes(this.#options, this.#guard),
      ...daemonRoutes(this.#options, {
        guard: this.#guard,
        streams: () => allStreams(this.#hub.counts(), this.#fleets.counts()),
        bound: () => this.#bound,
        routes: () => routes,
      }),
    ];
    app.addHook('onRoute', ({ config }) => {
      if (config?.apiRoute !== undefined) this.#served.add(config.apiRoute);
    });
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(SECURITY_HEADERS).header('cache-control', 'no-store');
      const isOwner = this.#guard.isOwner(request.raw);
      if (isOwner) this.#slots.prove(request.raw.socket);
      this.#guard.check(request.raw, isOwner);
      const { apiRoute } = request.routeOptions.config;
      if (apiRoute !== undefined) {
        this.#guard.grant(request.raw, apiRoute.access);
        checkQuery(request.url, apiRoute);
        if (apiRoute.isStream !== true) this.#guard.enter(reply.raw, isOwner);
      }
      this.#reserve(request.raw);
      done();
    });
    addErrorHandlers(app, { limits, logger });
    addApiRoutes(app, routes);
    addDashboardRoutes(app, dashboardDir, { limits, onPage: () => this.#fleets.expectReader() });
  }
}

const createNodeServer = (limits: HttpLimits): Server => {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.connectionsCheckMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // The guard itself refuses a request without a Host header, with a body that states the reason.
    requireHostHeader: false,
  });
  server.maxConnections = limits.connectionsMax + limits.refusalsOpenMax;
  server.setTimeout(limits.idleTimeoutMs);
  return server;
};

/** Runs before Node's own listener, which serves every connection. @returns that listener */
const admitConnections = (server: Server, slots: ConnectionSlots): ((socket: Socket) => void) => {
  const listeners = server.listeners('connection');
  const admit = (socket: Socket): void => {
    for (const listener of listeners) Reflect.apply(listener, server, [socket]);
  };
  server.removeAllListeners('connection');
  server.on('connection', socket => {
    const entry = slots.enter(socket);
    if (entry.kind === 'refused') refuseConnection(socket, entry.problem);
    else admit(socket);
  });
  return admit;
};

const createApp = (
  server: Server,
  {
    limits,
    slots,
    guard,
    turns,
  }: {
    readonly limits: HttpLimits;
    readonly slots: ConnectionSlots;
    readonly guard: RequestGuard;
    readonly turns: RequestTurns;
  },
): FastifyInstance => {
  const app = fastify({
    serverFactory: handler =>
      server
        .on('request', (request, response) => {
          slots.serve(request.socket, response);
          const isAhead = HEALTH_PATHS.has(request.url ?? '') || guard.isOwner(request);
          const serve = (): void => {
            foldMethod(request);
            handler(request, response);
          };
          turns.add({ request, response, isAhead, serve });
        })
        // Node would answer 417 with an empty body. Unknown expectations may be ignored (RFC 9110 §10.1.1).
        .on('checkExpectation', (request, response) => server.emit('request', request, response)),
    bodyLimit: limits.bodyBytesMax,
    exposeHeadRoutes: true,
    requestIdHeader: false,
    routerOptions: { maxParamLength: limits.urlBytesMax, caseSensitive: true },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) => {
      const refusal = new RequestError({
        code: 'bad-url',
        problem: 'An escape in the URL is malformed.',
        advice: '',
      });
      return sendError(reply, request.raw, refusal);
    },
  });
  app.removeContentTypeParser('text/plain');
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    const refusal = isNestedTooDeep(text) ? new RequestError(TOO_DEEP) : encodingRefusal(request.headers);
    if (refusal === undefined) parseJson(request, text, done);
    else done(refusal);
  });
  return app;
};

/** What watches over the daemon asks them and gives it up within a second or so. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const TOO_DEEP = {
  code: 'bad-body',
  problem: `The body is nested deeper than ${NESTING_MAX}.`,
  advice: 'The right form is in /openapi.json.',
  at: '',
} as const;

// Bodies must be uncompressed UTF-8. Compressed bodies or other encodings would look like broken JSON.

/** Undefined if the body can be read. */
const encodingRefusal = (headers: IncomingHttpHeaders): RequestError | undefined => {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const charset =
    /;\s*charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const strange = [...(coding === 'identity' ? [] : [coding]), ...(UTF_8.has(charset) ? [] : [charset])];
  if (strange.length === 0) return undefined;
  return new RequestError({
    code: 'not-json',
    problem: `The body is encoded as ${strange.join(', ').slice(0, 60)}.`,
    advice: 'Send JSON in UTF-8, without Content-Encoding.',
  });
};

/** ASCII is part of it. */
const UTF_8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

// What a model should do on the cluster as it is now, for programs: they send the facts of the model, so that no request makes a
// daemon open a file or ask a server.
const headroomRoutes = ({ clock, cluster }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/headroom',
    access: 'change',
    summary:
      'What a model should do on the nodes of the cluster, from its facts: its placements ranked, and what would change them.',
    parameters: [],
    body: headroomRequestSchema,
    answers: {
      200: jsonAnswer('As plimsoll headroom --json.', headroomDocumentSchema),
    },
    handle: (request, reply) => {
      const { model, question, nodes } = readBody(request, headroomRequestSchema);
      const answer = clusterHeadroom(cluster.state, clock.nowMs(), { model, question, nodes });
      return sendJson(reply, headroomDocument(answer));
    },
  },
];

// Agents of the cluster, for coordinators on this machine.
const agentRoutes = ({ agents }: HttpServerOptions): readonly ApiRoute[] => [
  {
    method: 'POST',
    path: '/api/agents',
    access: 'change',
    summary:
      'Requests that a node of the cluster load a target for a benchmark coordinated on this machine. The node decides by its own settings.',
    parameters: [],
    body: agentLoadRequestSchema,
    answers: {
      201: jsonAnswer('Where its agent listens, and the ticket that opens it.', grantedAgentSchema),
    },
    handle: async (request, reply) => {
      const { nodeId } = readBody(request, agentLoadRequestSchema);
      if (agents === undefined)
        throw new RequestError({ code: 'no-agents', problem: 'This daemon uses no agents.', advice: '' });
      const requested = await agents.request(nodeId, AbortSignal.timeout(ANSWER_MS));
      if (requested.kind === 'granted') return sendJson(reply.code(201), requested.agent);
      const { problem, advice } = requested;
      throw new RequestError({ code: 'agent-refused', problem, advice, reason: requested.code });
    },
  },
];

/** Longer than a peer may take to answer. */
const ANSWER_MS = 28_000;
