// "HOST:PORT" as people write it: names, IPv4, and IPv6 in brackets with an optional scope.

import { type Parsed, parsed, wrong } from '../figure/parse-figure.ts';

export interface HostPort {
  /** Without brackets: "127.0.0.1", "::1", "fe80::1%en3", "atlas.local". */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export const parseHostPort = (text: string): Parsed<HostPort> => {
  const [, bracketed, plain, digits] = HOST_PORT.exec(text.trim()) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || digits === undefined) return wrong(problemOf(text), adviceOf(text));
  if (bracketed !== undefined && !IPV6_SHAPE.test(bracketed)) {
    return wrong(
      `[${bracketed}] is not an IPv6 address`,
      'Use brackets only around IPv6 addresses: [::1]:4180.',
    );
  }
  if (plain !== undefined && IPV4_SHAPE.test(plain) && plain.split('.').some(part => Number(part) > 255)) {
    return wrong(`${plain} is not an IPv4 address`, 'Each of its four numbers is at most 255.');
  }
  const port = Number(digits);
  if (port > PORT_MAX) return wrong(`port ${digits} is too high`, `Ports go from 0 to ${PORT_MAX}.`);
  return parsed({ host, port });
};

/** The inverse of parsing: adds brackets where they are needed. */
export const hostPortText = ({ host, port }: HostPort): string => `${hostText(host)}:${port}`;

/** The host as written before a port: IPv6 in brackets. */
export const hostText = (host: string): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;

/** Whether only this machine can reach the address. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (IPV4_SHAPE.test(host) && host.startsWith('127.'));

const problemOf = (text: string): string =>
  /^[^:]*$/.test(text) ? `${JSON.stringify(text)} has no port` : `${JSON.stringify(text)} is not HOST:PORT`;

const adviceOf = (text: string): string => {
  if (/^\d+$/.test(text)) return `Add the host: 127.0.0.1:${text}.`;
  const [, scheme, rest] = /^([a-z]{1,20}:\/\/)([^/]+)/i.exec(text) ?? [];
  if (scheme !== undefined) return `Leave "${scheme}" out: ${rest}.`;
  if (text.startsWith('[') || text.split(':').length > 2) return 'Write IPv6 in brackets: [::1]:4180.';
  if (text.startsWith(':')) return `Add the host: 127.0.0.1${text}, or 0.0.0.0${text} for every interface.`;
  return 'Write for example 127.0.0.1:4180 or [::1]:4180.';
};

const HOST_PORT = /^(?:\[([^\]\s]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252})?)):(\d{1,5})$/;
const IPV6_SHAPE = /^(?=.*:.*:)[0-9a-fA-F:.]{2,45}(?:%[\w.-]{1,32})?$/;
const IPV4_SHAPE = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const PORT_MAX = 65_535;

/** "fe80::1" for "FE80::1%en3": the scope names an interface of the machine where it was written. */
export const withoutScope = (address: string): string => (address.split('%')[0] ?? '').toLowerCase();
