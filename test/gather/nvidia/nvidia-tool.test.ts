import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../../src/core/problem.ts';
import { throttleReasons } from '../../../src/gather/nvidia/load-query.ts';
import { endingError, readToolMessage } from '../../../src/gather/nvidia/nvidia-tool.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

describe('what nvidia-smi reports instead of figures', () => {
  it.each([
    ['message-no-driver.txt', 'the NVIDIA driver is not loaded'],
    [
      'message-driver-mismatch.txt',
      'the NVIDIA driver was updated: restart this machine (driver/library version mismatch)',
    ],
    ['message-gpu-lost.txt', 'GPU 0000:43:00.0 does not answer: Unknown Error'],
    ['message-no-devices.txt', 'no NVIDIA device found'],
    ['message-invalid-field.txt', 'this driver does not know the field clocks_event_reasons.active'],
  ])('%s reads: %s', (fixture, reason) => {
    expect(readToolMessage(fixtureText(`nvidia-smi/${fixture}`))?.reason).toBe(reason);
  });

  it('is shown in its own words where they are new, and by exit code where there are none', () => {
    expect(endingError('\nSomething else broke\nmore\n', '').message).toBe(
      'nvidia-smi: Something else broke',
    );
    expect(endingError(' \n', 'nvidia-smi exited with code 3').message).toBe('nvidia-smi exited with code 3');
  });

  it('has a code where a person can do something about it', () => {
    const codeOf = (text: string) => errorOf(endingError(text, 'it ended'));
    const errorOf = (error: Error) => (error instanceof ProblemError ? error.code : undefined);
    expect(codeOf("NVIDIA-SMI couldn't find libnvidia-ml.so library")).toBe('tool-missing');
    expect(codeOf('Failed to initialize NVML: Insufficient Permissions')).toBe('permission');
    expect(codeOf(fixtureText('nvidia-smi/message-gpu-lost.txt'))).toBe('no-answer');
    expect(codeOf('Failed to initialize NVML: Unknown Error')).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        readToolMessage(text);
        expect(endingError(text, 'otherwise').message).not.toBe('');
        throttleReasons(text);
      }),
    );
  });
});

describe('throttle reasons', () => {
  it('are named by NVIDIA, all bits of them, and unnamed bits by their value', () => {
    expect(throttleReasons('0x00000000000001ff')).toHaveLength(8);
    expect(throttleReasons('0x0000000000000441')).toEqual(['HW thermal slowdown', 'unnamed reason 0x400']);
    expect(throttleReasons('0xffffffffffffffff')).toHaveLength(9);
  });
});
