// One connection to a server of a fleet. It is never repaired: when it breaks, everything that was queued in
// it is dropped and a new one is opened, because a queued reading would arrive late with too young an age.

import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import {
  type ConnectionOptions,
  credsAuthenticator,
  errors,
  type NatsConnection,
  NatsConnectionImpl,
  nkeyAuthenticator,
  setTransportFactory,
} from '@nats-io/nats-core/internal';
import type { Clock } from '../../clock/clock.ts';
import { plainLine } from '../../core/text/single-line.ts';
import {
  type FleetProblem,
  jetStreamSilent,
  noJetStream,
  notAllowed,
  tlsFailed,
  tooOld,
  unreachable,
  violatesProtocol,
} from './fleet-problem.ts';
import { GuardedTransport, resolveHost, type TransportEvents } from './guarded-transport.ts';
import { ProtocolViolation } from './server-reader.ts';

interface FleetServerOptions {
  /** nats://HOST:PORT or tls://HOST:PORT, tried in random order. */
  readonly servers: readonly string[];
  /**
   * The text of a file with an nkey's seed or with a user's JWT and seed; undefined: the server requires
   * none.
   */
  readonly credentials: string | undefined;
  /** A file with the trusted certificates; undefined: those of the system. */
  readonly caFile: string | undefined;
  /** TLS from the first byte, so that no one on the way can see or change the server's greeting. */
  readonly isHandshakeFirst: boolean;
  /** Shown by the server's own tools. */
  readonly name: string;
  /** Replies to this node arrive here: other nodes must not be able to subscribe to them. */
  readonly inboxPrefix: string;
  readonly clock: Clock;
  /** Messages that were not passed on. */
  readonly leftOut?: ((messages: number) => void) | undefined;
}

/** The part that a node is configured with. */
export type FleetServerAccess = Omit<FleetServerOptions, 'name' | 'inboxPrefix' | 'clock' | 'leftOut'>;

export interface FleetServer {
  readonly connection: NatsConnection;
  readonly jetStream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** What ended the connection, if the server violated the protocol. */
  readonly violation: () => ProtocolViolation | undefined;
}

export type FleetConnecting =
  | { readonly kind: 'connected'; readonly server: FleetServer }
  | { readonly kind: 'failed'; readonly problem: FleetProblem };

/** Never throws because of a server or a network. */
export const connectToFleet = async (options: FleetServerOptions): Promise<FleetConnecting> => {
  let connection: NatsConnection;
  let violation: ProtocolViolation | undefined;
  try {
    connection = await connect(options, {
      violated: error => {
        violation = error;
      },
      leftOut: messages => options.leftOut?.(messages),
    });
  } catch (error) {
    return { kind: 'failed', problem: connectProblem(options, violation ?? error) };
  }
  const version = connection.info?.version ?? '';
  if (isBefore(version, 2, 9)) {
    await connection.close();
    return { kind: 'failed', problem: tooOld(connection.getServer(), version) };
  }
  try {
    const manager = await jetstreamManager(connection, { timeout: API_TIMEOUT_MS, checkAPI: false });
    await manager.getAccountInfo();
    return {
      kind: 'connected',
      server: {
        connection,
        manager,
        jetStream: jetstream(connection, { timeout: API_TIMEOUT_MS }),
        violation: () => violation,
      },
    };
  } catch (error) {
    const problem = jetStreamProblem(options, connection, violation ?? error);
    await connection.close();
    return { kind: 'failed', problem };
  }
};

/**
 * The library takes the factory of transports from one place for all connections. For which one a transport
 * is made shows in its options, in which a function is passed through unchanged.
 */
const connect = (options: FleetServerOptions, events: TransportEvents): Promise<NatsConnection> => {
  const reconnectDelayHandler = (): number => 0;
  EVENTS.set(reconnectDelayHandler, events);
  setTransportFactory({
    factory: () =>
      new GuardedTransport(options.clock, ({ reconnectDelayHandler: handler }) =>
        handler === undefined ? undefined : EVENTS.get(handler),
      ),
    dnsResolveFn: resolveHost,
  });
  return NatsConnectionImpl.connect({ ...optionsOf(options), reconnectDelayHandler });
};

/** Only a lookup: entries are freed with their connection. */
const EVENTS = new WeakMap<() => number, TransportEvents>();

