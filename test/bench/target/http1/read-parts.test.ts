import { expect, test } from 'vitest';
import { eventEnd, lastEventStart } from '../../../../src/bench/target/http1/read-parts.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';
const EVENT = 'b\r\ndata: one\n\n\r\n';
const LINE = '8\r\n{"a":1}\n\r\n';

test.each([
  ['head and events', [HEAD, EVENT, EVENT]],
  ['events without chunks', ['data: one\n\n', 'data: two\r\n\r\n', 'data: three\n\n']],
  ['events of which the last is incomplete', [EVENT, EVENT, 'b\r\ndata: o']],
  ['JSON lines in chunks', [LINE, LINE, LINE]],
  ['the end of a stream', [EVENT, 'e\r\ndata: [DONE]\n\n\r\n', '0\r\n\r\n']],
  ['one event', [EVENT]],
  ['something without an end', ['{"a": "b"']],
])('%s are cut where each event ends', (_, parts) => {
  const bytes = Buffer.from(`${parts.join('')}\n\nstale bytes of an earlier read\n\n`);
  const length = parts.join('').length;
  const found: string[] = [];
  for (let from = 0; from < length; ) {
    const end = eventEnd(bytes, from, length);
    found.push(bytes.toString('latin1', from, end));
    from = end;
  }
  expect(found).toEqual(parts);
  expect(lastEventStart(bytes, length)).toBe(parts.slice(0, -1).join('').length);
});
