// What the OpenSSH client prints when there is no connection, as a sentence and what to do.

import { plainLine } from '../../core/text/single-line.ts';

interface SshEnd {
  readonly stderr: string;
  /** The script had started. */
  readonly wasReady: boolean;
  readonly code: number | null;
}

export const sshProblem = (
  target: string,
  { stderr, wasReady, code }: SshEnd,
): readonly [problem: string, advice: string] => {
  const known = CAUSES.find(({ pattern }) => pattern.test(stderr));
  if (known !== undefined) return [`${target} ${known.problem}`, known.advice];
  if (wasReady) return [`the connection to ${target} ended`, 'Check it: ssh HOST uptime'];
  const printed = stderr.split('\n').findLast(line => line.trim() !== '');
  if (printed !== undefined)
    return [`${target}: ${plainLine(printed).slice(0, 200)}`, 'Check it: ssh HOST sh -s'];
  return [`${target} did not run sh (ssh ended with code ${code ?? 'none'})`, 'Check it: ssh HOST sh -s'];
};

/** As OpenSSH 9 prints them (sshconnect.c, sshconnect2.c, readconf.c). */
const CAUSES: readonly { readonly pattern: RegExp; readonly problem: string; readonly advice: string }[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    problem: 'has another host key than before',
    advice: 'Find out why. If it is right, remove the old key: ssh-keygen -R HOST',
  },
  {
    pattern: /Host key verification failed/,
    problem: 'has a host key that is not known here',
    advice: 'Connect once and check the key: ssh HOST',
  },
  {
    pattern: /Permission denied/,
    problem: 'refuses the login: no key of yours is accepted, and a survey enters no password',
    advice: 'Add your key: ssh-copy-id HOST, or load it: ssh-add',
  },
  {
    pattern: /Connection refused/,
    problem: 'refuses the connection: no sshd listens there',
    advice: 'Start sshd there, or correct the port.',
  },
  {
    pattern: /Could not resolve hostname/,
    problem: 'is not a name that is known here',
    advice: 'Check the name, or ~/.ssh/config.',
  },
  {
    pattern: /timed out|No route to host|Network is unreachable|Host is down/,
    problem: 'cannot be reached',
    advice: 'Check that it is up and on this network.',
  },
];
