// The container of a node in one row: what it may use, and its pod.

import { figureText, formatCapacityBytes } from '../core/figure/figure.ts';
import { cpuLimitText, type NodeContainer } from '../core/node/container.ts';
import { isKnown } from '../core/unknown.ts';
import { named, textFact } from './figure.ts';
import { type Line, part } from './part.ts';

export const containerFacts = ({ cpuLimit, memoryLimit, pod }: NodeContainer): readonly Line[] => [
  ...(isKnown(cpuLimit) && cpuLimit.kind === 'limited'
    ? [named('limit', [part(cpuLimitText(cpuLimit.cpus))])]
    : []),
  ...(isKnown(memoryLimit) && memoryLimit.kind === 'limited'
    ? [named('memory limit', [part(figureText(formatCapacityBytes(memoryLimit.bytes)))])]
    : []),
  ...(pod.kind === 'pod'
    ? [
        named('pod', textFact(pod.podName)),
        named('namespace', textFact(pod.namespace)),
        named('machine', textFact(pod.machine)),
      ]
    : []),
];
