// An acceptance as text, as one HTML page and as JUnit XML.

import { describe, expect, test } from 'vitest';
import type { JudgedCheck } from '../../../src/core/acceptance/acceptance-document.ts';
import { ACCEPTANCE } from '../../../src/render/acceptance/acceptance-report.ts';
import { plainReport } from '../../../src/render/document/plain-kind.ts';
import { PLAIN_FORMS } from '../../../src/render/document/plain-kinds.ts';
import { plainText } from '../../../src/render/document/plain-text.ts';
import { acceptanceJunit } from '../../../src/report/acceptance-junit.ts';
import { plainPage } from '../../../src/report/plain-report.ts';
import { JUDGED, madeUpAcceptance } from '../../support/made-up-acceptance.ts';

const textOf = (checks: readonly JudgedCheck[]): string =>
  plainText(plainReport(ACCEPTANCE, madeUpAcceptance('a1', checks)), { isUnicode: true }).join('\n');

const passed = JUDGED.filter(({ result }) => result === 'pass');

describe('the report of an acceptance', () => {
  test('has a row for each failed check and each that could not be judged, with its reason', () => {
    const text = textOf(JUDGED);
    expect(text).toContain('not fit for use: 2 passed, 1 failed, 1 cannot be judged');
    expect(text).toMatch(/juno, GPU 0 .*2\.40.TB\/s +2\.70.TB\/s .*comparable parts/);
    expect(text).toMatch(/Memory bandwidth +1 +juno, GPU 1 .*a benchmark runs against juno/);
    expect(text).toContain('Not judged by the plan');
  });

  test('counts the passed ones by check, with the figure that came closest to its limit', () => {
    expect(textOf(passed)).toMatch(/Memory bandwidth +2 +atlas, GPU 1 +2\.80.TB\/s/);
    expect(textOf(passed)).toContain('fit for use: 2 passed, 0 failed');
  });

  test('is read as its form, and no other document is', () => {
    const form = PLAIN_FORMS.find(each => each.form === 'acceptance');
    expect(form?.read(madeUpAcceptance('a1'))).toMatchObject({ form: 'acceptance', target: 'atlas, juno' });
    expect(form?.read({ ...madeUpAcceptance('a1'), outcome: 'fine' })).toMatch(/^outcome/);
  });
});

describe('the page of an acceptance', () => {
  const signature = {
    nodeId: 'n'.repeat(26),
    publicKey: 'MCowBQYDK2VwAyEA',
    statement: 'plimsoll acceptance sha256 00',
    signature: 'c2lnbmVk',
  };
  const pageOf = (checks: readonly JudgedCheck[]): string =>
    plainPage(plainReport(ACCEPTANCE, madeUpAcceptance('a1', checks)), [], signature);

  test('begins with its verdict and names what failed', () => {
    expect(pageOf(JUDGED)).toContain('class="verdict bad"');
    expect(pageOf(JUDGED)).toContain('Memory bandwidth: juno, GPU 0: 90 % of the median');
    expect(pageOf(passed)).toContain('class="verdict good"');
    expect(pageOf(JUDGED.filter(({ result }) => result !== 'fail'))).toContain('class="verdict open"');
  });

  test('has the signature and the commands that check it', () => {
    for (const part of [...Object.values(signature), 'openssl pkeyutl -verify'])
      expect(pageOf(JUDGED)).toContain(part);
    expect(plainPage(plainReport(ACCEPTANCE, madeUpAcceptance('a1')), [])).not.toContain('Signature');
  });
});

test('as JUnit XML every check is a case: failed, or skipped where it could not be judged', () => {
  const xml = acceptanceJunit(madeUpAcceptance('a1'));
  expect(xml).toContain('tests="4" failures="1" errors="0" skipped="1"');
  expect(xml).toContain(
    '<testcase classname="plimsoll.accept.devices" name="Memory bandwidth: atlas, GPU 0"',
  );
  expect(xml).toContain('<skipped message="its probe waits: a benchmark runs against juno"/>');
});
