// One run of one end of a foreign tool, with a relay between its rendezvous and the connection that Plimsoll made for
// it. The tools listen on every address and accept the first to connect; here they only get loopback addresses, the
// connection between the machines is Plimsoll's own and needs its ticket, and figures of a tool that another process
// reached first are refused.

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../core/problem.ts';
import { type Env, runTool, streamLines, ToolError, type ToolResult } from '../../process/child.ts';
import type { RdmaTest, RdmaTool, ToolCall } from './rdma-tool.ts';
import { toolFolder } from './tool-folder.ts';

interface ToolRunOptions {
  readonly tool: RdmaTool;
  readonly call: Omit<ToolCall, 'rendezvousPort' | 'folder'>;
  readonly env: Env;
  /** Goes before the command, so the tool dies with us: ["setpriv", "--pdeathsig", "KILL"]. */
  readonly toolPrefix: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type ToolEnding =
  | { readonly kind: 'done'; readonly stdout: string }
  /** `wasStopped`: it did not fail by itself. */
  | { readonly kind: 'failed'; readonly reason: string; readonly wasStopped?: boolean };

export interface ToolRun {
  /** The connection to the other end; the tool's rendezvous goes over it. A second one is refused. */
  carry(connection: Socket): void;
  /** When the tool is gone. Never rejects. */
  readonly ended: Promise<ToolEnding>;
  /** Kills the tool; resolves when it is gone. */
  stop(): Promise<void>;
}

export const startTool = async (options: ToolRunOptions): Promise<ToolRun> => {
  const folder = toolFolder();
  const stopped = new AbortController();
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, stopped.signal]);
  const door = createServer({ noDelay: true });
  const carried = Promise.withResolvers<Socket>();
  let hasCarried = false;
  let ownPort: number | undefined;

  const run = async (): Promise<ToolEnding> => {
    try {
      const { tool, call } = options;
      const rendezvousPort = call.role === 'waits' ? await freePort() : await listen(door);
      const { command, args, env, files } = tool.command({ ...call, rendezvousPort, folder: folder.path });
      await folder.write(files);
      const linked = link(call.role === 'waits' ? { port: rendezvousPort } : { door }, carried.promise, {
        signal: AbortSignal.any([signal, over.signal]),
        onPort: port => {
          ownPort = port;
        },
      });
      linked.catch(() => undefined); // the tool detects it, and reports it
      const [program = command, ...rest] = [...options.toolPrefix, command, ...args];
      const how = { env: { ...options.env, ...env }, signal, timeoutMs: options.timeoutMs };
      // The measuring end has more precise information about what is missing, so it may report first.
      const waitsMs = options.timeoutMs + WAITS_SLACK_MS;
      if (call.role === 'dials')
        return await figuresOf(program, rest, {
          ...how,
          name: command,
          tool,
          test: call.test,
        });
      const result = await runTool(program, rest, {
        ...how,
        timeoutMs: waitsMs,
        outputBytesMax: OUTPUT_BYTES_MAX,
      });
      return endingOf(result, tool, {
        program,
        command,
        isForeign: cameFromElsewhere(tool, result, ownPort),
      });
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', reason: 'it was stopped', wasStopped: true };
      return { kind: 'failed', reason: errorMessage(error) };
    } finally {
      over.abort();
      door.close();
      if (hasCarried) (await carried.promise).destroy();
      await folder[Symbol.asyncDispose]();
    }
  };

  const ended = run();
  return {
    carry: connection => {
      if (hasCarried || over.signal.aborted) return void connection.destroy();
      hasCarried = true;
      carried.resolve(connection);
    },
    ended,
    stop: async () => {
      stopped.abort();
      await ended;
    },
  };
};

/** Joins the tool's rendezvous to the connection, until either closes. */
const link = async (
  at: { readonly port: number } | { readonly door: Server },
  carried: Promise<Socket>,
  { signal, onPort }: { readonly signal: AbortSignal; readonly onPort: (port: number) => void },
): Promise<void> => {
  const visitor = 'door' in at ? firstVisitor(at.door, signal) : undefined;
  visitor?.catch(() => undefined);
  const connection = await carried;
  const own = visitor === undefined && 'port' in at ? await knock(at.port, signal, onPort) : await visitor;
  if (own === undefined) return;
  for (const [from, to] of [
    [own, connection],
    [connection, own],
  ] as const) {
    from.on('error', () => undefined); // 'close' follows
    from.once('close', () => to.destroySoon());
    from.pipe(to);
  }
  signal.addEventListener('abort', () => own.destroy(), { once: true });
  if (signal.aborted) own.destroy();
};

