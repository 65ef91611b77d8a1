// The child process of `plimsoll probe memory`.

import process from 'node:process';
import * as v from 'valibot';
import { answerParent } from '../probe-answer.ts';
import { memoryBandwidthHere } from './memory-here.ts';
import { memoryRequestSchema } from './memory-request.ts';

await answerParent(
  {
    env: process.env,
    argv: process.argv,
    exit: code => process.exit(code),
    complain: text => void process.stderr.write(`${text}\n`),
  },
  request =>
    memoryBandwidthHere(v.parse(memoryRequestSchema, request), {
      platform: process.platform,
      env: process.env,
      availableBytes: process.availableMemory(),
    }),
);
