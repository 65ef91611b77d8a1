// Every header that a benchmark sends in addition to the client's own, from all sources.

import { resolve } from 'node:path';
import type { HeaderField } from '../../bench/target/load-target.ts';
import type { BenchTarget } from '../../bench/target/target-url.ts';
import { urlsText } from '../../core/run/model-mix.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import type { Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';
import type { ProcessState } from '../process-state.ts';
import { BENCH } from './bench-options.ts';
import { parseHeaderFile, repeatedHeader } from './headers.ts';

/** One, or several that are all sent the same. */
export interface RequestedTargets {
  readonly target: BenchTarget;
  readonly targets?: readonly { readonly target: BenchTarget }[];
}

export interface RequestHeaders {
  readonly headers: readonly HeaderField[];
  readonly notices: readonly string[];
}

/** @throws CommandError `usage` for contradictions, `benchInput` for files; no message has a value. */
export const requestHeaders = async (
  invocation: Invocation,
  { cwd, env }: ProcessState,
  { target, targets = [{ target }] }: RequestedTargets,
): Promise<RequestHeaders> => {
  const all = targets.map(each => each.target);
  const headerFile = invocation.option(BENCH.headerFile);
  const keyFile = invocation.option(BENCH.apiKeyFile);
  const headers = [
    ...invocation.option(BENCH.header),
    ...(headerFile === undefined ? [] : await headersOf(headerFile, cwd)),
  ];
  const twice = repeatedHeader(headers);
  if (twice !== undefined) throw usage(`the header ${twice} is given twice`, 'Use it once.');
  const own = headers.some(({ name }) => name.toLowerCase() === 'authorization') ? 'a header' : undefined;
  const fromUrl = target.authorization === undefined ? undefined : 'the URL';
  const fromFile = keyFile === undefined ? undefined : '--api-key-file';
  const sources = [own, fromUrl, fromFile].filter(source => source !== undefined);
  if (sources.length > 1) {
    throw usage(`${sources.join(' and ')} both authenticate the request`, 'Use one of them.');
  }
  if (keyFile !== undefined) return withKey(headers, await keyOf(keyFile, cwd), all);
  if (target.authorization !== undefined) {
    return { headers: [...headers, { name: 'authorization', value: target.authorization }], notices: [] };
  }
  const key = env['OPENAI_API_KEY']?.trim() ?? '';
  if (key === '') return { headers, notices: [] };
  if (own !== undefined)
    return { headers, notices: ['OPENAI_API_KEY is not sent: a header already authenticates the requests'] };
  if (!isHeaderValue(key)) {
    throw new CommandError(
      'benchInput',
      'OPENAI_API_KEY has characters that no header may have',
      'Check its value, or unset it.',
    );
  }
  return withKey(headers, key, all);
};

/** Only those that have a value; the value itself may hold a password and is never shown. */
export const proxyNotices = (env: ProcessState['env']): readonly string[] => {
  const names = PROXY_VARIABLES.filter(name => (env[name] ?? '') !== '');
  return names.length === 0
    ? []
    : [
        `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} set and ignored: requests go directly to the target`,
      ];
};

const withKey = (
  headers: readonly HeaderField[],
  key: string,
  targets: readonly BenchTarget[],
): RequestHeaders => {
  const open = targets.filter(({ server: { tls, host } }) => tls === undefined && !LOOPBACK.test(host));
  const named = targets.length === 1 ? 'the URL' : urlsText(open.map(({ shown }) => ({ url: shown })));
  return {
    headers: [...headers, { name: 'authorization', value: `Bearer ${key}` }],
    notices:
      open.length === 0
        ? []
        : [
            `the API key goes over the network unencrypted, because ${named} ${open.length === 1 ? 'is' : 'are'} http://`,
          ],
  };
};

const headersOf = async (file: string, cwd: string): Promise<readonly HeaderField[]> => {
  const headers = parseHeaderFile(await textOf(file, cwd, 'header-file'));
  if (headers.kind === 'ok') return headers.value;
  throw new CommandError('benchInput', `--header-file ${file}: ${headers.problem}`, headers.advice);
};

const keyOf = async (file: string, cwd: string): Promise<string> => {
  const key = (await textOf(file, cwd, 'api-key-file')).trim();
  if (key !== '' && isHeaderValue(key)) return key;
  throw new CommandError(
    'benchInput',
    `--api-key-file ${file}: ${key === '' ? 'it is empty' : 'it has more than one line, or characters that no header may have'}`,
    'Write the key into it, alone on one line.',
  );
};

const textOf = async (file: string, cwd: string, option: string): Promise<string> => {
  const path = resolve(cwd, file);
  try {
    return await readInputText(path, 'secret');
  } catch (error) {
    throw new CommandError(
      'benchInput',
      `--${option} ${file} cannot be read: ${fileReason(error)}`,
      'Choose a file that you can read.',
      {
        cause: error,
      },
    );
  }
};

const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]{1,8192}$/.test(text);

const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
