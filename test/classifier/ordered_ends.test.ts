import { describe, expect, it } from 'vitest';
import { classifyExcerpt } from '../../src/classifier/excerpt.ts';
import { readCatalogue } from '../../scripts/corpus.ts';

const catalogue = readCatalogue();
const symptomOf = (...lines: string[]) => classifyExcerpt(lines, catalogue).symptom;

describe('a child process that its parent ended on purpose', () => {
  const by = 'client: 198.51.100.1, server: 0.0.0.0:1935';
  const terminated = `2024/11/09 20:31:31 [info] 22#22: *102 exec: terminating child 227, ${by}`;
  const alone = `2024/11/09 20:31:30 [info] 22#22: *102 exec: child 227 exited; ignoring, ${by}`;
  const ended = (child: number, how: string) =>
    `2024/11/09 20:31:31 [notice] 22#22: unknown process ${child} exited ${how}`;

  it('has not failed, however it ends', () => {
    expect(symptomOf(terminated, ended(227, 'with code 1'))).toBe('benign_noise');
    expect(symptomOf(terminated, ended(227, 'on signal 9'))).toBe('benign_noise');
    expect(symptomOf(terminated, alone, ended(227, 'with code 1'))).toBe('benign_noise');
  });

  it('is not another child, nor one that ended before, and excuses nothing else', () => {
    expect(symptomOf(terminated, ended(228, 'on signal 9'))).toBe('process_exit_nonzero');
    expect(symptomOf(ended(227, 'on signal 9'), terminated)).toBe('process_exit_nonzero');
    expect(symptomOf(terminated, ended(227, 'with code 1'), 'ERROR ch4: origin: Connection refused')).toBe(
      'upstream_unreachable',
    );
  });

  it('ended by itself where its end is logged before the order, and its exit code after it', () => {
    expect(symptomOf(alone, terminated, ended(227, 'with code 1'))).toBe('process_exit_nonzero');
  });
});

const at = (second: number, text: string) => `Nov 20 03:14:${second} enc1 ${text}`;
const unit = (text: string) => `systemd[1]: ch05.service: ${text}`;

describe.each([
  {
    by: 'systemd',
    order: 'systemd[1]: Stopping ch05.service - Channel 05...',
    ends: [unit('Main process exited, code=exited, status=1/FAILURE'), unit("Failed with result 'exit-code'.")],
    start: 'systemd[1]: Started ch05.service - Channel 05.',
    another: 'systemd[1]: Stopping ch06.service - Channel 06...',
  },
  {
    by: 'Compose',
    order: ' Container ch05  Stopping',
    ends: ['ch05 exited with code 1'],
    start: ' Container ch05  Started',
    another: ' Container ch06  Stopping',
  },
  {
    by: 'Docker',
    order: 'container kill 4b1f0d9c2e7a (image=tv:1, name=ch05, signal=15)',
    ends: ['container die 4b1f0d9c2e7a (execDuration=58, exitCode=1, image=tv:1, name=ch05)'],
    start: 'container start 4b1f0d9c2e7a (image=tv:1, name=ch05)',
    another: 'container kill 5c1f0d9c2e7a (image=tv:1, name=ch06, signal=15)',
  },
])('what $by ordered to stop', ({ order, ends, start, another }) => {
  const symptomAfter = (...texts: string[]) => symptomOf(...texts.map((one, second) => at(10 + second, one)));

  it('has not failed, whatever its exit code', () => {
    expect(symptomAfter(order, ...ends)).toBe('benign_noise');
    expect(symptomAfter(start, order, ...ends, start)).toBe('benign_noise');
  });

  it('has failed where it ended before the order, or after its next start', () => {
    expect(symptomAfter(...ends, order)).toBe('process_exit_nonzero');
    expect(symptomAfter(order, start, ...ends)).toBe('process_exit_nonzero');
    expect(symptomAfter(...ends, start, order, ends[0]!)).toBe('process_exit_nonzero');
  });

  it('is not confused with another one', () => {
    expect(symptomAfter(another, ...ends)).toBe('process_exit_nonzero');
  });
});
