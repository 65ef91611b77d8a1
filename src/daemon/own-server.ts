// The HTTP side of a node: access, what is served, where it listens, and the file from which commands on this machine
// learn the address.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { homeFiles } from '../config/home.ts';
import type { NodeId } from '../core/ids.ts';
import { forgetLink, type LinkForgetting } from '../core/link/forget-link.ts';
import { type Forgetting, forgetNode } from '../core/node/forget.ts';
import { isUnknown } from '../core/unknown.ts';
import { createFileAtomic, removeIfThere } from '../process/atomic-file.ts';
import type { Notice } from '../wire/notice.ts';
import { DaemonError } from './daemon-error.ts';
import { writeDaemonFile } from './daemon-file.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { dashboardUrl, signInUrl } from './dashboard-url.ts';
import { Access } from './http/access.ts';
import { httpUrl } from './http/host.ts';
import { HTTP_LIMITS, type HttpServerOptions } from './http/http-options.ts';
import { createHttpServer, type HttpServer } from './http/http-server.ts';
import { HttpServerError, type Listening } from './http/listen.ts';
import type { Lifetimes } from './lifetimes.ts';
import type { OwnNode } from './local-node.ts';
import { readSecretFile, type SecretFileAdvice } from './secret-file.ts';

interface OwnServer {
  /** "http://127.0.0.1:4180", without a path. */
  readonly url: string;
  readonly dashboardUrl: string;
  readonly signInUrl: () => string;
}

/** What is served in addition to the node itself. */
type ServedParts = Pick<
  HttpServerOptions,
  | 'runs'
  | 'sweeps'
  | 'comparisons'
  | 'comparing'
  | 'documents'
  | 'jobs'
  | 'probes'
  | 'agents'
  | 'mesh'
  | 'joining'
  | 'otlp'
  | 'readiness'
>;

/** @throws DaemonError when the address is taken or cannot be had. */
export const openOwnServer = async (
  options: DaemonOptions,
  node: OwnNode,
  served: ServedParts,
  lifetimes: Lifetimes,
): Promise<OwnServer> => {
  const { home, clock, version, simulation } = options;
  const { cluster, journal, notices, settings, localNode } = node;
  const token = await openAccessToken(home);
  const access = new Access({ clock, token, hostNames: settings.config.http.hostNames });
  const server = lifetimes.addAsync(
    createHttpServer({
      ...served,
      nodeId: localNode.nodeId,
      version,
      clock,
      cluster: {
        get state() {
          return cluster.state;
        },
        subscribe: (listener, onReplaced) => cluster.subscribe(listener, onReplaced),
        history: cluster.history,
        profileHistory: query =>
          [...(simulation?.history(query) ?? []), ...journal.history(query)].slice(-query.limit),
      },
      forget: subject => forget(node, subject),
      forgetLink: nodes => forgetLost(node, nodes),
      dashboardDir: options.dashboardDir,
      access,
      limits: HTTP_LIMITS,
      notices: () => notices.all,
      resources: options.resources,
      home,
      ...(options.program === undefined ? {} : { program: options.program }),
      logger: {
        warn: problem => notices.raise({ id: 'http-failed', code: 'http-failed', problem, advice: '' }),
      },
    }),
  );
  const listening = await listen(server, options, node);
  if (listening.notice !== undefined) notices.raise(listening.notice);
  const socket = await server.listenForOwner(homeFiles(home).socket);
  if (isUnknown(socket)) notices.raise(noOwnerSocket(socket.reason));
  const url = httpUrl(listening);
  const { nodeId } = localNode;
  const startedAtWallMs = clock.wallMs();
  const daemonFile = homeFiles(home).daemon;
  await writeDaemonFile(daemonFile, {
    url,
    socket,
    token,
    pid: options.pid,
    startedAtWallMs,
    nodeId,
    version,
  });
  lifetimes.defer(() => removeIfThere(daemonFile));
  return {
    url,
    dashboardUrl: dashboardUrl(listening),
    signInUrl: () => signInUrl(listening, access.issueCode()),
  };
};

const noOwnerSocket = (reason: string): Notice => ({
  id: 'no-owner-socket',
  code: 'no-owner-socket',
  problem: `The daemon has no Unix socket in its home: ${reason}.`,
  advice:
    'Commands use TCP, where other users of this machine can take the connections. A home with a short path on a local disk has one.',
  reason,
});

const forget = ({ cluster, recorder, localNode }: OwnNode, subject: NodeId): Forgetting => {
  const result = forgetNode(cluster.state, {
    self: localNode.nodeId,
    subject,
    nowMs: localNode.clock.nowMs(),
  });
  if (result.kind === 'forgotten') recorder.record({ kind: 'node.forgotten', payload: result.fact });
  return result;
};

const forgetLost = ({ cluster, recorder }: OwnNode, nodes: readonly [NodeId, NodeId]): LinkForgetting => {
  const result = forgetLink(cluster.state, nodes);
  if (result.kind === 'forgotten') recorder.record({ kind: 'loss.forgotten', payload: result.fact });
  return result;
};

const listen = async (
  server: HttpServer,
  { http }: DaemonOptions,
  { settings }: OwnNode,
): Promise<Listening> => {
  const { host, port, isExplicit } =
    http === undefined ? settings.config.http.listen : { ...http, isExplicit: true };
  try {
    return await server.listen({ host, port, isExplicitPort: isExplicit });
  } catch (error) {
    if (!(error instanceof HttpServerError)) throw error;
    throw new DaemonError({ ...error.problem, code: 'address-in-use' }, { cause: error });
  }
};

// The token that lets programs and pages change things, and read beyond loopback: 256 random bits, created once per home.
const TOKEN_FILE = 'token';

/** @throws DaemonError `home-unusable` if the file cannot be read, others can read it, or it has no token. */
const openAccessToken = async (home: string): Promise<string> => {
  const path = join(home, TOKEN_FILE);
  const stored = await readToken(path);
  if (stored !== undefined) return stored;
  const made = randomBytes(32).toString('base64url');
  if (await createFileAtomic(path, `${made}\n`)) return made;
  return (await readToken(path)) ?? made;
};

const readToken = async (path: string): Promise<string | undefined> => {
  const text = (await readSecretFile(path, ADVICE))?.trim();
  if (text === undefined || TOKEN.test(text)) return text;
  throw new DaemonError({
    code: 'home-unusable',
    problem: `${path} does not contain a token.`,
    advice: 'Delete it: a new token is created at the next start.',
  });
};

const ADVICE: SecretFileAdvice = {
  unreadable: 'Make it readable, or delete it: a new token is created at the next start.',
  exposed: 'Anyone who has read it can use the API. Delete it: a new token is created at the next start.',
};
const TOKEN = /^[A-Za-z0-9_-]{43,128}$/;
