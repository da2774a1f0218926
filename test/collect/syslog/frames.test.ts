import { describe, expect, it } from 'vitest';
import { Frames } from '../../../src/collect/syslog/frames.ts';

const BYTES_MAX = 12;

function received(...parts: readonly string[]) {
  const taken = { messages: [] as string[], tooLong: 0 };
  const frames = new Frames({
    bytesMax: BYTES_MAX,
    take: (message) => taken.messages.push(message.toString()),
    tooLong: () => {
      taken.tooLong += 1;
    },
  });
  for (const part of parts) frames.add(Buffer.from(part));
  frames.end();
  return taken;
}

describe('messages of a TCP stream', () => {
  it('are lines that end with a newline or NUL, and the last one with the connection', () => {
    expect(received('<1>a\n<1>b\0<1>c')).toEqual({ messages: ['<1>a', '<1>b', '<1>c'], tooLong: 0 });
    expect(received('\n\n<1>a\n').messages).toEqual(['<1>a']);
  });

  it('are as long as they announce, line ends within them included', () => {
    expect(received('6 <1>a\nb4 <1>c').messages).toEqual(['<1>a\nb', '<1>c']);
  });

  it.each([1, 2, 3, 5])('are the same however they are cut: %i bytes at a time', (size) => {
    const stream = '6 <1>a\nb<1>c\n4 <1>d';
    const parts = stream.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))!;
    expect(received(...parts).messages).toEqual(['<1>a\nb', '<1>c', '<1>d']);
  });
});

describe('a message that is too long', () => {
  it('is counted and passed over, and the next one is taken: announced', () => {
    expect(received('12 <1>456789012')).toEqual({ messages: ['<1>456789012'], tooLong: 0 });
    expect(received('13 <1>4567890123', '4 <1>a')).toEqual({ messages: ['<1>a'], tooLong: 1 });
    expect(received('13 <1>45', '67890123', '4 <1>a')).toEqual({ messages: ['<1>a'], tooLong: 1 });
  });

  it('is counted and passed over, and the next one is taken: a line', () => {
    expect(received('<1>456789012\n')).toEqual({ messages: ['<1>456789012'], tooLong: 0 });
    expect(received('<1>4567890123\n<1>a\n')).toEqual({ messages: ['<1>a'], tooLong: 1 });
    expect(received('<1>4567890123', 'more', '\n<1>a\n')).toEqual({ messages: ['<1>a'], tooLong: 1 });
  });

  it('is not taken in part when the connection ends within it', () => {
    expect(received('13 <1>4567')).toEqual({ messages: [], tooLong: 1 });
    expect(received('<1>4567890123')).toEqual({ messages: [], tooLong: 1 });
  });
});
