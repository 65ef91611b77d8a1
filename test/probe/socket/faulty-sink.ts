// A sink that does everything right but one thing.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { ControlChannel } from '../../../src/probe/socket/control-channel.ts';
import { type ToSink, type ToSource, toSinkSchema } from '../../../src/probe/socket/control-message.ts';
import { receiveIntroduction } from '../../../src/probe/socket/handshake.ts';
import { SinkRun } from '../../../src/probe/socket/sink.ts';
import { EventLoopStreams } from '../../../src/probe/socket/stream-engine.ts';

export const TICKET = '7QKF-M2XW-9TBD';

/** What it does wrong, and the resulting error of its source. */
export const FAULTS = {
  silent: /no answer in 5 s|does not answer/,
  'hangs up': /closed the connection/,
  'is something else': /not a Plimsoll probe/,
  'does not know the ticket': /does not accept the code/,
  'pretends to know the ticket': /does not accept the code/,
  'says nothing on control': /does not answer/,
  'sends garbage': /something that is not a message/,
  'sends a line without end': /above its limit/,
  'floods with messages': /unexpected message|more messages/,
  'closes in the round trips': /disappeared|closed the connection|aborted/,
  'never starts': /does not answer/,
  'claims to have received more': /more than was sent/,
  'claims more at the end': /more than was sent/,
  'counts backwards': /counts backwards/,
  'has a slow clock': /implausibly slowly/,
  'closes in the upload': /disappeared|closed the connection|aborted/,
  'stops of itself': /aborted the measurement \(enough\)/,
  'sends nothing': /nothing arrived for 3 s/,
  'closes in the download': /disappeared|closed the connection|aborted/,
} as const;

export type Fault = keyof typeof FAULTS;

export const FAULT_NAMES: readonly Fault[] = Object.keys(FAULTS).filter(
  (name): name is Fault => name in FAULTS,
);

/** These cost the source a wait of seconds; the others end at once. */
export const SLOW_FAULTS: readonly Fault[] = [
  'silent',
  'says nothing on control',
  'never starts',
  'sends nothing',
];

interface FaultySink extends AsyncDisposable {
  readonly port: number;
}

export const faultySink = async (fault: Fault): Promise<FaultySink> => {
  const sockets = new Set<Socket>();
  const runs: SinkRun[] = [];
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    void serve(fault, socket, { runs, drop }).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      drop();
      for (const run of runs) await run[Symbol.asyncDispose]();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

interface Parts {
  readonly runs: SinkRun[];
  readonly drop: () => void;
}

const serve = async (fault: Fault, socket: Socket, parts: Parts): Promise<void> => {
  if (fault === 'silent') return;
  if (fault === 'hangs up') return void socket.destroy();
  if (fault === 'is something else') return void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(4));
  const ticket = fault === 'does not know the ticket' ? 'another' : TICKET;
  const patience = AbortSignal.timeout(20_000);
  const received = await receiveIntroduction(socket, ticket, patience);
  if (received.kind === 'not-proved') return void socket.destroy();
  if (fault === 'pretends to know the ticket') return void socket.write(randomBytes(33));
  await received.answer('accepted');
  if (received.head.role === 'data') {
    const run = parts.runs.at(-1);
    if (run?.claims(received.head.run, received.head.index) === true) await run.adopt(socket);
    return;
  }
  if (fault === 'says nothing on control') return;
  if (fault === 'sends garbage')
    return void socket.write(Buffer.concat([randomBytes(2_000), Buffer.from('\n')]));
  if (fault === 'sends a line without end') return void socket.write(Buffer.alloc(100_000, 0x20));
  await handleCommands(fault, new ControlChannel<ToSource, ToSink>(socket, toSinkSchema), parts);
};

const handleCommands = async (
  fault: Fault,
  channel: ControlChannel<ToSource, ToSink>,
  parts: Parts,
): Promise<void> => {
  const { runs, drop } = parts;
  const report = (message: ToSource): void => {
    const changed = tampered(fault, message, runs.at(-1));
    if (changed === 'close') drop();
    else if (changed !== undefined) channel.send(changed);
  };
  report({ kind: 'hello', engine: 'socket-event-loop', reason: '', streamsMax: 2 });
  if (fault === 'floods with messages') {
    for (let count = 0; count < 3_000; count += 1)
      report({ kind: 'sample', run: 1, elapsedUs: count, bytes: count });
  }
  while (true) {
    const message = await channel.next(AbortSignal.timeout(25_000));
    const run = runs.at(-1);
    if (message.kind === 'prepare') {
      const engine = new EventLoopStreams('');
      runs.push(new SinkRun(message, { engine, clock: systemClock, report }));
      report({ kind: 'prepared', run: message.run });
    } else if (message.kind === 'start') {
      if (fault === 'sends nothing' && run?.plan.job === 'download')
        report({ kind: 'started', run: message.run });
      else if (fault !== 'never starts') await run?.start();
    } else if (message.kind === 'stop') await run?.stop('');
    else return;
  }
};

const tampered = (
  fault: Fault,
  message: ToSource,
  run: SinkRun | undefined,
): ToSource | 'close' | undefined => {
  const job = run?.plan.job;
  if (message.kind === 'started') {
    if (fault === 'closes in the round trips' && job === 'echo') return 'close';
    if (fault === 'closes in the download' && job === 'download') return 'close';
  }
  if (message.kind === 'sample') {
    if (fault === 'claims to have received more')
      return { ...message, bytes: message.bytes * 3 + 100_000_000 };
    if (fault === 'counts backwards')
      return { ...message, bytes: Math.max(0, (100_000 - message.elapsedUs / 10) | 0) };
    if (fault === 'has a slow clock') return { ...message, elapsedUs: Math.round(message.elapsedUs / 20) };
    if (fault === 'closes in the upload') return 'close';
    if (fault === 'stops of itself') {
      return { kind: 'stopped', run: message.run, bytes: 0, retransmits: null, reason: 'enough' };
    }
  }
  if (message.kind === 'stopped' && fault === 'claims more at the end' && job === 'upload') {
    return { ...message, bytes: message.bytes + 1e12 };
  }
  return message;
};
