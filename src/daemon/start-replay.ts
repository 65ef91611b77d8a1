// A recording in place of a cluster: the whole dashboard, read-only. No home, no journal, no gatherer, no mesh; the page shows
// that everything on it was recorded.

import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import type { HostPort } from '../core/address/host-port.ts';
import { readHeader } from '../recording/recording-reader.ts';
import { eventsBefore, replay } from '../recording/replay.ts';
import type { Notice } from '../wire/notice.ts';
import { Cluster } from './cluster.ts';
import { DaemonError } from './daemon-error.ts';
import type { ProcessResources } from './daemon-options.ts';
import { dashboardUrl, signInUrl } from './dashboard-url.ts';
import { Access } from './http/access.ts';
import { HTTP_LIMITS } from './http/http-options.ts';
import { createHttpServer, type HttpServer } from './http/http-server.ts';
import { HttpServerError, type Listening } from './http/listen.ts';
import { Notices } from './notices.ts';

interface ReplayStart {
  readonly path: string;
  /** 2: twice as fast as it was. */
  readonly speed: number;
  /** undefined: 127.0.0.1:4180, or the next free port. */
  readonly http: HostPort | undefined;
  readonly clock: Clock;
  readonly version: string;
  readonly program?: string;
  readonly dashboardDir: string | undefined;
  readonly resources: () => ProcessResources;
  readonly onNotice: (notice: Notice) => void;
}

export interface ServedReplay extends AsyncDisposable {
  readonly dashboardUrl: string;
  /** With a new one-time code: a secret. */
  signInUrl(): string;
  /** Resolves when it has stopped. */
  readonly stopped: Promise<void>;
}

/**
 * Plays until the signal aborts or it is disposed of.
 * @throws RecordingError for what is no recording; DaemonError `address-in-use`.
 */
export const startReplay = async (start: ReplayStart, signal: AbortSignal): Promise<ServedReplay> => {
  const { path, speed, clock, version, program, dashboardDir, resources, onNotice } = start;
  const header = await readHeader(path);
  const notices = new Notices(onNotice);
  const cluster = new Cluster();
  // It goes round and round: before its beginning there was its end.
  if ((await stat(path)).size <= PAST_BYTES_MAX)
    for await (const event of eventsBefore(path, clock)) cluster.history.record(event);
  const access = new Access({ clock, token: randomBytes(32).toString('base64url'), hostNames: [] });
  const server = createHttpServer({
    nodeId: header.nodeId,
    version,
    ...(program === undefined ? {} : { program }),
    clock,
    cluster: {
      get state() {
        return cluster.state;
      },
      subscribe: (listener, onReplaced) => cluster.subscribe(listener, onReplaced),
      history: cluster.history,
      profileHistory: () => [],
    },
    dashboardDir,
    access,
    limits: HTTP_LIMITS,
    notices: () => notices.all,
    resources,
    home: undefined,
    recording: { plimsollVersion: header.plimsollVersion, areNamesKept: header.areNamesKept, speed },
  });
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const begun = Promise.withResolvers<void>();
  const playing = replay(
    {
      path,
      clock,
      speed,
      onState: state => {
        cluster.replace(state);
        begun.resolve();
      },
      onEvents: events => cluster.dispatch(events),
      onBroken: reason => {
        notices.raise({
          id: 'recording-broken',
          code: 'recording-broken',
          path,
          problem: `${path}: ${reason}.`,
          advice: 'What was received before that is shown.',
        });
        begun.resolve();
      },
    },
    until,
  );
  // The first page has the first state.
  await Promise.race([begun.promise, playing]);
  const listening = await listen(server, start.http);
  if (listening.notice !== undefined) onNotice(listening.notice);
  const stopped = (async () => {
    try {
      await playing;
    } finally {
      await server[Symbol.asyncDispose]();
    }
  })();
  return {
    dashboardUrl: dashboardUrl(listening),
    signInUrl: () => signInUrl(listening, access.issueCode()),
    stopped,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await stopped;
    },
  };
};

const listen = async (server: HttpServer, http: HostPort | undefined): Promise<Listening> => {
  try {
    return await server.listen({ ...(http ?? DEFAULT_ADDRESS), isExplicitPort: http !== undefined });
  } catch (error) {
    if (!(error instanceof HttpServerError)) throw error;
    throw new DaemonError({ ...error.problem, code: 'address-in-use' }, { cause: error });
  }
};

/** Of a recording that is read once before it is shown, for its charts: a page should be there at once. */
const PAST_BYTES_MAX: number = 8 * 1024 * 1024;
const DEFAULT_ADDRESS: HostPort = { host: '127.0.0.1', port: 4_180 };
