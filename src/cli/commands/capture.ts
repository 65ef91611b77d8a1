// `plimsoll capture --to URL`: a proxy in front of a server that records what a replay needs from real traffic.

import { resolve } from 'node:path';
import { BenchError } from '../../bench/bench-error.ts';
import { parseTargetUrl } from '../../bench/target/target-url.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { hostPortText, isLoopbackHost } from '../../core/address/host-port.ts';
import { type Parsed, parseBytes, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { flag, nonEmpty, type Option, value, valueOr } from '../../core/option/option.ts';
import { TLS, withTls } from '../bench/tls-options.ts';
import { type Command, homeOption, type Invocation, OR_NAMED, parseListen } from '../command.ts';
import { CommandError, endedBy, usage } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';

const size =
  (min: number) =>
  (text: string): Parsed<number> => {
    const bytes = parseBytes(text);
    return bytes.kind === 'wrong' || (bytes.value >= min && bytes.value <= SIZE_BYTES_MAX)
      ? bytes
      : wrong(`${text} is out of range`, `From ${min / 2 ** 20}MiB to 16TiB.`);
  };

const OPTIONS = {
  to: value({
    name: 'to',
    valueName: 'URL',
    target: 'only',
    meaning: `The server that requests are passed on to. ${OR_NAMED}`,
    parse: nonEmpty,
  }),
  http: value({
    name: 'http',
    isOfOneCall: true,
    valueName: '[HOST:]PORT',
    meaning: 'Where clients connect. Default: 127.0.0.1:4188; port 0 is any free one.',
    parse: parseListen,
  }),
  out: value({
    name: 'out',
    isOfOneCall: true,
    valueName: 'DIR',
    meaning: 'The folder of the capture, new or empty. Default: capture-TIME in the current folder.',
    parse: nonEmpty,
  }),
  sessionHeader: value({
    name: 'session-header',
    valueName: 'NAME',
    meaning:
      'The header that names the conversation of a request; its value is not stored. Default: a request continues the conversation whose messages it begins with.',
    parse: text =>
      /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(text)
        ? parsed(text.toLowerCase())
        : wrong(
            `${JSON.stringify(text)} is not the name of a header`,
            'Write: --session-header x-session-id',
          ),
  }),
  keepText: flag('keep-text', 'Store the text of requests and answers, too.'),
  fileSize: valueOr({
    name: 'file-size',
    valueName: 'SIZE',
    meaning: 'When the next file begins.',
    fallback: '64MiB',
    parse: size(1_048_576),
  }),
  totalSize: valueOr({
    name: 'total-size',
    valueName: 'SIZE',
    meaning: 'Of all files: above it the oldest is removed.',
    fallback: '1GiB',
    parse: size(2_097_152),
  }),
};

export const captureCommand: Command = {
  name: 'capture',
  summary: 'Record real traffic through a proxy, to replay it',
  description:
    'Passes requests on to a server unchanged and records their times, lengths, shared prefixes and\nconversations, without their text. plimsoll bench --trace replays the folder.',
  arguments: [],
  options: [homeOption, ...Object.values<Option<unknown>>({ ...OPTIONS, ...TLS })],
  examples: [
    {
      line: 'plimsoll capture --to http://127.0.0.1:8000 --out monday',
      meaning: 'clients use http://127.0.0.1:4188 instead; Ctrl-C ends it',
    },
    { line: 'plimsoll dataset show monday', meaning: 'what was recorded' },
    { line: 'plimsoll bench http://127.0.0.1:8000 --trace monday', meaning: 'replays it' },
  ],
  run: async (invocation, state) => {
    const { showCapture } = await loadCapture();
    const { host, port } = invocation.option(OPTIONS.http) ?? { host: '127.0.0.1', port: USUAL_PORT };
    const to = targetOf(invocation, state);
    const given = invocation.option(OPTIONS.out);
    const shownFolder = given ?? `capture-${timeName(systemClock.wallMs())}`;
    try {
      await showCapture(state, {
        target: to,
        listen: { host, port },
        isOpen: !isLoopbackHost(host),
        folder: resolve(state.cwd, shownFolder),
        shownFolder,
        sessionHeader: invocation.option(OPTIONS.sessionHeader),
        keepsText: invocation.option(OPTIONS.keepText),
        fileBytesMax: invocation.option(OPTIONS.fileSize),
        totalBytesMax: invocation.option(OPTIONS.totalSize),
      });
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      if (error.code !== 'failed') throw endedBy('recording', error);
      throw new CommandError(
        'addressInUse',
        error.problem.problem,
        `Choose another: --http ${hostPortText({ host, port: port + 1 })}`,
        { cause: error },
      );
    }
    return EXIT_CODES.ok.code;
  },
};

const targetOf = (invocation: Invocation, state: ProcessState) => {
  const to = invocation.option(OPTIONS.to);
  if (to === undefined)
    throw usage(
      'the server to pass requests on to is missing',
      'Write: plimsoll capture --to http://127.0.0.1:8000',
    );
  const target = parseTargetUrl(to);
  if (target.kind === 'wrong') throw usage(`--to: ${target.problem}`, target.advice);
  const [checked = target.value] = withTls([target.value], invocation, state.cwd);
  return checked;
};

/** "2026-11-28T04-50-20" */
const timeName = (wallMs: number): string => new Date(wallMs).toISOString().slice(0, 19).replaceAll(':', '-');

const USUAL_PORT = 4_188;
/** 16 TiB. */
const SIZE_BYTES_MAX = 17_592_186_044_416;

/** Loaded late; not next to an `await using`, where TypeScript 6.0 does not rewrite the path. */
const loadCapture = () => import('../show-capture.ts');
