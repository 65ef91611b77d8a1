// A server that answers each request with server-sent events as fast as they are taken, each in an HTTP chunk of its own,
// many in a write. Run as a process of its own: prints its port.

import { createServer } from 'node:net';

const EVENT_BYTES = 300;
const EVENTS_PER_WRITE = 1_000;
const WRITES = 200;

const event = (data: string): Buffer => {
  const text = `data: ${data}\n\n`;
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
};
const head = '{"id":"flood","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"';
const tail = '"},"finish_reason":null}]}';
const content = 'x'.repeat(EVENT_BYTES - head.length - tail.length - 'data: \n\n'.length);
const many = Buffer.concat(Array<Buffer>(EVENTS_PER_WRITE).fill(event(head + content + tail)));
const end = Buffer.concat([event('[DONE]'), Buffer.from('0\r\n\r\n')]);

const server = createServer({ noDelay: true }, socket => {
  socket.on('error', () => socket.destroy());
  let text = '';
  socket.on('data', bytes => {
    text += bytes.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (headEnd < 0 || text.length < headEnd + 4 + length) return;
    text = '';
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
    let left = WRITES;
    const more = (): void => {
      if (left === 0) socket.write(end);
      else socket.write(many, more);
      left -= 1;
    };
    more();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.stdin.on('end', () => process.exit()).resume();
