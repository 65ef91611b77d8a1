// A name server whose one name leads elsewhere from some answer on (DNS rebinding), and a trap at that elsewhere. Prints a line for
// each address that it gave, and for each connection to the trap.

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { RebindingName } from './rebinding-name.ts';

const { server, first, later, firstAnswers, trapPort }: RebindingName = JSON.parse(process.argv[2] ?? '{}');
const print = (line: string): void => void process.stdout.write(`${line}\n`);
let answers = 0;

/** RFC 1035 §4: the question again, and for an A record one answer that nobody may keep. */
const answerTo = (query: Buffer): Buffer => {
  let end = 12;
  while ((query[end] ?? 0) !== 0) end += 1 + (query[end] ?? 0);
  const question = query.subarray(12, end + 5);
  const isAddress = query.readUInt16BE(end + 1) === 1;
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8580, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(isAddress ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  if (!isAddress) return Buffer.concat([head, question]);
  answers += 1;
  const address = answers <= firstAnswers ? first : later;
  print(`gave ${address}`);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([head, question, record]);
};

const socket = createSocket('udp4');
socket.on('message', (query, from) => socket.send(answerTo(query), from.port, from.address));
createServer(connection => {
  print('trapped');
  connection.destroy();
}).listen(trapPort, later, () => socket.bind(53, server, () => print('ready')));
