import { expect, test } from 'vitest';
import {
  FRAME_MS_MAX,
  HEADER_BYTES_MAX,
  HEADER_LINES_MAX,
  LINE_BYTES_MAX,
  REPLY_BYTES_MAX,
  SERVER_PAYLOAD_BYTES_MAX,
  ServerReader,
} from '../../../src/mesh/nats/server-reader.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const INFO = `INFO ${JSON.stringify({ server_id: 'a', version: '2.12.1', proto: 1, max_payload: 1_048_576 })}\r\n`;

const reading = () => {
  const clock = new VirtualClock();
  return { clock, reader: new ServerReader(clock) };
};

const taken = (reader: ServerReader): string => {
  let all = '';
  for (let run = reader.take(); run !== undefined; run = reader.take())
    all += Buffer.from(run.bytes).toString('latin1');
  return all;
};

const read = (...texts: readonly string[]): string => {
  const { reader } = reading();
  for (const text of texts) reader.push(Buffer.from(text, 'latin1'));
  return taken(reader);
};

const message = (subject: string, payload: string): string =>
  `MSG ${subject} 1 ${payload.length}\r\n${payload}\r\n`;

const withHeader = (header: string, payload = ''): string =>
  `HMSG a.b 1 ${header.length} ${header.length + payload.length}\r\n${header}${payload}\r\n`;

test('frames come out whole and in order, wherever the network cuts them', () => {
  const frames = [
    'PING\r\n',
    message('a.b', 'with\r\na line in it'),
    withHeader('NATS/1.0\r\nNats-Msg-Id: 7\r\n\r\n', 'x'),
    "-ERR 'Unknown'\r\n",
    'MSG a.b 1 reply.to 0\r\n\r\n',
    'PONG\r\n',
  ].join('');
  for (let cut = 0; cut <= frames.length; cut += 1)
    expect(read(frames.slice(0, cut), frames.slice(cut))).toBe(frames);
  expect(read(...frames)).toBe(frames);
});

test('a frame is given only when all of it is there', () => {
  const { reader } = reading();
  reader.push(Buffer.from('MSG a 1 5\r\nfou'));
  expect(reader.take()).toBeUndefined();
  reader.push(Buffer.from('rs\r\nPI'));
  expect(taken(reader)).toBe('MSG a 1 5\r\nfours\r\n');
  expect(reader.isWithinFrame).toBe(true);
});

test('a line that never ends is refused at its limit, whether it comes at once or byte by byte', () => {
  const line = `INFO ${'x'.repeat(LINE_BYTES_MAX)}`;
  expect(() => read(line)).toThrow('a line of more than 65536 bytes');
  const { reader } = reading();
  for (let at = 0; at < LINE_BYTES_MAX; at += 1) reader.push(Buffer.from('I'));
  expect(() => reader.push(Buffer.from('I'))).toThrow('a line of more than 65536 bytes');
});

test('what is none of the protocol ends the connection, and the reason holds nothing of it', () => {
  const sent = [
    'HTTP/1.1 200 OK\r\n',
    '\u001b]0;owned\u0007\r\n',
    'ping\r\n',
    'PING\n',
    'MSG a 1\r\n',
    'MSG a 1 -1\r\n',
    'MSG a 1 99999999999999\r\n',
    'MSG a 1 900000000\r\n',
    'HMSG a 1 9 2\r\n',
    'MSG a 1 1\r\nabc\r\n',
    'INFO {"version":"2.12.1"\r\n',
    'INFO {"version":"\\u001b[31m"}\r\n',
    'INFO []\r\n',
  ];
  for (const text of sent) {
    const refused = (): unknown => {
      try {
        return read(text);
      } catch (error) {
        return error;
      }
    };
    expect(refused(), text).toBeInstanceOf(Error);
    expect(String(refused())).toMatch(/^ProtocolViolation: [\w .-]+$/);
  }
});

