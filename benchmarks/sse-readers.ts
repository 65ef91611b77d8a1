// The readers of sse-fanout.bench.ts: PORT READERS SECONDS CLOCK_OFFSET_MS. Prints a line when every stream has begun, and one with
// what was read at the end.

import { once } from 'node:events';
import { connect } from 'node:net';

const [port = 0, readers = 0, seconds = 0, clockOffsetMs = 0] = process.argv.slice(2).map(Number);
const agesMs: number[] = [];
let batches = 0;
let bytes = 0;
let begun = 0;

const take = (frame: string): void => {
  if (frame.includes('event: snapshot\n')) {
    begun += 1;
    if (begun === readers) start();
    return;
  }
  if (!frame.includes('event: batch\n') || begun < readers) return;
  batches += 1;
  bytes += frame.length;
  const { events } = JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
  // Both processes read CLOCK_MONOTONIC; the server's own clock differs from it by a constant.
  const serverNowMs = Number(process.hrtime.bigint()) / 1e6 - clockOffsetMs;
  for (const event of events) agesMs.push(serverNowMs - event.receivedAtMs);
};

const start = (): void => {
  process.stdout.write('begun\n');
  setTimeout(() => {
    const sorted = Float64Array.from(agesMs).sort();
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
    process.stdout.write(`${JSON.stringify({ batches, bytes, ageMsP50: at(0.5), ageMsP99: at(0.99) })}\n`);
    process.exit(0);
  }, seconds * 1_000);
};

for (let index = 0; index < readers; index += 1) {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', chunk => {
    const frames = (text + chunk).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) take(frame);
  });
  socket.write('GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
}
