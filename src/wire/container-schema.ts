// Validates what a node reports about its container.

import * as v from 'valibot';
import type { NodeContainer } from '../core/node/container.ts';
import { bytes, figure, list, openObject, reported, text } from './schema.ts';

export const containerSchema: v.GenericSchema<unknown, NodeContainer> = openObject({
  cpuLimit: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('none') }),
      openObject({ kind: v.literal('limited'), cpus: figure }),
    ]),
  ),
  memoryLimit: reported(
    v.variant('kind', [
      openObject({ kind: v.literal('none') }),
      openObject({ kind: v.literal('limited'), bytes }),
    ]),
  ),
  pod: v.variant('kind', [
    openObject({ kind: v.literal('none') }),
    openObject({
      kind: v.literal('pod'),
      machine: reported(text),
      podName: reported(text),
      namespace: reported(text),
      labels: reported(list(openObject({ label: text, value: text }))),
    }),
  ]),
});
