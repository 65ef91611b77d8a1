// The catalogue: what servers and proxies do, or can be expected to do, to a client, by group. A test compares
// docs/mock.md with it.

import { COMPRESSION_CASES } from './compression-cases.ts';
import { CONNECTION_CASES } from './connection-cases.ts';
import { CONTENT_CASES } from './content-cases.ts';
import { ERROR_CASES } from './error-cases.ts';
import type { FaultCase } from './fault-case.ts';
import { FRAMING_CASES } from './framing-cases.ts';
import { HEAD_CASES } from './head-cases.ts';
import { JSON_CASES } from './json-cases.ts';
import { STATUS_CASES } from './status-cases.ts';
import { STREAM_CASES } from './stream-cases.ts';
import { USAGE_CASES } from './usage-cases.ts';

export const FAULT_CASES: readonly FaultCase[] = [
  ...FRAMING_CASES,
  ...HEAD_CASES,
  ...STATUS_CASES,
  ...CONNECTION_CASES,
  ...STREAM_CASES,
  ...ERROR_CASES,
  ...CONTENT_CASES,
  ...JSON_CASES,
  ...USAGE_CASES,
  ...COMPRESSION_CASES,
];
