// A child of the probe that behaves as configured, for probe-child.test.ts.

import process from 'node:process';
import { answerParent } from '../../src/probe/probe-answer.ts';

await answerParent(
  {
    env: process.env,
    argv: process.argv,
    exit: code => process.exit(code),
    complain: text => void process.stderr.write(`${text}\n`),
  },
  async request => {
    switch (request) {
      case 'answer':
        return { figure: 7 };
      case 'throw':
        throw new Error('the device is on fire');
      case 'hang':
        for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      case 'crash':
        process.stderr.write('a last word\n');
        return process.abort();
      case 'quit':
        return process.exit(0);
      case 'exit':
        process.stderr.write('first\nsecond\n');
        return process.exit(3);
      default:
        return undefined;
    }
  },
);
