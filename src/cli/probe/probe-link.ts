// `plimsoll probe link`: what a connection carries, each way, now.

import { isIP } from 'node:net';
import { type HostPort, hostPortText, parseHostPort } from '../../core/address/host-port.ts';
import { type Parsed, parseBytes, parseDurationMs, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { nonEmpty, type Option, value } from '../../core/option/option.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { parseOneTimeCode } from '../../probe/socket/one-time-code.ts';
import { measureSocketLink } from '../../probe/socket/socket-link.ts';
import { type Line, paint } from '../../tui/part.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { linkLines } from './link-lines.ts';
import type { LinkProbeDocument } from './probe-documents.ts';
import { probeNode } from './probe-node.ts';

const codeOption: Option<string | undefined> = value({
  name: 'code',
  valueName: 'C',
  meaning: 'The one-time code that `plimsoll probe serve` prints at the other end.',
  parse: parseOneTimeCode,
});

const interfaceOption: Option<string | undefined> = value({
  name: 'interface',
  valueName: 'IF',
  meaning: 'Connect from this interface. Default: as the system routes.',
  parse: nonEmpty,
});

const durationOption: Option<number | undefined> = value({
  name: 'duration-max',
  valueName: 'D',
  meaning: 'The limit for the whole probe, 1s to 60s. Default: 20s.',
  parse: text => between(parseDurationMs(text), DURATION_MS_LEAST, DURATION_MS_MOST, 'Write 1s to 60s.'),
});

const bytesOption: Option<number | undefined> = value({
  name: 'bytes-max',
  valueName: 'SIZE',
  meaning: 'Payload of both directions together, 1MB to 1TB. Default: 32GB.',
  parse: text => between(parseBytes(text), BYTES_LEAST, BYTES_MOST, 'Write 1MB to 1TB.'),
});

export const probeLinkCommand: Command = {
  name: 'probe link',
  summary: 'Measure bandwidth each way, round trips and jitter to another machine',
  description:
    'The other end is a node of the cluster, or a machine that runs `plimsoll probe serve`. The connection is fully loaded for some seconds.',
  arguments: [
    {
      name: 'NODE|HOST:PORT',
      meaning: 'A node by name or id; or an address, with --code.',
      isRequired: true,
    },
  ],
  options: [homeOption, codeOption, interfaceOption, durationOption, bytesOption, jsonOption],
  prints: ['link-probe', 'node-probe'],
  examples: [
    { line: 'plimsoll probe link juno', meaning: 'every connection to a node of the cluster' },
    {
      line: 'plimsoll probe link 10.0.0.2 --code 7QKF-M2XW-9TBD',
      meaning: 'a machine that runs probe serve',
    },
    { line: 'plimsoll probe link [fe80::1%en3]:4183 --code 7QKF-M2XW-9TBD', meaning: 'over one cable' },
  ],
  run: async (invocation, state) => {
    const target = checked(parseLinkTarget(invocation.arguments[0] ?? '', invocation.option(codeOption)));
    const isJson = invocation.option(jsonOption);
    if (target.kind === 'node') {
      return await probeNode({ name: target.name, home: invocation.option(homeOption), isJson, state });
    }
    const sourceInterface = invocation.option(interfaceOption);
    const outcome = await measureSocketLink({
      address: target.at.host,
      port: target.at.port,
      ticket: target.code,
      ...(sourceInterface === undefined ? {} : { sourceInterface }),
      budget: {
        bytesMax: invocation.option(bytesOption) ?? BYTES_USUAL,
        durationMsMax: invocation.option(durationOption) ?? DURATION_MS_USUAL,
        measuresExtras: true,
      },
      signal: state.stop,
      env: state.env,
      nodePath: state.nodePath,
    });
    const document: LinkProbeDocument = { schema: 'plimsoll.link-probe/1', ...target.at, outcome };
    if (isJson) await state.stdout.write(jsonLines(document));
    if (outcome.kind === 'measured') {
      if (!isJson) await write(state, linkLines(outcome.measurement, columnsOf(state)));
      return EXIT_CODES.ok.code;
    }
    return await failed(target, outcome.reason, isJson);
  },
};

type LinkTarget =
  | { readonly kind: 'address'; readonly at: HostPort; readonly code: string }
  | { readonly kind: 'node'; readonly name: string };

/** A code belongs to an address, and an address needs one. Without a port it is 4183. */
export const parseLinkTarget = (text: string, code: string | undefined): Parsed<LinkTarget> => {
  const at = hostPortOf(text);
  const looksLikeAddress = isIP(text.replace(/^\[|\]$/g, '')) !== 0 || text.includes(':');
  if (code === undefined && !looksLikeAddress) return parsed({ kind: 'node', name: text });
  if (at.kind === 'wrong') return at;
  if (code === undefined) {
    return wrong(
      `the code of ${text} is missing`,
      'Run `plimsoll probe serve` there, and give the code that it prints: --code 7QKF-M2XW-9TBD',
    );
  }
  return parsed({ kind: 'address', at: at.value, code });
};

export const PROBE_PORT: number = 4183;

const failed = async (
  { at }: Extract<LinkTarget, { kind: 'address' }>,
  reason: string,
  isJson: boolean,
): Promise<ExitCode> => {
  if (isJson) return EXIT_CODES.probeFailed.code;
  throw new CommandError(
    'probeFailed',
    `the connection to ${hostPortText(at)} was not measured: ${reason}`,
    'Check that `plimsoll probe serve` runs there, and that the code is the one it printed last.',
  );
};

const write = (state: ProcessState, lines: readonly Line[]): Promise<void> => {
  const { hasColor, isUnicode } = state.stdout;
  const text = lines.map(line => paint(line, { color: hasColor, isUnicode })).join('\n');
  return state.stdout.write(`${text}\n`);
};

/** What goes to a file or another program is not broken. */
const columnsOf = ({ stdout }: ProcessState): number =>
  stdout.isTerminal ? stdout.columns : Number.POSITIVE_INFINITY;

const checked = <T>(result: Parsed<T>): T => {
  if (result.kind === 'ok') return result.value;
  throw new CommandError('usage', result.problem, result.advice);
};

const between = (result: Parsed<number>, least: number, most: number, advice: string): Parsed<number> => {
  if (result.kind === 'wrong') return result;
  return result.value < least || result.value > most
    ? wrong('that is out of range', advice)
    : parsed(result.value);
};

const hostPortOf = (text: string): Parsed<HostPort> => {
  const bare = text.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return parsed({ host: bare, port: PROBE_PORT });
  return parseHostPort(text.includes(':') ? text : `${text}:${PROBE_PORT}`);
};

const DURATION_MS_USUAL = 20_000;
const DURATION_MS_LEAST = 1_000;
const DURATION_MS_MOST = 60_000;
const BYTES_USUAL = 32e9;
const BYTES_LEAST = 1e6;
const BYTES_MOST = 1e12;
