// The line of facts under a node's name.

import { formatUptime } from '../../../src/core/figure/duration.ts';
import { counted } from '../../../src/core/figure/figure.ts';
import { gpusOf } from '../../../src/core/node/memory-use.ts';
import type { NodeView } from '../../../src/core/node/node-view.ts';
import { knownValue, whyNot } from '../../../src/core/node/reading-view.ts';
import { isKnown, knownOr } from '../../../src/core/unknown.ts';
import { type ReportedText, reportedText } from '../figure/reported.ts';
import { shortChip } from './node-text.ts';

interface NodeDetail {
  readonly name: string;
  readonly value: ReportedText;
  readonly isMono?: boolean;
  /** The whole of it, where the text is shortened. */
  readonly title?: string;
}

export const facts = (view: NodeView): readonly NodeDetail[] => {
  const identity = knownValue(view.identity);
  const system = knownValue(view.system);
  if (identity === undefined)
    return [{ name: 'Identity', value: { text: '–', reason: whyNot(view.identity) } }];
  const chip = reportedText(identity.chip);
  const cores = knownOr(identity.cpuCount, undefined);
  const os = identity.operatingSystem;
  const uptime = system === undefined ? undefined : knownOr(system.uptimeSeconds, undefined);
  const [gpu] = gpusOf(view);
  const driver = gpu === undefined ? [] : [gpu.device.driver, gpu.device.runtime].filter(isKnown);
  return [
    { name: 'Chassis', value: reportedText(identity.model) },
    {
      name: 'CPU',
      value:
        chip.reason === ''
          ? {
              text: `${shortChip(chip.text)}${cores === undefined ? '' : `, ${counted(cores, 'thread')}`}`,
              reason: '',
            }
          : chip,
      title: chip.text,
    },
    {
      name: 'System',
      value: { text: [os.name, knownOr(os.build, '')].filter(part => part !== '').join(' · '), reason: '' },
    },
    ...(driver.length === 0 ? [] : [{ name: 'Driver', value: { text: driver.join(' · '), reason: '' } }]),
    {
      name: 'Up',
      value:
        uptime === undefined
          ? { text: '–', reason: whyNot(view.system) || 'not reported' }
          : { text: formatUptime(uptime), reason: '' },
    },
    ...(isKnown(identity.virtualisation) && identity.virtualisation !== 'none'
      ? [{ name: 'Inside', value: { text: identity.virtualisation, reason: '' } }]
      : []),
    { name: 'Plimsoll', value: { text: identity.plimsollVersion, reason: '' } },
    { name: 'Id', value: { text: shortId(view.nodeId), reason: '' }, isMono: true, title: view.nodeId },
  ];
};

const shortId = (id: string): string => `${id.slice(0, 4)}…${id.slice(-4)}`;
