// What datagrams and the MTUs of both ends show of the paths between two nodes. Of each kind the worst path is reported.

import { maximumOf, minimumOf } from '../extremes.ts';
import { type ConnectionFacts, rateFrom } from '../link/link-facts.ts';
import { endsText } from '../link/link-text.ts';
import type { LinkView } from '../link/link-view.ts';
import { datagramLossText, FAULTY_LOSS_SHARE, lossFrom } from '../link/path-loss.ts';
import {
  interfaceMtu,
  type MtuFault,
  measuredMtu,
  mtuFault,
  mtuFaultCost,
  mtuFaultText,
} from '../link/path-mtu.ts';
import type { NodeView } from '../node/node-view.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { unknown } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

export const mtuWarning = (link: LinkView, one: NodeView, other: NodeView): readonly FoundWarning[] => {
  const [worst] = cables(link)
    .flatMap(of => {
      const fault = faultOf(of, one, other);
      return fault === undefined ? [] : { of, fault };
    })
    .toSorted((a, b) => Number(a.fault.kind === 'small') - Number(b.fault.kind === 'small'));
  if (worst === undefined) return [];
  const { of, fault } = worst;
  const nameOf = (id: string): string => (id === one.nodeId ? one : other).name;
  return [
    {
      id: `link mtu ${link.key}`,
      level: fault.kind === 'small' ? 'note' : 'caution',
      nodes: link.nodes,
      title: sentence`${one.name} and ${other.name}: ${plainSentence(mtuFaultText(fault))}`,
      why: sentence`${endsText(of, nameOf)}. ${plainSentence(mtuFaultCost(fault))}`,
      on: one.name,
      command: 'plimsoll wire --for nccl',
    },
  ];
};

const faultOf = (of: ConnectionFacts, one: NodeView, other: NodeView): MtuFault | undefined => {
  const { ends, type, negotiatedBitsPerSecond } = of.carrier;
  const [source, sink] = of.source === one.nodeId ? [one, other] : [other, one];
  const rates = [of.source, of.sink].flatMap(from => rateFrom(of, from) ?? []);
  const fault = mtuFault({
    ends: [interfaceMtu(source, ends.source.interfaceName), interfaceMtu(sink, ends.sink.interfaceName)],
    ways: [measuredMtu(of, of.source), measuredMtu(of, of.sink)],
    type,
    negotiatedBitsPerSecond,
    bitsPerSecond: rates.length === 0 ? unknown('not measured yet') : minimumOf(rates),
  });
  return fault?.kind === 'unknown' ? undefined : fault;
};

/** About the direction that certainly loses most. */
export const lossWarning = (link: LinkView, one: NodeView, other: NodeView): readonly FoundWarning[] => {
  const found = cables(link).flatMap(of =>
    link.nodes.flatMap(from => {
      const loss = lossFrom(of, from);
      return loss === undefined || loss.low <= FAULTY_LOSS_SHARE ? [] : { of, from, loss };
    }),
  );
  const most = maximumOf(found.map(({ loss }) => loss.low));
  const worst = found.find(({ loss }) => loss.low === most);
  if (worst === undefined) return [];
  const [from, to] = worst.from === one.nodeId ? [one, other] : [other, one];
  const nameOf = (id: string): string => (id === one.nodeId ? one : other).name;
  return [
    {
      id: `link loss ${link.key}`,
      level: 'caution',
      nodes: link.nodes,
      title: sentence`${from.name} to ${to.name}: ${plainSentence(`${datagramLossText(worst.loss)} of packets are lost`)}`,
      why: sentence`${endsText(worst.of, nameOf)}. These were paced far below the rate of the link, so its queues were not full: a damaged cable or connector, or a port with errors. TCP resends each one, and slows down.`,
      on: from.name,
      command: shellCommand`plimsoll probe link ${to.name}`,
    },
  ];
};

/** A radio loses some, an overlay runs over another path. */
const cables = ({ connections }: LinkView): readonly ConnectionFacts[] =>
  connections.filter(
    ({ connection, medium, failure }) =>
      connection.kind === 'socket' && medium === 'cable' && failure === undefined,
  );