const optionsOf = ({
  servers,
  credentials,
  caFile,
  isHandshakeFirst,
  name,
  inboxPrefix,
}: FleetServerOptions) => {
  const isTls = servers.some(server => server.startsWith('tls://'));
  const options: ConnectionOptions = {
    servers: servers.map(server => server.replace(/^(nats|tls):\/\//, '')),
    name,
    inboxPrefix,
    reconnect: false,
    noEcho: true,
    noAsyncTraces: true,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ignoreClusterUpdates: true,
    ...(credentials === undefined ? {} : { authenticator: authenticatorOf(credentials) }),
    tls: isTls ? { handshakeFirst: isHandshakeFirst, ...(caFile === undefined ? {} : { caFile }) } : null,
  };
  return options;
};

const authenticatorOf = (credentials: string): NonNullable<ConnectionOptions['authenticator']> => {
  const bytes = new TextEncoder().encode(credentials);
  if (credentials.includes('BEGIN NATS USER JWT')) return credsAuthenticator(bytes);
  return nkeyAuthenticator(new TextEncoder().encode(seedIn(credentials) ?? ''));
};

/** The line with an nkey's seed; comments surround it. */
export const seedIn = (credentials: string): string | undefined =>
  credentials
    .split('\n')
    .map(line => line.trim())
    .find(line => /^SU[A-Z2-7]{56}$/.test(line));

const connectProblem = ({ servers }: FleetServerOptions, error: unknown): FleetProblem => {
  const cause = causeOf(error);
  if (error instanceof ProtocolViolation) return violatesProtocol(servers, cause);
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return notAllowed(cause);
  if (isTlsError(error)) return tlsFailed(cause);
  return unreachable(servers, cause);
};

const jetStreamProblem = (
  { servers }: FleetServerOptions,
  connection: NatsConnection,
  error: unknown,
): FleetProblem => {
  if (error instanceof errors.NoRespondersError) return noJetStream();
  if (error instanceof errors.RequestError && error.isNoResponders()) return noJetStream();
  // The client reports this by a class that it does not export.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled') return noJetStream();
  return silenceOf(connection, error) ?? lossOf(servers, error);
};

/** "2.9.10" is before 2.10. */
export const isBefore = (version: string, major: number, minor: number): boolean => {
  const [ofMajor = 0, ofMinor = 0] = version.split('.').map(Number);
  return ofMajor < major || (ofMajor === major && ofMinor < minor);
};

/** The text for a connected server that did not respond in time; undefined for any other error. */
export const silenceOf = (connection: NatsConnection, error: unknown): FleetProblem | undefined =>
  error instanceof errors.TimeoutError || (error instanceof JetStreamApiError && error.status === 503)
    ? jetStreamSilent(connection.getServer(), connection.info?.version ?? 'unknown')
    : undefined;

const isTlsError = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return true;
  return error.cause !== undefined && isTlsError(error.cause);
};

/** The subject that the server does not permit this node, if that is why a request failed. */
export const refusedSubject = (error: unknown): string | undefined => {
  const cause = error instanceof errors.RequestError ? error.cause : error;
  return cause instanceof errors.PermissionViolationError ? cause.subject : undefined;
};

/** What the client reports about a server or a network. */
export const isClientError = (error: unknown): boolean =>
  error instanceof JetStreamApiError ||
  error instanceof ProtocolViolation ||
  Object.values(errors).some(kind => error instanceof kind);

/** What ended a connection. */
export const lossOf = (servers: readonly string[], error: unknown): FleetProblem =>
  error instanceof ProtocolViolation
    ? violatesProtocol(servers, causeOf(error))
    : unreachable(servers, causeOf(error));

/**
 * For people: the text of the client or the system. A server may have written it: one line of a limited
 * length.
 */
export const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return shownCause(String(error));
  const { message, cause } = error;
  return shownCause(
    cause instanceof Error && cause.message !== message ? `${message} (${cause.message})` : message,
  );
};

const shownCause = (text: string): string => {
  const line = plainLine(text.slice(0, CAUSE_READ_MAX));
  return line.length > CAUSE_LENGTH_MAX ? `${line.slice(0, CAUSE_LENGTH_MAX)}…` : line;
};

const CONNECT_TIMEOUT_MS = 5_000;
const API_TIMEOUT_MS = 5_000;
const PING_MS = 5_000;
const CAUSE_LENGTH_MAX = 300;
const CAUSE_READ_MAX = 2_000;
