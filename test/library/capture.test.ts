import { describe, expect, it } from 'vitest';
import { captured } from '../../src/library/capture.ts';

describe('what a function writes', () => {
  it('is captured with what it threw, and written all the same', async () => {
    const ended = await captured(async () => {
      process.stdout.write('building\n');
      await Promise.resolve();
      process.stderr.write('it broke\n');
      throw new Error('no');
    });
    expect(ended).toMatchObject({ ok: false, output: 'building\nit broke\n' });
  });

  it('is kept apart from what another one writes at the same time', async () => {
    const say = (text: string) =>
      captured(async () => {
        for (let count = 0; count < 3; count += 1) {
          process.stdout.write(text);
          await new Promise(setImmediate);
        }
      });
    const [a, b] = await Promise.all([say('a'), say('b')]);
    expect([a.output, b.output]).toEqual(['aaa', 'bbb']);
  });
});
