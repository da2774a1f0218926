import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../../src/ask/tool.ts';
import { addAskFlags, checkedFlags, type RawFlags } from '../../../src/cli/ask/flags.ts';

const flagsOf = (...args: readonly string[]) => {
  const command = addAskFlags(new Command());
  return checkedFlags(command.parse(args, { from: 'user' }).opts<RawFlags>(), (text) => text.length);
};

describe('the flags of reeve ask', () => {
  it('ask one question, with no route and no grant, where nothing is given', () => {
    expect(flagsOf()).toMatchObject({ mode: 'single', grants: [], routeThreshold: undefined, contextTokens: 8_192 });
  });

  it('converse where a conversation is kept or gone on with', () => {
    expect(flagsOf('-c').mode).toBe('conversational');
    expect(flagsOf('--save-session', 'a').mode).toBe('conversational');
    expect(flagsOf('--resume-session', 'a').mode).toBe('conversational');
    expect(flagsOf('-i').mode).toBe('interactive');
  });

  it.each([
    [['-i', '-c'], '--interactive and --conversational'],
    [['-i', '--save-session', 'a'], '--interactive and --save-session'],
    [['-j', '-s'], '--json and --stream'],
    [['-j', '--resume-session', 'a'], '--json and --resume-session'],
    [['--route', '--tool', 'a'], '--route and --tool'],
  ])('refuse %j, and name both', (args, both) => {
    expect(() => flagsOf(...args)).toThrow(`${both} do not go together`);
  });

  it('take an argument only for a tool, and a threshold only for a route', () => {
    expect(flagsOf('--tool', 'x', '--tool-arg', 'a=b=c', '--tool-arg', 'd=').toolArgs).toEqual({ a: 'b=c', d: '' });
    expect(() => flagsOf('--tool-arg', 'a=b')).toThrow('--tool-arg needs --tool');
    expect(() => flagsOf('--tool', 'x', '--tool-arg', '=b')).toThrow('KEY=VALUE was expected');
    expect(() => flagsOf('--route-threshold', '0.5')).toThrow('--route-threshold needs --route');
  });

  it('take every permission for read, and none that does not exist', () => {
    expect(flagsOf('--grant', 'read').grants).toEqual(PERMISSIONS);
    expect(flagsOf('--grant', PERMISSIONS[0]!).grants).toEqual([PERMISSIONS[0]]);
    expect(() => flagsOf('--grant', 'write')).toThrow('there is no permission write');
  });

  it('take a threshold from 0 to 1, one half where none is given', () => {
    const threshold = (...args: readonly string[]) => flagsOf('--route', ...args).routeThreshold;
    expect([threshold(), threshold('--route-threshold', '0'), threshold('--route-threshold', '1')]).toEqual([
      0.5, 0, 1,
    ]);
    for (const wrong of ['1.01', 'x', '']) expect(() => threshold('--route-threshold', wrong)).toThrow('from 0 to 1');
  });

  it('take from 100 to 99,999,999 tokens', () => {
    expect([flagsOf('--context', '100').contextTokens, flagsOf('--context', '99999999').contextTokens]).toEqual([
      100, 99_999_999,
    ]);
    for (const wrong of ['99', '100000000', '1e3']) {
      expect(() => flagsOf('--context', wrong)).toThrow('a number of tokens');
    }
  });
});