test('what a server reports of itself is passed on field by field, without control characters', () => {
  const reported = {
    version: '2.12.1',
    server_name: '\u001b[2Jname\u0007',
    host: 'h'.repeat(10_000),
    connect_urls: ['evil:1'],
    jetstream: true,
  };
  const line = read(`INFO ${JSON.stringify(reported)}\r\n`);
  const passed: unknown = JSON.parse(line.slice(5));
  expect(passed).not.toHaveProperty('connect_urls');
  expect(passed).toMatchObject({
    version: '2.12.1',
    server_name: '[2Jname',
    host: 'h'.repeat(256),
    jetstream: true,
  });
});

test('an error of the server is one line of printable characters', () => {
  const line = read(`-ERR '\u001b[31mred\u0000${'x'.repeat(5_000)}'\r\n`);
  expect(line).toMatch(/^-ERR [ -~]{512}\r\n$/);
});

test('what a member can have a server pass on is left out and counted, and the next message comes', () => {
  const { reader } = reading();
  const bad = [
    message('a.\u001b[2J', 'x'),
    withHeader('NATS/1.0\r\nno field\r\n\r\n'),
    withHeader('NATS/1.0\r\na b: 1\r\n\r\n'),
    withHeader('HTTP/1.0\r\n\r\n'),
    withHeader(`NATS/1.0\r\n${'a: 1\r\n'.repeat(HEADER_LINES_MAX + 1)}\r\n`),
    withHeader(`NATS/1.0\r\na: ${'1'.repeat(HEADER_BYTES_MAX)}\r\n\r\n`),
    withHeader('NATS/1.0\r\na: \u001b[2J\r\n\r\n'),
  ];
  for (const text of bad) reader.push(Buffer.from(text + message('next', 'y'), 'latin1'));
  expect(taken(reader)).toBe(message('next', 'y').repeat(bad.length));
  expect(reader.refused).toBe(bad.length);
});

test('a message beyond the limit is passed over without being kept', () => {
  const { reader } = reading();
  const size = SERVER_PAYLOAD_BYTES_MAX + 1;
  reader.push(Buffer.from(`MSG a 1 ${size}\r\n`));
  const piece = Buffer.alloc(65_536);
  for (let left = size; left > 0; left -= piece.length) {
    reader.push(piece.subarray(0, Math.min(left, piece.length)));
    expect(reader.readyBytes).toBe(0);
  }
  reader.push(Buffer.from(`\r\n${message('next', 'y')}`));
  expect(taken(reader)).toBe(message('next', 'y'));
  expect(reader.refused).toBe(1);
});

test('a long reply to a request is left out unless it is a sealed message', () => {
  const { reader } = reading();
  const [long, sealed] = ['{', '\u0001'].map(first =>
    message('_INBOX_a.b', first + 'x'.repeat(REPLY_BYTES_MAX)),
  );
  reader.push(Buffer.from(`${long}${sealed}`, 'latin1'));
  expect(taken(reader)).toBe(sealed);
  expect(reader.refused).toBe(1);
});

test('a message that drips is refused when its time is over', async () => {
  const { clock, reader } = reading();
  reader.push(Buffer.from('MSG a 1 100\r\n'));
  await clock.advance(FRAME_MS_MAX);
  reader.push(Buffer.from('x'));
  await clock.advance(1);
  expect(() => reader.push(Buffer.from('x'))).toThrow('one message took more than 30 s');
});

test('lines that are no messages have a rate', async () => {
  const { clock, reader } = reading();
  reader.push(Buffer.from('PING\r\n'.repeat(256)));
  expect(() => reader.push(Buffer.from('PING\r\n'))).toThrow('more than 16 lines per second');
  await clock.advance(1_000);
  reader.push(Buffer.from(INFO.repeat(16)));
  expect(() => reader.push(Buffer.from(INFO))).toThrow('more than 16 lines per second');
});
