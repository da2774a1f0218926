import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/core/engine.ts';
import { fetchRecentLogs } from '../../../src/remediation/tools/fetch_recent_logs.ts';
import { aChannel } from '../../support/a.ts';

const report = (second: number) =>
  `frame=${second * 25} fps= 25 q=14.0 size= ${second}kB time=00:00:0${second}.00 speed=1x    `;

function told(text: string) {
  const engine = { id: 'local', kind: 'fake', recentLogs: async () => text } as unknown as Engine;
  const ports = { channelOf: () => aChannel(), engineOf: () => engine, healthLine: String, clean: String };
  const context = {} as Parameters<typeof fetchRecentLogs.run>[2];
  return fetchRecentLogs.run(ports, { kind: 'channel', id: 'news' }, context, 'local');
}

describe('a look at the newest lines of a log', () => {
  it('says how many there are, and the last', async () => {
    expect(await told('opened\n\nConversion failed!\n')).toBe('2 recent lines; last: Conversion failed!');
    expect(await told('opened')).toBe('1 recent line; last: opened');
    expect(await told('\n')).toBe('0 recent lines; last: (none)');
  });

  it('passes over the progress that an encoder reports in one endless line', async () => {
    const text = `[flv @ 0x5] Connection reset by peer\n${report(1)}\r${report(2)}\r${report(3)}`;
    expect(await told(text)).toBe('1 recent line; last: [flv @ 0x5] Connection reset by peer');
  });

  it('says so where there is nothing but progress, with the newest report alone', async () => {
    expect(await told(`${report(1)}\r${report(2)}\rsize= 3kB time=00:00:03.00 bitrate= 8kbits/s speed=1x  `)).toBe(
      'only progress reports; last: size= 3kB time=00:00:03.00 bitrate= 8kbits/s speed=1x',
    );
  });
});
