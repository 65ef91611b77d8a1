// What the interfaces of a Mac carry. Each reading is a process, so they come every two seconds.

import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { toolText } from '../tool-output.ts';
import { portsLeftOut, TrafficMeter } from '../traffic-meter.ts';
import { parseNetstat } from './parse-netstat.ts';

export const macosTrafficGatherer = ({ tools, intervals, settings, timeouts }: MachineAccess): Gatherer => {
  const intervalMs = 2 * intervals.trafficMs;
  return {
    name: 'netstat',
    reports: [TRAFFIC],
    intervalMs,
    gather: session => {
      const meter = new TrafficMeter();
      return poll(session, intervalMs, async signal => {
        const text = await toolText('netstat', ['-ibn'], { tools, signal, timeoutMs: timeouts.kernelMs });
        if (signal.aborted) return;
        if (text.kind === 'unanswered') {
          session.fail(TRAFFIC, 'netstat', text.reason, text.code);
          return;
        }
        const interfaces = parseNetstat(text.value);
        if (interfaces === undefined) {
          session.fail(TRAFFIC, 'netstat', 'netstat printed something this version cannot read');
          return;
        }
        const ignored = new Set(settings().ignoredInterfaces);
        const ports = interfaces.filter(({ name }) => !ignored.has(name));
        session.emit(`netstat${portsLeftOut(ports.length)}`, {
          kind: 'traffic',
          value: meter.read(ports, session.clock.nowMs()),
        });
      });
    },
  };
};

const TRAFFIC: GatheredKind = { reading: 'traffic', vendor: 'none' };
