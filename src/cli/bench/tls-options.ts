// Options of TLS: whom the client trusts, and how it identifies itself. All are of this machine alone: other machines that generate load
// verify certificates themselves.

import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { BenchTarget } from '../../bench/target/target-url.ts';
import { type TlsPlan, tlsContextOptions } from '../../bench/target/tls-plan.ts';
import {
  excludes,
  isSet,
  needs,
  nonEmpty,
  type Option,
  optionForm,
  optionsIn,
  wholeText,
} from '../../core/option/option.ts';
import { errorMessage } from '../../core/problem.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputTextSync } from '../../process/input-file.ts';
import type { Invocation } from '../command.ts';
import { CommandError, usage } from '../command-error.ts';

const { flag, value } = optionsIn('Server');

const ofThisMachine = excludes(['from', 'agents'], {
  because: 'other machines verify certificates themselves',
});

export const TLS = {
  insecure: flag('insecure', 'Accept any TLS certificate of the server; the report notes it.', {
    rules: [ofThisMachine, excludes(['ca'], { advice: 'Use one of them.' })],
  }),
  ca: value({
    name: 'ca',
    aliases: ['cacert'],
    valueName: 'FILE',
    meaning: "Trust these certificates (PEM) instead of the system's.",
    rules: [ofThisMachine],
    reads: wholeText,
    parse: nonEmpty,
  }),
  clientCert: value({
    name: 'client-cert',
    aliases: ['cert'],
    valueName: 'FILE',
    meaning: 'Certificate (PEM) for a server that requires one of its clients.',
    rules: [ofThisMachine],
    reads: wholeText,
    parse: nonEmpty,
  }),
  clientKey: value({
    name: 'client-key',
    valueName: 'FILE',
    meaning: 'Its private key (PEM), if it is not in the same file.',
    rules: [needs({ 'client-cert': 'FILE' })],
    reads: wholeText,
    parse: nonEmpty,
  }),
};

type TlsSettings = Pick<TlsPlan, 'authorities' | 'isInsecure' | 'identity'>;

/** @throws CommandError `usage` for a target without TLS, `benchInput` for files; no message has their content. */
export const withTls = (
  targets: readonly BenchTarget[],
  invocation: Invocation,
  cwd: string,
): readonly BenchTarget[] => {
  const set = Object.values(TLS).find(option => isSet(invocation, option));
  if (set === undefined) return targets;
  for (const { server, shown } of targets)
    if (server.tls === undefined)
      throw usage(`--${set.name} has no effect with ${shown}`, 'Leave it out, or write: https://…');
  const settings = settingsOf(invocation, cwd);
  return targets.map(target => {
    const { server } = target;
    return server.tls === undefined
      ? target
      : { ...target, server: { ...server, tls: { ...server.tls, ...settings } } };
  });
};

const settingsOf = (invocation: Invocation, cwd: string): TlsSettings => {
  const authorities = pemOf(TLS.ca, invocation, cwd);
  const certificate = pemOf(TLS.clientCert, invocation, cwd);
  const key = pemOf(TLS.clientKey, invocation, cwd) ?? certificate;
  const identity = certificate === undefined || key === undefined ? undefined : { certificate, key };
  checkPem(TLS.ca, invocation, { authorities });
  checkPem(TLS.clientCert, invocation, {
    authorities: undefined,
    ...(identity === undefined ? {} : { identity }),
  });
  return {
    authorities,
    isInsecure: invocation.option(TLS.insecure),
    ...(identity === undefined ? {} : { identity }),
  };
};

const pemOf = (
  option: Option<string | undefined>,
  invocation: Invocation,
  cwd: string,
): string | undefined => {
  const file = invocation.option(option);
  if (file === undefined) return undefined;
  try {
    return readInputTextSync(resolve(cwd, file), 'secret');
  } catch (error) {
    throw new CommandError(
      'benchInput',
      `--${option.name} ${file} cannot be read: ${fileReason(error)}`,
      'Choose a file that you can read.',
      { cause: error },
    );
  }
};

/** By the TLS library, before anything is sent: a wrong file would look like a fault of the server. */
const checkPem = (
  option: Option<string | undefined>,
  invocation: Invocation,
  plan: Pick<TlsPlan, 'authorities' | 'identity'>,
): void => {
  const file = invocation.option(option);
  if (file === undefined) return;
  try {
    if (plan.authorities !== undefined && !plan.authorities.includes(CERTIFICATE))
      throw new Error('it has no certificate in PEM form');
    createSecureContext(tlsContextOptions(plan));
  } catch (error) {
    throw new CommandError(
      'benchInput',
      `--${option.name} ${file} cannot be used: ${errorMessage(error)}`,
      option === TLS.clientCert ? KEY_ADVICE : 'Give a PEM file: -----BEGIN CERTIFICATE----- …',
    );
  }
};

const CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const KEY_ADVICE = `Give a PEM file with the certificate and its key, without a passphrase, or the key with ${optionForm(TLS.clientKey)}.`;
