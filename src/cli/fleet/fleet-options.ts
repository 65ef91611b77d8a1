// Options of the fleet commands.

import { fleetServer } from '../../config/value-kinds.ts';
import { parsed, wrong } from '../../core/figure/parse-figure.ts';
import { flag, nonEmpty, type Option, repeated, value } from '../../core/option/option.ts';
import { CLUSTER_NAME } from '../../mesh/nats/fleet-subjects.ts';

export const fleetClusterOption: Option<string | undefined> = value({
  name: 'cluster',
  valueName: 'NAME',
  meaning: 'The name of the cluster on the server. Default: plimsoll.',
  parse: text =>
    CLUSTER_NAME.test(text)
      ? parsed(text)
      : wrong(`${JSON.stringify(text)} is not a name for a subject of NATS`, 'Use letters, digits, - and _.'),
});
export const fleetListenOption: Option<string | undefined> = value({
  name: 'listen',
  valueName: 'HOST:PORT',
  meaning: 'Where the server listens. Default: 0.0.0.0:4222.',
  parse: nonEmpty,
});
export const fleetServerOption: Option<readonly string[]> = repeated({
  name: 'server',
  valueName: 'URL',
  meaning: 'How nodes reach it: tls://HOST:PORT. Several for a cluster of servers.',
  // What config.toml of a node would refuse must not be written for it.
  parse: text => {
    const server = fleetServer(text);
    return server.kind === 'wrong' ? server : parsed(server.value);
  },
});
export const fleetCertOption: Option<string | undefined> = value({
  name: 'cert',
  valueName: 'FILE',
  meaning: "The server's certificate, as the server finds it.",
  parse: nonEmpty,
});
export const fleetKeyOption: Option<string | undefined> = value({
  name: 'key',
  valueName: 'FILE',
  meaning: 'The key of the certificate.',
  parse: nonEmpty,
});
export const fleetOldOption: Option<boolean> = flag(
  'before-2.10',
  'The server is older than 2.10: TLS begins after a greeting in plain text.',
);
export const fleetReplicasOption: Option<number | undefined> = value({
  name: 'replicas',
  valueName: 'N',
  choices: ['1', '3', '5'],
  meaning: 'How many servers hold each stream: 1, or 3 in a cluster of servers.',
  parse: text =>
    /^[135]$/.test(text) ? parsed(Number(text)) : wrong(`${text} is not 1, 3 or 5`, 'Use 3 in a cluster.'),
});
export const fleetNameOption: Option<string | undefined> = value({
  name: 'name',
  valueName: 'NAME',
  meaning: 'What you call the machine. Default: the beginning of its id.',
  parse: text =>
    /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/.test(text)
      ? parsed(text)
      : wrong(
          `${JSON.stringify(text)} is not a name for a file`,
          'Use letters, digits, dots, - and _, and no dot at its beginning.',
        ),
});
export const fleetCaOption: Option<string | undefined> = value({
  name: 'ca',
  valueName: 'FILE',
  meaning: 'Certificates to trust. Default: those of the system.',
  parse: nonEmpty,
});
