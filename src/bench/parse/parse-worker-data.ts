// What a parse thread is started with, from the plan of the load.

import type { ParseWorkerData } from '../load/load-message.ts';
import type { HeaderField, LoadPlan } from '../load/load-options.ts';

export const parseWorkerData = (
  { threads, isStreaming, headers }: LoadPlan,
  rest: Pick<ParseWorkerData, 'parser' | 'rings' | 'board' | 'runZeroNs'>,
): ParseWorkerData => ({
  ...rest,
  boardThread: threads.load + rest.parser,
  isStreaming,
  secrets: headers.flatMap(secretsOf),
});

/** A server may say a credential back with its scheme or without. */
const secretsOf = ({ value }: HeaderField): readonly string[] => [value, value.replace(/^\w+ +/, '')];
