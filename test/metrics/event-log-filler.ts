// Fills a small disk through openEventLogFile, frees some of it, and prints what the file contains: event-log.test.ts
// runs it in its own mount namespace.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEventLogFile } from '../../src/metrics/event-log.ts';

const [directory = ''] = process.argv.slice(2);
const ballast = join(directory, 'ballast');
writeFileSync(ballast, Buffer.alloc(300_000));
const file = join(directory, 'events.jsonl');
const sink = await openEventLogFile(file);
const line = `${JSON.stringify({ text: 'x'.repeat(50_000) })}\n`;

let accepted = 0;
let code = '';
while (code === '') {
  try {
    await sink.append(line);
    accepted += 1;
  } catch (error) {
    code = error instanceof Error && 'code' in error ? String(error.code) : 'none';
  }
}
rmSync(ballast);
await sink.append(line);
await sink.close();
const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
const whole = lines.filter(text => JSON.parse(text)['text'].length === 50_000).length;
process.stdout.write(JSON.stringify({ code, accepted, whole, acceptedAfterwards: 1 }));
