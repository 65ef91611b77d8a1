// A child process for own-process.test.ts: prints what it was requested to, then lives until its parent is
// gone.

import { setTimeout as pause } from 'node:timers/promises';
import { reportParent, watchParent } from '../../src/process/parent-watch.ts';

const [mode = 'ready'] = process.argv.slice(2);
const watch = watchParent(process.env);

switch (mode) {
  case 'silent':
    break;
  case 'exits':
    process.stderr.write('no such model\n');
    process.exit(7);
    break;
  case 'stubborn':
    process.on('SIGTERM', () => undefined);
    reportParent(process.env, { kind: 'ready' });
    break;
  case 'chatty':
    process.on('SIGTERM', () => {
      reportParent(process.env, { kind: 'summary', text: 'fünf' });
      process.exit(0);
    });
    process.stderr.write('x'.repeat(100_000));
    reportParent(process.env, { kind: 'ready' });
    break;
  default:
    reportParent(process.env, { kind: 'ready', watch: watch.kind, pid: process.pid });
}

if (watch.kind === 'watching') {
  watch.signal.addEventListener('abort', () => process.exit(42));
} else if (mode === 'alone') {
  process.stdout.write(`${JSON.stringify(watch)}\n`);
  process.exit(0);
}
await pause(120_000);
