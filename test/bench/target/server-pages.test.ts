// Where a server's pages are, by the URL that a person gave: its root, the root of its API, an endpoint, or below a gateway's path.

import { expect, test } from 'vitest';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { pageNextTo } from '../../../src/bench/target/find-metrics-page.ts';
import { pagePath, serverBase, serverUrl } from '../../../src/bench/target/server-pages.ts';
import { parseTargetUrl } from '../../../src/bench/target/target-url.ts';

const target = (url: string) => {
  const parsed = parseTargetUrl(url);
  if (parsed.kind === 'wrong') throw new Error(parsed.problem);
  return parsed.value;
};

test.each([
  ['http://h:1', ''],
  ['http://h:1/v1', ''],
  ['http://h:1/v1/chat/completions', ''],
  ['http://gw/team-a', '/team-a'],
  ['http://gw/team-a/', '/team-a'],
  ['http://gw/team-a/v1', '/team-a'],
  ['http://gw/team-a/v1/chat/completions', '/team-a'],
  ['http://gw/a/b/v1', '/a/b'],
])('the pages of %s are below "%s"', (url, base) => {
  expect(serverBase(target(url), serverApi('chat'))).toBe(base);
  expect(pagePath(target(url), '/metrics')).toBe(`${base}/metrics`);
});

test('an endpoint without a root of its API has its pages next to it', () => {
  expect(serverBase(target('http://gw/x/api/chat'), serverApi('ollama'))).toBe('/x');
  expect(serverBase(target('http://h:1/completion'), serverApi('llama.cpp'))).toBe('');
});

test('a key in the query of the URL goes with every page, and is in no URL that is shown', () => {
  const keyed = target('http://gw/team-a/v1?key=s3cret');
  expect(pagePath(keyed, '/metrics')).toBe('/team-a/metrics?key=s3cret');
  expect(pageNextTo('/team-a/metrics?key=s3cret', '/slots')).toBe('/team-a/slots?key=s3cret');
  expect(serverUrl(keyed)).toBe('http://gw/team-a');
});
