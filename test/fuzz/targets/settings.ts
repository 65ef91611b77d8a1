// What people write: config.toml, keys and codes to join, addresses, and the values of options.

import { parseAgentCode } from '../../../src/bench/agent/tls/agent-code.ts';
import { parseHistogram } from '../../../src/bench/dataset/length-choice.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';
import { parseAgentAddresses } from '../../../src/cli/agent/agent-addresses.ts';
import { parseHeader, parseHeaderFile } from '../../../src/cli/bench/headers.ts';
import { parseMix } from '../../../src/cli/bench/parse-bench-options.ts';
import { parseListen } from '../../../src/cli/command.ts';
import { parseLinkTarget } from '../../../src/cli/probe/probe-link.ts';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { parseHostPort } from '../../../src/core/address/host-port.ts';
import { parseGateRule } from '../../../src/core/comparison/gate.ts';
import { parseBytes, parseDurationMs } from '../../../src/core/figure/parse-figure.ts';
import { parseLength } from '../../../src/core/figure/parse-length.ts';
import { parsePick } from '../../../src/core/fleet/fleet-selection.ts';
import { parseGroupBy } from '../../../src/core/group/group-by.ts';
import { parseAttainment, parseObjectives } from '../../../src/core/run/parse-objective.ts';
import { parseThinkTime } from '../../../src/core/run/think-time.ts';
import { readCookie } from '../../../src/daemon/http/access.ts';
import { parseHost } from '../../../src/daemon/http/host.ts';
import { parsePeer } from '../../../src/mesh/discovery/peer-address.ts';
import { clusterKeyText, parseClusterKey } from '../../../src/mesh/key/cluster-key.ts';
import { joinCodeText, parseJoinCode } from '../../../src/mesh/key/join-code.ts';
import { seedIn } from '../../../src/mesh/nats/server-connection.ts';
import { parseOneTimeCode } from '../../../src/probe/socket/one-time-code.ts';
import { holdFinite } from '../believed.ts';
import {
  type FuzzTarget,
  firstByteChooses,
  holdEqual,
  type Reader,
  textOfInput,
  textSeeds,
} from '../fuzz-target.ts';

const CONFIG = `name = "left"
tags = ["gpu", "rack-1"]
site = "home"
[mesh]
listen = "0.0.0.0:4181"
peers = ["192.0.2.7:4181", "[fd00::1]:4181"]
[probes]
enabled = true
[http]
listen = "127.0.0.1:4180"
[[endpoints]]
url = "http://localhost:8000/v1"
api_key = "secret"
`;

/** Refused with what is wrong and what to do, or read without a figure that is none. */
const answers = (
  parse: (text: string) => { readonly kind: string } | undefined,
  ...seeds: readonly string[]
): Reader => ({
  seeds: textSeeds(...seeds),
  run: input => {
    const read = holdFinite(parse(textOfInput(input)));
    if (read === undefined || read.kind !== 'wrong') return read;
    if ('problem' in read && read.problem === '') throw new Error('refused without saying why');
    return read;
  },
});

export const target: FuzzTarget = {
  name: 'settings',
  covers: [
    'src/config',
    'src/mesh/key/join-code.ts',
    'src/mesh/key/cluster-key.ts',
    'src/mesh/discovery/peer-address.ts',
    'src/core/figure',
    'src/core/address',
    'src/core/run/parse-objective.ts',
    'src/core/run/think-time.ts',
    'src/core/comparison/gate.ts',
    'src/bench/target/target-url.ts',
    'src/cli/bench/headers.ts',
    'src/cli/bench/parse-bench-options.ts',
  ],
  ...firstByteChooses([
    {
      seeds: textSeeds(
        CONFIG,
        'name = "x"\n',
        '[fleet]\nservers = ["nats://localhost:4222"]\ncluster = "a"\n',
      ),
      run: input => {
        const parsed = parseConfig(textOfInput(input), 'config.toml');
        if (
          parsed.kind === 'broken' &&
          !parsed.problems.every(({ problem, advice }) => problem !== '' && advice !== '')
        )
          throw new Error('a problem without words');
        return parsed;
      },
    },
    answers(
      text => {
        const read = parseJoinCode(text);
        if (read.kind === 'code') holdEqual('a code', parseJoinCode(joinCodeText(read.code)), read);
        return read;
      },
      joinCodeText({
        secret: new Uint8Array(16).fill(3),
        addresses: [
          { host: '192.0.2.7', port: 4181 },
          { host: 'fd00::1', port: 4181 },
        ],
      }),
    ),
    answers(text => {
      const read = parseClusterKey(text);
      if (read.kind === 'key') holdEqual('a key', parseClusterKey(clusterKeyText(read.key)), read);
      return read;
    }, 'plimsoll-cluster-1-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaa'),
    answers(parsePeer, 'host.local:4181', '[fe80::1%en0]:4181', '10.0.0.1'),
    answers(parseHostPort, '127.0.0.1:80', '[::1]:443', 'a.b:1'),
    answers(parseDurationMs, '500ms', '1.5s', '2h'),
    answers(parseBytes, '1GiB', '500MB', '7'),
    answers(
      parseLength,
      '256',
      '50..200',
      'normal(1024,200)',
      'lognormal(1024,500)',
      'zipf(1.1,4096)',
      '128:60,512:30',
      'file:HIST.json',
    ),
    answers(parseObjectives, 'ttft=500ms,error-rate=0.1%', 'tpot.p99=20ms'),
    answers(parseAttainment, '95%'),
    answers(parseThinkTime, '1s', 'exp(2s)', '1s..2s', 'lognormal(1s,2s)'),
    answers(parseGateRule, 'ttft.p95<=+5%', 'throughput>=-2%'),
    answers(parseGroupBy, 'rack', 'tag:gpu'),
    answers(parseTargetUrl, 'http://localhost:8000/v1', 'unix:/tmp/s.sock:/v1', 'localhost:8000'),
    answers(parseAgentAddresses, 'host:4190,other', '[::1]:4190'),
    answers(parseHeader, 'X-Name: value', 'a:b'),
    answers(parseHeaderFile, 'A: b\n# c\nD: e\n'),
    answers(parseMix, 'a=0.5,b=0.5', 'model'),
    answers(parseListen, '0.0.0.0:4180', ':80', 'off'),
    answers(text => parseLinkTarget(text, undefined), 'host:4181', 'node'),
    answers(parseAgentCode, 'plimsoll-agent-1-abcdefgh'),
    answers(parseOneTimeCode, 'abcd-efgh-ijkl-mnop'),
    answers(parseHistogram, '[[1,2,3],[4,5,6]]', '{"bins":[{"min":1,"max":2,"weight":3}]}'),
    { seeds: textSeeds('a.b:80', '[::1]:4180'), run: input => parseHost(textOfInput(input)) },
    { seeds: textSeeds('a=b; plimsoll=c; d="e"'), run: input => readCookie(textOfInput(input), 'plimsoll') },
    {
      seeds: textSeeds('group:rack%201', 'pair:a|b', 'node:aaaaaaaaaaaaaaaaaaaaaaaaaa'),
      run: input => parsePick(textOfInput(input)),
    },
    {
      seeds: textSeeds('-----BEGIN USER NKEY SEED-----\nSUAB\n------END USER NKEY SEED------\n'),
      run: input => seedIn(textOfInput(input)),
    },
  ]),
};
