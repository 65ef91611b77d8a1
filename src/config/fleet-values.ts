// Values of [fleet] in config.toml, checked.

import { parseHostPort } from '../core/address/host-port.ts';
import { wrong } from '../core/figure/parse-figure.ts';
import { textUpTo, type ValueParser } from './config-values.ts';

/** "tls://nats.example.net:4222". Without a port: the one that NATS has. */
export const fleetServer: ValueParser<string> = value => {
  const text = textUpTo(300)(value);
  if (text.kind === 'wrong') return text;
  const [, scheme, rest = ''] = /^([a-z]+):\/\/(.*)$/.exec(text.value) ?? [];
  if (scheme !== 'nats' && scheme !== 'tls')
    return wrong(`"${text.value}" is not a NATS server`, 'Write for example "tls://nats.example.net:4222".');
  if (rest.includes('@'))
    return wrong(
      'the address of a NATS server has credentials in it',
      'Put them into a file: credentials = "…".',
    );
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(rest))
    return { kind: 'ok', value: `${scheme}://${rest}:${NATS_PORT}` };
  const address = parseHostPort(rest);
  return address.kind === 'wrong' ? address : text;
};

/** In the subjects of the server, so a token of NATS. */
export const clusterName: ValueParser<string> = value => {
  const text = textUpTo(32)(value);
  if (text.kind === 'ok' && !/^[A-Za-z0-9_-]+$/.test(text.value))
    return wrong(`"${text.value}" is not a name for a subject of NATS`, 'Use letters, digits, - and _.');
  return text;
};

/** The nodes whose readings a node receives as they are published. */
export const fleetSubscriptions: ValueParser<'all' | 'group'> = value =>
  value === 'all' || value === 'group'
    ? { kind: 'ok', value }
    : wrong('this is neither "all" nor "group"', 'Write "all", or "group" for the rack of this node alone.');

const NATS_PORT = 4222;