const firstVisitor = async (door: Server, signal: AbortSignal): Promise<Socket> => {
  const [visitor]: Socket[] = await once(door, 'connection', { signal });
  door.close();
  if (visitor === undefined) throw new Error('a connection without a socket');
  return visitor;
};

/**
 * The tool prints nothing when it listens (its output is buffered), and a refused dial costs nothing: dialled until it
 * answers.
 */
const knock = async (port: number, signal: AbortSignal, onPort: (port: number) => void): Promise<Socket> => {
  while (true) {
    signal.throwIfAborted();
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    try {
      await once(socket, 'connect', { signal });
      onPort(socket.localPort ?? 0);
      return socket;
    } catch {
      socket.destroy();
      signal.throwIfAborted();
    }
    await sleep(KNOCK_MS, undefined, { signal });
  }
};

/** Free a moment ago. A tool that finds it taken fails, and the probe is retried later. */
const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
};

const listen = async (server: Server): Promise<number> => {
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/**
 * Reads the measuring end until it has printed everything: UCX was seen to spin forever after its last figure, once the
 * other end is gone. It is then killed.
 */
const figuresOf = async (
  program: string,
  args: readonly string[],
  options: {
    readonly env: Env;
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
    readonly tool: RdmaTool;
    readonly test: RdmaTest;
    /** Name of the program itself, without its prefix. */
    readonly name: string;
  },
): Promise<ToolEnding> => {
  const { env, timeoutMs, tool, test, name } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  let stdout = '';
  try {
    for await (const line of streamLines(program, args, { env, signal, idleTimeoutMs: timeoutMs })) {
      stdout += `${line}\n`;
      if (stdout.length > OUTPUT_BYTES_MAX)
        return { kind: 'failed', reason: `${name} printed more than ${OUTPUT_BYTES_MAX} bytes` };
      if (tool.lastLine.test(line) && tool.isComplete(test, stdout)) return { kind: 'done', stdout };
    }
  } catch (error) {
    options.signal.throwIfAborted();
    // It exited cleanly without the figures: parsing its output will give the reason.
    if (error instanceof ToolError && error.problem.code === 'exited' && error.problem.exitCode === 0)
      return { kind: 'done', stdout };
    const complaint = tool.complaint?.(stdout);
    const reported = withoutPrefix(errorMessage(error)).replace(program, name);
    const reason = complaint === undefined ? reported : `${name}: ${complaint}`;
    return { kind: 'failed', reason: reason.slice(0, REASON_LENGTH_MAX) };
  }
  options.signal.throwIfAborted();
  return { kind: 'failed', reason: `${name} gave no figures in ${timeoutMs / 1_000} s` };
};

const cameFromElsewhere = (
  { cameFrom }: RdmaTool,
  result: ToolResult,
  ownPort: number | undefined,
): boolean => {
  const peer = result.kind === 'exited' ? cameFrom?.(result.stdout) : undefined;
  return peer !== undefined && peer !== `127.0.0.1:${ownPort}`;
};

const endingOf = (
  result: ToolResult,
  tool: RdmaTool,
  {
    program,
    command,
    isForeign,
  }: { readonly program: string; readonly command: string; readonly isForeign: boolean },
): ToolEnding => {
  if (result.kind !== 'exited') return { kind: 'failed', reason: result.reason.replace(program, command) };
  if (isForeign) return { kind: 'failed', reason: `another process took ${command} first` };
  const { code, stdout, stderr } = result;
  const complaint = tool.complaint?.(stdout) ?? tool.complaint?.(stderr);
  if (code === 0 && complaint === undefined) return { kind: 'done', stdout };
  const reported = complaint ?? lastLine(stderr) ?? lastLine(stdout);
  if (reported === undefined) return { kind: 'failed', reason: `${command} exited with code ${code}` };
  return { kind: 'failed', reason: `${command}: ${reported}`.slice(0, REASON_LENGTH_MAX) };
};

/** UCX's prefix of time, process and source line is meaningless to a person. */
const withoutPrefix = (line: string): string => line.replace(/\[\d+\.\d+\] \[[^\]]*\]\s+\S+\s+/, '');

const lastLine = (text: string): string | undefined =>
  text
    .split('\n')
    .map(line => withoutPrefix(line).trim())
    .filter(line => line !== '')
    .at(-1)
    ?.slice(0, REASON_LENGTH_MAX);

const KNOCK_MS = 20;
const WAITS_SLACK_MS = 2_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const REASON_LENGTH_MAX = 200;
