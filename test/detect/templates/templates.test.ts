import { describe, expect, it } from 'vitest';
import { tokensOf } from '../../../src/detect/templates/template_tokens.ts';
import { TemplateMiner } from '../../../src/detect/templates/templates.ts';

describe('tokensOf', () => {
  it.each([
    ['2026-11-21T20:58:36.351Z up', '<time> up'],
    ['from 10.0.0.1:80 to [fe80::1]', 'from <ip> to <ip>'],
    ['GET http://a.example/x?y failed', 'GET <url> failed'],
    ['open /srv/a b.ts', 'open <path> b.ts'],
    ['at 0x55d3 in 12.5s', 'at <hex> in <num>s'],
    ['user "bob smith" left', 'user <str> left'],
    ['id 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'id <id>'],
  ])('%s becomes %s', (line, expected) => {
    expect(tokensOf(line).join(' ')).toBe(expected);
  });
});

describe('TemplateMiner', () => {
  it('gives lines of one shape one template, and marks where they differ', () => {
    const miner = new TemplateMiner();
    const first = miner.learn('widget alpha failed to frob in 12 ms');
    const second = miner.learn('widget alpha failed to twist in 99 ms');
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect(second.template).toMatchObject({ id: first.template.id, text: 'widget alpha failed to <*> in <num> ms' });
  });

  it('keeps lines of different shapes apart', () => {
    const miner = new TemplateMiner();
    expect(miner.learn('disk is slow today').template.id).not.toBe(miner.learn('tape is gone now').template.id);
  });

  it('knows what a new line is like', () => {
    const miner = new TemplateMiner();
    miner.seed('Connection to 10.0.0.1 refused by host', 'refused');
    expect(miner.learn('Connection to 10.9.9.9 refused by peer').template.like).toBe('refused');
  });

  it('knows what has a name however many other shapes come', () => {
    const miner = new TemplateMiner({ clustersMax: 10 });
    for (const word of 'abcdefghijklmnopqrst') miner.seed(`${word}${word} is refused by the upstream`, word);
    for (const word of 'abcdefghijklmnopqrst') miner.learn(`${word} is something that nobody has named so far`);
    expect(miner.size).toBe(30);
    expect(miner.learn('aa is refused by the upstream').template.like).toBe('a');
  });

  it('keeps to its memory and counts what it forgets', () => {
    const miner = new TemplateMiner({ clustersMax: 50 });
    for (let at = 0; at < 5000; at += 1)
      miner.learn(`shape${'abcdefghij'[at % 10]}${String.fromCharCode(97 + (at % 26))} ${'w '.repeat(at % 37)}`);
    expect(miner.size).toBeLessThanOrEqual(50);
    expect(miner.evicted).toBeGreaterThan(0);
  });
});
