import { describe, expect, test } from 'vitest';
import { chatApi } from '../../../src/bench/target/api/chat-api.ts';
import { endpointPath, modelsPath, parseTargetUrl } from '../../../src/bench/target/target-url.ts';

const target = (text: string) => {
  const parsed = parseTargetUrl(text);
  if (parsed.kind === 'wrong') throw new Error(parsed.problem);
  return parsed.value;
};

describe('the URL of a target', () => {
  test.each([
    ['http://host:8000', '/v1/chat/completions', '/v1/models', 'http://host:8000'],
    ['http://host:8000/', '/v1/chat/completions', '/v1/models', 'http://host:8000'],
    ['http://host/v1', '/v1/chat/completions', '/v1/models', 'http://host/v1'],
    ['http://host/v1/', '/v1/chat/completions', '/v1/models', 'http://host/v1'],
    ['http://host/api', '/api/v1/chat/completions', '/api/v1/models', 'http://host/api'],
    [
      'http://host/v1/chat/completions',
      '/v1/chat/completions',
      '/v1/models',
      'http://host/v1/chat/completions',
    ],
    ['https://u:p@host/v1?key=k', '/v1/chat/completions?key=k', '/v1/models?key=k', 'https://host/v1'],
  ])('%s is a server, its /v1, or the endpoint', (text, path, models, shown) => {
    expect(target(text).shown).toBe(shown);
    expect(endpointPath(target(text), chatApi)).toBe(path);
    expect(modelsPath(target(text), chatApi)).toBe(models);
  });

  test('gives host, port, the host header, and TLS with a name where there is one', () => {
    expect(target('http://[::1]:8000').server).toMatchObject({
      host: '::1',
      port: 8000,
      hostHeader: '[::1]:8000',
      tls: undefined,
    });
    expect(target('http://host').server).toMatchObject({ host: 'host', port: 80, hostHeader: 'host' });
    expect(target('https://host').server).toMatchObject({
      port: 443,
      tls: { serverName: 'host', isInsecure: false },
    });
    expect(target('https://10.0.0.1:8443').server.tls?.serverName).toBe('');
  });

  test('with an IPv6 address without brackets is refused, with brackets in the advice', () => {
    for (const [text, meant] of [
      ['http://::1:8000', 'http://[::1]:8000'],
      ['http://::1', 'http://[::1]'],
      ['https://fd00::2:8000/v1', 'https://[fd00::2]:8000/v1'],
      ['::1:8000', 'http://[::1]:8000'],
      ['2001:db8:0:0:0:0:0:1:8000', 'http://[2001:db8:0:0:0:0:0:1]:8000'],
    ] as const)
      expect(parseTargetUrl(text)).toEqual({
        kind: 'wrong',
        problem: 'the URL has an IPv6 address without brackets',
        advice: `Write: ${meant}`,
      });
  });

  test('that is none is refused, with one that could be meant', () => {
    for (const [text, meant] of [
      ['localhost:8000', 'http://localhost:8000'],
      ['host', 'http://host'],
      ['ftp://host', 'http://127.0.0.1:8000'],
      ['http:/host', 'http://127.0.0.1:8000'],
      ['', 'http://127.0.0.1:8000'],
      ['user:s3cret@host', 'http://127.0.0.1:8000'],
    ] as const) {
      const parsed = parseTargetUrl(text);
      expect(parsed).toMatchObject({ kind: 'wrong', advice: `Write it as: plimsoll bench ${meant}` });
      expect(JSON.stringify(parsed)).not.toContain('s3cret');
    }
  });
});
